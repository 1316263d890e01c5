// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/ordered_file.hpp"

#include "freshet/parallel/agree.hpp"

#include <algorithm>
#include <climits>

namespace freshet {
namespace {

constexpr std::int64_t items_a_piece = 1 << 14;
constexpr int tag = 17;

}  // namespace

OrderedFile::OrderedFile(const Communicator& comm, const std::string& path) : comm_(comm) {
  agree_on_root(comm, [&] { file_.emplace(path); });
}

void OrderedFile::append_once(std::string_view bytes) {
  if (comm_.is_root()) keep(bytes);
}

void OrderedFile::append(std::int64_t n, const Make& make) {
  std::string bytes;
  const auto give = [&] {
    if (comm_.is_root()) return keep(bytes);
    check_mpi(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, 0, tag, comm_.raw()), "MPI_Send");
  };
  for (std::int64_t first = 0; first < n; first += items_a_piece) {
    bytes.clear();
    make(first, std::min(first + items_a_piece, n), bytes);
    if (!bytes.empty()) give();
  }
  if (comm_.is_root()) {
    for (int rank = 1; rank < comm_.size(); ++rank) receive_from(rank);
  } else {
    bytes.clear();
    give();  // an empty message ends this rank's pieces
  }
}

void OrderedFile::receive_from(int rank) {
  std::string bytes;
  do {
    MPI_Status status;
    int n = 0;
    check_mpi(MPI_Probe(rank, tag, comm_.raw(), &status), "MPI_Probe");
    check_mpi(MPI_Get_count(&status, MPI_CHAR, &n), "MPI_Get_count");
    bytes.resize(static_cast<std::size_t>(n));
    check_mpi(MPI_Recv(bytes.data(), n, MPI_CHAR, rank, tag, comm_.raw(), MPI_STATUS_IGNORE), "MPI_Recv");
    keep(bytes);
  } while (!bytes.empty());
}

void OrderedFile::keep(std::string_view bytes) {
  if (failure_.code != ExitCode::done) return;  // other ranks still send their bytes
  try {
    file_->write(bytes);
  } catch (const Error& error) {
    failure_ = {error.code(), error.what()};
  }
}

void OrderedFile::commit() {
  try {
    agree_on_root(comm_, [&] {
      if (failure_.code != ExitCode::done) throw_error(failure_.code, failure_.message);
      file_->commit();
    });
  } catch (const Error&) {
    file_.reset();
    throw;
  }
}

}  // namespace freshet
