// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/run_numbers.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

namespace freshet {
namespace {

constexpr std::int64_t most_counted = std::int64_t{1} << 56;  ///< counters go on from it without overflow

[[noreturn]] void refuse(const std::string& what) {
  throw FileError("the checkpoint does not fit together: " + what + ".");
}

/// The numbers are below 2^56 each, so that sums do not overflow.
void check_ledger(const RunNumbers& numbers, GlobalIndex n_particles) {
  const GlobalIndex came = numbers.seeded + numbers.emitted + numbers.reseeded;
  const GlobalIndex went = numbers.left_domain + numbers.absorbed + numbers.removed;
  if (n_particles + went != came)
    refuse(fmt::format("{} particles and {} that went are not the {} that came", n_particles, went, came));
  if (numbers.next_id < came) refuse(fmt::format("next_id is {} after {} particles", numbers.next_id, came));
}

}  // namespace

std::vector<NamedNumber> named(const RunNumbers& numbers) {
  std::vector<NamedNumber> result;
  RunNumbers::for_each(numbers, [&](const char* name, auto value) { result.push_back({name, value}); });
  return result;
}

RunNumbers run_numbers(std::span<const NamedNumber> kept, GlobalIndex n_particles) {
  RunNumbers numbers;
  RunNumbers::for_each(numbers, [&](const char* name, auto& value) {
    using Number = std::remove_cvref_t<decltype(value)>;
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](const NamedNumber& number) { return number.name == name; });
    if (found == kept.end() && RunNumbers::came_later(name)) return;
    if (found == kept.end()) refuse(fmt::format("it has no {}", name));
    const Number* number = std::get_if<Number>(&found->value);
    if (number == nullptr) refuse(fmt::format("{} is of another type", name));
    value = *number;
    if (!(value >= 0) && !RunNumbers::may_be_negative(name)) refuse(fmt::format("{} is {}", name, value));
    if (std::is_integral_v<Number> && value > most_counted) refuse(fmt::format("{} is {}", name, value));
  });
  check_ledger(numbers, n_particles);
  return numbers;
}

}  // namespace freshet
