// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/held_response.hpp"
#include "freshet/bodies/rigid_body.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace freshet {

/// A condition that holds a linear function of the velocities of one or two bodies: of_body . V + of_other . V_other.
struct HeldRow {
  int body = 0;    ///< number of the body
  int other = -1;  ///< number of the other body; -1: the ground
  Vec6 of_body = Vec6::Zero();
  Vec6 of_other = Vec6::Zero();
  double target = 0.0;      ///< value of the function [m/s] or [rad/s]
  double compliance = 0.0;  ///< change of the value by a unit impulse, as of a damper; 0: rigid
  double reference = 0.0;   ///< change of the function by a unit impulse on bodies that nothing holds
};

/// Bodies whose velocities V obey rows G V = w + E q during a projection, such as bodies that touch.
///
/// E is diagonal and has the compliances of rows. W gives the changes of velocities by impulses where nothing is held.
/// Velocities become V - W G^T q, q = (G W G^T + E)^+ (G V - w), and impulses then change them by the C of
/// HeldResponse. Bodies that rows, or W, connect are one group.
/// Parallel: local; every rank does the same in the same order
class HeldRows {
 public:
  struct Group {
    std::vector<int> bodies;  ///< ascending
    std::vector<int> rows;    ///< numbers of its rows
    HeldResponse held;        ///< over six numbers a body, in their order
  };
  /// Let go of all rows.
  void clear();
  bool empty() const { return rows_.empty(); }
  /// Hold rows. \param[in] n_bodies  number of all bodies \param[in] joined  by body, a number that is the same for
  /// bodies which joints connect \param[in] free  W(n, m): the change of velocity of body n by an impulse on body m
  void set(std::span<const HeldRow> rows, int n_bodies, std::span<const int> joined,
           const std::function<Mat6(int, int)>& free);
  const std::vector<Group>& groups() const { return groups_; }
  /// Whether a row of its group is held.
  bool holds(int body) const { return !rows_.empty() && is_held_[static_cast<std::size_t>(body)] != 0; }
  /// Change velocities by the smallest impulses after which they obey the rows. \param[in,out] velocities  of all
  /// bodies \param[out] impulses  on all bodies: linear, and angular about the centre [kg m/s], [kg m^2/s]
  void obey(std::span<Vec6> velocities, std::span<Vec6> impulses);
  /// The impulse along a row that obey() found last.
  double impulse(int row) const { return impulses_[static_cast<std::size_t>(row)]; }

 private:
  std::vector<HeldRow> rows_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> is_held_;  ///< by body
  std::vector<double> impulses_;       ///< by row
  std::vector<int> first_;             ///< buffer: by body, lowest number of those that it is connected to
  Dense free_, matrix_;                ///< buffers: W and G of a group
  std::vector<double> of_rows_;        ///< buffer: one number a row of a group
  std::vector<double> given_;          ///< buffer: the same, compliances
  std::vector<double> of_bodies_;      ///< buffer: six numbers a body of a group
};

}  // namespace freshet
