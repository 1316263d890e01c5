// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/held_rows.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// Velocities of light bodies may be large before impulses cancel them up to rounding: the second pass takes that away.
constexpr int most_passes = 2;

}  // namespace

void HeldRows::clear() {
  rows_.clear();
  groups_.clear();
}

void HeldRows::set(std::span<const HeldRow> rows, int n_bodies, std::span<const int> joined,
                   const std::function<Mat6(int, int)>& free) {
  FRESHET_EXPECT(static_cast<int>(joined.size()) == n_bodies);
  rows_.assign(rows.begin(), rows.end());
  groups_.clear();
  impulses_.assign(rows_.size(), 0.0);
  is_held_.assign(joined.size(), 0);
  first_.assign(joined.begin(), joined.end());
  const auto connect = [&](int a, int b) {
    const auto [low, high] = std::minmax(first_[static_cast<std::size_t>(a)], first_[static_cast<std::size_t>(b)]);
    std::ranges::replace(first_, int(high), int(low));
  };
  for (const HeldRow& row : rows_)
    if (row.other >= 0) connect(row.body, row.other);
  for (int n = 0; n < n_bodies; ++n) {
    Group group;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (first_[static_cast<std::size_t>(rows_[r].body)] == n) group.rows.push_back(static_cast<int>(r));
    if (group.rows.empty()) continue;
    for (int m = 0; m < n_bodies; ++m)
      if (first_[static_cast<std::size_t>(m)] == n) group.bodies.push_back(m);
    const auto size = static_cast<int>(6 * group.bodies.size()), count = static_cast<int>(group.rows.size());
    free_.reset(size, size);
    for (std::size_t k = 0; k < group.bodies.size(); ++k) {
      is_held_[static_cast<std::size_t>(group.bodies[k])] = 1;
      for (std::size_t l = 0; l < group.bodies.size(); ++l) {
        const Mat6 entry = free(group.bodies[k], group.bodies[l]);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) free_(6 * static_cast<int>(k) + i, 6 * static_cast<int>(l) + j) = entry(i, j);
      }
    }
    matrix_.reset(count, size);
    of_rows_.clear();
    given_.clear();
    const auto place = [&](int body) {
      return static_cast<int>(std::ranges::lower_bound(group.bodies, body) - group.bodies.begin());
    };
    for (int r = 0; r < count; ++r) {
      const HeldRow& row = rows_[static_cast<std::size_t>(group.rows[static_cast<std::size_t>(r)])];
      of_rows_.push_back(row.reference);
      given_.push_back(row.compliance);
      for (int i = 0; i < 6; ++i) {
        matrix_(r, 6 * place(row.body) + i) += row.of_body[i];
        if (row.other >= 0) matrix_(r, 6 * place(row.other) + i) += row.of_other[i];
      }
    }
    group.held.set(free_, matrix_, of_rows_, given_);
    groups_.push_back(std::move(group));
  }
}

void HeldRows::obey(std::span<Vec6> velocities, std::span<Vec6> impulses) {
  std::ranges::fill(impulses, Vec6(Vec6::Zero()));
  std::ranges::fill(impulses_, 0.0);
  for (Group& group : groups_) {
    of_bodies_.clear();
    for (const int body : group.bodies)
      for (int i = 0; i < 6; ++i) of_bodies_.push_back(velocities[static_cast<std::size_t>(body)][i]);
    of_rows_.resize(group.rows.size());
    for (int pass = 0; pass < most_passes; ++pass) {
      group.held.multiply(of_bodies_, of_rows_);
      for (std::size_t r = 0; r < group.rows.size(); ++r) {
        const auto row = static_cast<std::size_t>(group.rows[r]);
        of_rows_[r] += rows_[row].compliance * impulses_[row] - rows_[row].target;
      }
      group.held.solve(of_rows_);
      group.held.add_moved(-1.0, of_rows_, of_bodies_);
      for (std::size_t r = 0; r < group.rows.size(); ++r)
        impulses_[static_cast<std::size_t>(group.rows[r])] -= of_rows_[r];
    }
    for (std::size_t k = 0; k < group.bodies.size(); ++k)
      for (std::size_t i = 0; i < 6; ++i)
        velocities[static_cast<std::size_t>(group.bodies[k])][static_cast<int>(i)] = of_bodies_[6 * k + i];
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    impulses[static_cast<std::size_t>(rows_[r].body)] += impulses_[r] * rows_[r].of_body;
    if (rows_[r].other >= 0) impulses[static_cast<std::size_t>(rows_[r].other)] += impulses_[r] * rows_[r].of_other;
  }
}

}  // namespace freshet
