// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/held_response.hpp"
#include "freshet/bodies/joints.hpp"
#include "freshet/linear/dense.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Bodies that joints connect to each other or to the ground, as one system.
///
/// M is the mass matrix of all bodies, damping and stiff springs included, W its inverse along free axes, and G has the
/// rows of the joints: HeldResponse gives C, the response of bodies that obey the joints, and the joints' own impulses
/// -G^T q. Rows that follow from others, as in closed loops and in the plane, do not count twice.
class Assembly {
 public:
  struct Member {
    int joint;        ///< number of the joint
    int body, other;  ///< places in bodies(); other -1: the ground
    int first_row, n_rows;
  };
  /// \param[in] bodies  numbers of the bodies \param[in] joints  their joints, with the numbers `numbers`
  Assembly(std::vector<int> bodies, const std::vector<Joint>& joints, const std::vector<int>& numbers);

  const std::vector<int>& bodies() const { return bodies_; }
  const std::vector<Member>& members() const { return members_; }
  int n_rows() const { return n_rows_; }

  /// Set the mass matrix and the momentum of each body in turn, which is that without what acts at the end of the step.
  void set_body(int place, const Mat6& mass, const Vec6& momentum);
  /// Add factor r r^T to the mass matrix, with r the rows of a member's coordinate.
  void add_drag(const Member& member, const JointRow& row, double factor);
  /// Hold an axis of a body. \pre after the last set_body() and add_drag()
  void hold(int place, int axis, double velocity);
  /// Find the velocities without joints, and W.
  void solve();
  /// Take the joints' rows, and find C. \param[in] reference  by row: its product with the inverse mass matrix of
  /// bodies that nothing holds
  void set_rows(std::span<const JointRow> rows, std::span<const double> reference);

  Vec6 velocity(int place) const { return part_of(velocities_, place); }
  /// Impulses q of the joints that bring the joints' values, or rates, to 0; they are added to those before, and the
  /// velocities change with them. \param[in] rates  one a row
  void mend(std::span<const double> rates);
  /// Set the velocities and the joints' impulses to those without joints.
  void forget_mending();
  /// The rates G V of the present velocities.
  void rates(std::span<double> rates) const { held_.multiply(velocities_, rates); }
  /// Displacements W G^T (G W G^T)^+ e that bring the errors e of rows to 0, with the rows and the matrix of
  /// set_rows(). \param[in] errors  one a row \return displacements of all bodies
  std::span<const double> displacement(std::span<const double> errors);

  const Dense& response() const { return held_.response(); }     ///< C
  Vec6 change(int place, std::span<const Vec6> impulses) const;  ///< C P. \param[in] impulses  of all bodies, by number
  /// Find the joints' impulses q, those of mend() included. \param[in] impulses  P of all bodies, by number
  void find_impulses(std::span<const Vec6> impulses);
  /// What a member's joint gives its body, or the other one: -G^T q. \pre after find_impulses()
  Vec6 impulse_on_body(const Member& member) const { return impulse_on(member, member.body); }
  Vec6 impulse_on_other(const Member& member) const { return impulse_on(member, member.other); }

 private:
  using Numbers = std::vector<double>;
  Vec6 impulse_on(const Member& member, int place) const;
  static Vec6 part_of(const Numbers& numbers, int place);

  std::vector<int> bodies_;
  std::vector<Member> members_;
  int n_rows_ = 0;
  Dense mass_, free_;  ///< M; W
  Numbers momenta_;
  Numbers alone_, velocities_;  ///< velocities without and with joints
  std::vector<std::uint8_t> is_held_;
  Dense rows_;         ///< G
  HeldResponse held_;  ///< C
  Dense lower_;        ///< buffer of invert()
  Numbers mended_;     ///< impulses q of mend()
  Numbers impulses_;   ///< impulses q of find_impulses()
  Numbers of_rows_;    ///< buffer: one number a row
  Numbers of_bodies_;  ///< buffer: six numbers a body
  Numbers displacement_;
};

/// Split bodies that joints connect into assemblies, by the numbers of their first bodies.
std::vector<Assembly> make_assemblies(int n_bodies, const std::vector<Joint>& joints);

}  // namespace freshet
