// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/need_same.hpp"

#include <fmt/format.h>

#include <sstream>

namespace freshet {
namespace {

/// The first pair of lines in which two texts differ. \pre the texts are not equal
std::pair<std::string, std::string> different_lines(const std::string& a, const std::string& b) {
  std::istringstream lines_of_a(a), lines_of_b(b);
  std::string of_a, of_b;
  do {
    if (!std::getline(lines_of_a, of_a)) of_a = "nothing";
    if (!std::getline(lines_of_b, of_b)) of_b = "nothing";
  } while (of_a == of_b && (lines_of_a || lines_of_b));
  return {of_a, of_b};
}

}  // namespace

void need_same(const Communicator& comm, const std::string& what, const std::string& text) {
  if (comm.size() == 1) return;
  const std::string of_root = comm.broadcast(text);
  Failure failure;
  if (text != of_root) {
    const auto [here, root] = different_lines(text, of_root);
    failure = {ExitCode::input,
               fmt::format("{}: rank {} has '{}' and rank 0 has '{}' (all ranks take part in one run). "
                           "Give all ranks the same",
                           what, comm.rank(), here, root)};
  }
  failure = first_failure(comm, failure);
  if (failure.code != ExitCode::done) throw_error(failure.code, failure.message);
}

}  // namespace freshet
