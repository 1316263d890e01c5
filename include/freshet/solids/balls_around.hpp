// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/near_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

/// The bodies about the centre of a cell, where all of them are balls and they are few.
///
/// How near a straight way comes to a ball is known without a search. Answers are those of free_way(); where rounding
/// or the shortest way that it looks at decide, the answer is `unknown`. Lengths in cells.
class BallsAround {
 public:
  enum class Answer { no, yes, unknown };

  /// \param[in] first  coordinates of the block's first cell \param[in] middle  the cell's centre, in the block
  void find(const NearBodies& near, const Domain& domain, const Vec3& first, const Vec3& middle) {
    n_ = 0;
    are_known_ = true;
    near.for_each_within(domain.dx() * within, domain.origin() + domain.dx() * (first + middle), [&](std::size_t n) {
      const BoundingBall ball = near.shapes()[n]->ball();
      are_known_ = are_known_ && n_ < most && ball.is_full;
      if (are_known_) balls_[n_++] = {(ball.center - domain.origin()) / domain.dx() - first, ball.radius / domain.dx()};
    });
  }

  /// Whether a place in the cell lies outside all bodies.
  Answer is_outside(const Vec3& x) const {
    if (!are_known_) return Answer::unknown;
    Answer answer = Answer::yes;
    for (int n = 0; n < n_; ++n) {
      const double square = (x - balls_[n].center).squaredNorm();
      if (square < squared(balls_[n].radius - margin)) return Answer::no;
      if (square <= squared(balls_[n].radius + margin)) answer = Answer::unknown;
    }
    return answer;
  }

  /// Whether no body stands between a place in the cell outside all bodies and one in it or at the centre of a cell
  /// around it.
  Answer is_free(const Vec3& from, const Vec3& to) const {
    if (!are_known_) return Answer::unknown;
    const Vec3 way = to - from;
    const double length = way.norm();
    Answer answer = Answer::yes;
    for (int n = 0; n < n_ && length > 0.0; ++n) {
      const Vec3 to_ball = balls_[n].center - from;
      const double along = to_ball.dot(way) / length;  // to the nearest place on the whole line
      const double nearest = (to_ball - std::clamp(along, 0.0, length) / length * way).squaredNorm();
      if (nearest > squared(balls_[n].radius + margin)) continue;
      answer = Answer::unknown;
      const double beside = (to_ball - along / length * way).squaredNorm();
      const double half = std::sqrt(std::max(0.0, squared(balls_[n].radius - margin) - beside));
      if (std::min(along + half, length) - std::max(along - half, 0.0) > shortest_way + margin) return Answer::no;
    }
    return length > 0.0 ? answer : Answer::unknown;
  }

 private:
  static constexpr double within = 1.75;  ///< more than the distance between the centres of neighbours
  static constexpr double margin = 1e-3;  ///< distances nearer to 0 than this are left to a search
  static constexpr int most = 4;
  static double squared(double x) { return x > 0.0 ? x * x : 0.0; }

  struct Ball {
    Vec3 center;
    double radius;
  };
  Ball balls_[most];
  int n_ = 0;
  bool are_known_ = false;
};

}  // namespace freshet
