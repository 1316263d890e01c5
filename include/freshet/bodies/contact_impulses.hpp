// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/contact.hpp"

#include <array>
#include <span>
#include <vector>

namespace freshet {

/// The impulses of contacts in a step.
///
/// With u_n the velocity of parting and g the gap, a contact asks at the end of the step for
///   u_n >= w,  lambda_n >= 0,  (u_n - w) lambda_n = 0,  w = -g / dt
/// so that bodies come to touch and no nearer (Stewart & Trinkle 1996), and for Coulomb's friction: lambda_t opposes
/// u_t with |lambda_t| <= mu lambda_n, and u_t = 0 where that is less. Bodies that would pass each other and whose
/// restitution e is not 0 part with the velocity that they have after an impact within the step,
///   w = e u_i - a (t_u - t_i),   u_i = u - a (t_u - t_i)
/// with u the speed of approach without contact, a its growth since the last step, t_u the time in the step at which
/// velocities hold and t_i that of the impact: bodies at rest on others do not bounce. An overlap beyond the slop is
/// taken back by a fifth in each step, at a speed that does not grow as dt shrinks: the bodies keep it. The impulses
/// are found by projected Gauss-Seidel sweeps, forwards and backwards (Catto 2005; Guendelman, Bridson & Fedkiw 2003,
/// section 7), whose changes are the gradients of a nonsmooth conjugate-gradient method (Silcowitz, Niebe & Erleben
/// 2010), with the bodies' inverse masses, in which joints may couple bodies.
///
/// In the liquid contacts and pressure act on each other. So the contacts that push become rows which the next
/// projection holds at w (FreeBodies::hold()), with the tangents of those that stick; friction of those that slip is a
/// drag there, which at the last velocities is Coulomb's. After each projection the sweeps go on from its velocities
/// and from the impulses along the rows; where they change nothing any more, both agree. Which contacts push next is
/// found with inverse masses that count half of the displaced liquid as added mass, as of a sphere: this decides how
/// soon both agree, not on what. Source of the iteration: primal-dual active sets (Hintermueller, Ito & Kunisch 2003)
/// Parallel: local; every rank does the same in the same order
class ContactImpulses {
 public:
  /// When velocities hold in a step.
  struct Times {
    double dt = 1.0;      ///< length of the step [s]
    double acting = 1.0;  ///< time between the velocities of the last step and those of this one [s]
    double lag = 1.0;     ///< time between the start of the step and its velocities [s]
    double normal = 0.0;  ///< length of a step that no contact shortens, for the speed at which overlaps end [s]
  };
  /// Begin a trial of a step. \param[in] contacts  must stay until the next call \param[in] dx  size of a cell [m]
  /// \pre FreeBodies::predict()
  void begin(std::span<const Contact> contacts, const FreeBodies& bodies, double dx, const Times& times);
  bool empty() const { return contacts_.empty(); }

  enum class Round { more_may_follow, last };
  /// Push the bodies by the impulses that their present velocities V' ask for.
  ///
  /// \param[in] round  last: no projection can follow
  /// \return whether another projection is needed: bodies in liquid were pushed, by more than a small part of what the
  /// grid resolves. If it is not, no contact approaches beyond its gap. \pre after a projection
  bool act(FreeBodies& bodies, Round round);
  /// Number of contacts that push. \pre after act()
  int pushing() const { return n_pushing_; }

 private:
  /// A contact in its own axes: normal, and two tangents.
  struct Row {
    Mat3 axes;                      ///< columns: normal, tangents
    Mat3 response;                  ///< change of the velocity of parting by an impulse, in these axes [1/kg]
    double least_response = 0.0;    ///< response that counts as none [1/kg]
    double target = 0.0;            ///< w [m/s]
    Vec3 before = Vec3::Zero();     ///< lambda before a sweep
    Vec3 direction = Vec3::Zero();  ///< direction of the conjugate gradients
    Vec3 impulse = Vec3::Zero();    ///< lambda, in these axes [kg m/s]
    int first_held = -1;            ///< place of the normal among the held rows; -1: none is held
    int n_held = 0;                 ///< 1: the normal; 3: the tangents follow it
  };
  Vec3 parting(const Contact& contact, std::span<const Vec6> velocities) const;
  void set_targets(const FreeBodies& bodies);
  void set_responses();
  Vec6 response_of(std::size_t n, std::size_t m, const Vec6& impulse) const;
  void push(const Contact& contact, const Vec3& impulse);
  double correct(std::size_t row);
  void sweep(double smallest);
  void set_yielding(const FreeBodies& bodies);
  void take_impulses(const FreeBodies& bodies);
  void solve(double smallest);
  bool agrees() const;
  void solve_alone();
  void push_bodies(FreeBodies& bodies);
  void hold(FreeBodies& bodies);
  int count_pushing() const;
  HeldRow held_row(std::size_t row, int axis) const;

  std::span<const Contact> contacts_;
  double dx_ = 1.0;  ///< [m]
  double dt_ = 1.0;  ///< [s]
  Times times_;
  int n_acts_ = 0;  ///< calls of act() in this trial
  int n_pushing_ = 0;
  bool is_wet_ = false;
  std::vector<int> place_of_;              ///< place of each free body among those that touch; -1: it does not
  std::vector<int> touching_;              ///< numbers of the free bodies that touch
  std::vector<Vec6> without_;              ///< velocities of the touching bodies without the liquid
  std::vector<Vec6> before_;               ///< their velocities before the last push
  std::vector<Vec6> velocity_;             ///< their velocities now
  std::vector<Vec6> given_;                ///< impulses of this call
  std::vector<double> yielding_;           ///< inverse mass with added mass over that without
  std::vector<Mat6> inverse_;              ///< inverse masses, of all pairs of touching bodies
  std::vector<std::vector<int>> coupled_;  ///< places of the bodies that a push on each body moves
  std::vector<Row> rows_;
  std::vector<HeldRow> held_;  ///< buffer: rows for the next projection
  std::vector<Vec6> pushes_;   ///< buffer: impulses on all bodies
};

}  // namespace freshet
