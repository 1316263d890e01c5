// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/rigid_motion.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/geometry/wave_maker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

Mat3 rotation_of(const Vec3& turn) {
  const double angle = turn.norm();
  if (angle == 0.0) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// The matrix J^-1 of the exponential of (w, v), which turns the displacement of a screw into the velocity.
/// \param[in] w  rotation vector [rad]
Mat3 inverse_left_jacobian(const Vec3& w) {
  const double angle = w.norm();
  const Mat3 cross = cross_matrix(w);
  constexpr double small = 1e-3;  // below it the series is exact to 1e-15
  const double quadratic = angle < small ? 1.0 / 12.0 + angle * angle / 720.0
                                         : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
  return Mat3::Identity() - 0.5 * cross + quadratic * cross * cross;
}

using Values = Eigen::Matrix<double, 6, 1>;

Values values_of(const MotionSample& sample) {
  Values values;
  values << sample.translation, sample.turn;
  return values;
}

/// Slope at sample i of the parabola through it and its neighbours; 0 at both ends, outside of which the body rests.
Values slope_at(const std::vector<MotionSample>& samples, std::size_t i) {
  if (i == 0 || i + 1 == samples.size()) return Values::Zero();
  const double before = samples[i].time - samples[i - 1].time;
  const double after = samples[i + 1].time - samples[i].time;
  const Values rate_before = (values_of(samples[i]) - values_of(samples[i - 1])) / before;
  const Values rate_after = (values_of(samples[i + 1]) - values_of(samples[i])) / after;
  return (after * rate_before + before * rate_after) / (before + after);
}

}  // namespace

RigidMotion::RigidMotion(const Vec3& pivot, const Vec3& velocity, const Vec3& angular)
    : pivot_(pivot), velocity_(velocity), angular_(angular) {}

RigidMotion::RigidMotion(const Vec3& pivot, std::vector<MotionSample> samples, MotionInterpolation interpolation)
    : pivot_(pivot), samples_(std::move(samples)), interpolation_(interpolation) {
  FRESHET_EXPECT(!samples_.empty());
}

RigidMotion::RigidMotion(const Vec3& pivot, std::shared_ptr<const WaveMaker> paddle)
    : pivot_(pivot), paddle_(std::move(paddle)) {
  FRESHET_EXPECT(paddle_ != nullptr);
}

RigidMotion::RigidMotion(const Vec3& pivot, std::shared_ptr<const FreePath> path)
    : pivot_(pivot), path_(std::move(path)) {
  FRESHET_EXPECT(path_ != nullptr);
}

MotionSample RigidMotion::at(double time) const {
  if (path_) {
    const double since = time - path_->time;
    const Eigen::AngleAxisd turned(rotation_of(since * path_->angular) * path_->rotation);
    return {time, path_->pivot + since * path_->velocity - pivot_, turned.angle() * turned.axis()};
  }
  if (paddle_) return paddle_->at(time);
  if (samples_.empty()) return {time, velocity_ * time, angular_ * time};
  const auto after = std::upper_bound(samples_.begin(), samples_.end(), time,
                                      [](double t, const MotionSample& sample) { return t < sample.time; });
  MotionSample result = after == samples_.begin() ? samples_.front() : *(after - 1);
  result.time = time;
  if (after == samples_.begin() || after == samples_.end()) return result;
  const MotionSample& a = *(after - 1);
  const MotionSample& b = *after;
  const double h = b.time - a.time;
  const double s = (time - a.time) / h;
  Values values = (1.0 - s) * values_of(a) + s * values_of(b);
  if (interpolation_ == MotionInterpolation::smooth) {
    const auto i = static_cast<std::size_t>(after - samples_.begin());
    const double s2 = s * s;
    const double s3 = s2 * s;
    values = (2.0 * s3 - 3.0 * s2 + 1.0) * values_of(a) + (3.0 * s2 - 2.0 * s3) * values_of(b) +
             h * ((s3 - 2.0 * s2 + s) * slope_at(samples_, i - 1) + (s3 - s2) * slope_at(samples_, i));
  }
  result.translation = values.head<3>();
  result.turn = values.tail<3>();
  return result;
}

MotionRates RigidMotion::rates(double time, Side side) const {
  if (path_) return {path_->velocity, path_->angular};
  if (paddle_) return paddle_->rates(time);
  if (samples_.empty()) return {velocity_, angular_};
  const auto earlier = [](const MotionSample& sample, double t) { return sample.time < t; };
  const auto later = [](double t, const MotionSample& sample) { return t < sample.time; };
  const auto after = side == Side::after ? std::upper_bound(samples_.begin(), samples_.end(), time, later)
                                         : std::lower_bound(samples_.begin(), samples_.end(), time, earlier);
  if (after == samples_.begin() || after == samples_.end()) return {};
  const MotionSample& a = *(after - 1);
  const double h = after->time - a.time;
  Values rates = (values_of(*after) - values_of(a)) / h;
  if (interpolation_ == MotionInterpolation::smooth) {
    const auto i = static_cast<std::size_t>(after - samples_.begin());
    const double s = (time - a.time) / h;
    const double s2 = s * s;
    rates = 6.0 * (s - s2) * rates + (3.0 * s2 - 4.0 * s + 1.0) * slope_at(samples_, i - 1) +
            (3.0 * s2 - 2.0 * s) * slope_at(samples_, i);
  }
  return {rates.head<3>(), rates.tail<3>()};
}

double RigidMotion::next_stretch(double time) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (paddle_) {
    const double length = paddle_->quickest() / 16.0;
    return std::max(length * (std::floor(time / length) + 1.0), std::nextafter(time, infinity));
  }
  const auto after = std::upper_bound(samples_.begin(), samples_.end(), time,
                                      [](double t, const MotionSample& sample) { return t < sample.time; });
  if (after == samples_.end()) return infinity;
  if (after == samples_.begin() || interpolation_ == MotionInterpolation::linear) return after->time;
  const double quarter = 0.25 * (after->time - (after - 1)->time);
  for (const int n : {3, 2, 1})
    if (const double next = after->time - n * quarter; next > time) return next;
  return after->time;
}

Pose RigidMotion::pose(double time) const {
  if (path_) {
    const double since = time - path_->time;
    Pose pose;
    pose.rotation = rotation_of(since * path_->angular) * path_->rotation;
    pose.translation = path_->pivot + since * path_->velocity - pose.rotation * pivot_;
    return pose;
  }
  const MotionSample now = at(time);
  Pose pose;
  pose.rotation = rotation_of(now.turn);
  pose.translation = pivot_ + now.translation - pose.rotation * pivot_;
  return pose;
}

Twist RigidMotion::twist(double time, double dt) const {
  FRESHET_EXPECT(dt > 0.0);
  if (path_) return {path_->velocity, path_->angular, path_->pivot + (time - path_->time) * path_->velocity};
  const MotionSample from = at(time);
  const MotionSample to = at(time + dt);
  const Mat3 turned = rotation_of(to.turn) * rotation_of(from.turn).transpose();
  const Eigen::AngleAxisd relative(turned);
  const Vec3 turn = relative.angle() * relative.axis();
  Twist twist;
  twist.center = pivot_ + from.translation;
  twist.angular = turn / dt;
  twist.linear = inverse_left_jacobian(turn) * (to.translation - from.translation) / dt;
  return twist;
}

BoundingBall PosedShape::ball() const {
  const BoundingBall ball = shape_->ball();
  return {pose_.to_world(ball.center), ball.radius, ball.is_full};
}

Box PosedShape::bounds() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Box box = shape_->bounds();
  if ((box.lower.array() > box.upper.array()).any()) return {Vec3::Constant(infinity), Vec3::Constant(-infinity)};
  if (!box.lower.allFinite() || !box.upper.allFinite()) return {Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  const Eigen::AlignedBox3d standing(box.lower, box.upper);
  Eigen::AlignedBox3d moved;
  for (int corner = 0; corner < 8; ++corner)
    moved.extend(pose_.to_world(standing.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner))));
  return {moved.min(), moved.max()};
}

}  // namespace freshet
