// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/periodic_copies.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double near_side = 3.0;  ///< distance from a side within which a body affects the other side [cells]

double length_of(const Domain& domain, int axis) {
  return domain.dx() * domain.cells()[axis];
}

/// Whether the sections of a shape at the two sides of a periodic axis are the same, within a cell.
bool ends_fit(const Domain& domain, const Shape& shape, int axis) {
  constexpr int most_samples = 128;  // along each axis
  const int b = axis == 0 ? 1 : 0;
  const int c = axis == 2 ? 1 : 2;
  const auto samples = [&](int d) { return std::min(domain.cells()[d], most_samples); };
  for (int k = 0; k < samples(c); ++k)
    for (int j = 0; j < samples(b); ++j) {
      Vec3 x = domain.origin();
      x[b] += (j + 0.5) / samples(b) * length_of(domain, b);
      x[c] += (k + 0.5) / samples(c) * length_of(domain, c);
      const double low = shape.signed_distance(x);
      x[axis] += length_of(domain, axis);
      const double high = shape.signed_distance(x);
      if ((low > 0.0) != (high > 0.0) && std::abs(high - low) > domain.dx()) return false;
    }
  return true;
}

/// A body in messages. \param[in] where  of each body in the case file, or shorter
std::string name_of(std::size_t body, const std::vector<std::string>& where) {
  const std::string place = body < where.size() && !where[body].empty() ? where[body] + ": " : "";
  return place + fmt::format("solid.{}", body);
}

/// \param[in] name  of the body, for the message
void expect_ends_fit(const Domain& domain, const SolidBody& body, int axis, double end_time, const std::string& name) {
  const int n_times = body.motion ? 9 : 1;
  for (int n = 0; n < n_times; ++n) {
    const double time = n == 0 ? 0.0 : end_time * n / (n_times - 1);
    if (ends_fit(domain, *body.shape_at(time), axis)) continue;
    throw InputError(
        fmt::format("{0} reaches through the whole domain along {1}, which is periodic, and its ends at {1}_low and "
                    "{1}_high do not "
                    "fit together at t = {2:.3g} s (a body that is shorter than the domain may lie across a periodic "
                    "side). Make it "
                    "shorter, let its ends fit, or give the sides another condition",
                    name, "xyz"[axis], time));
  }
}

/// The copies that a body needs along one axis, by the number of periods; none for a body longer than the domain.
std::vector<int> copies_along(const Domain& domain, const SolidBody& body, int axis) {
  const double length = length_of(domain, axis), margin = near_side * domain.dx();
  const Box box = body.shape_at(0.0)->bounds();
  const double size = box.upper[axis] - box.lower[axis];
  if (!std::isfinite(size) || !(size < length)) return {};
  if (body.motion) return {-1, 1};
  std::vector<int> numbers;
  const double low = domain.origin()[axis];
  for (const int number : {-1, 1})
    if (box.upper[axis] + number * length > low - margin && box.lower[axis] + number * length < low + length + margin)
      numbers.push_back(number);
  const bool is_inside = box.upper[axis] > low - margin && box.lower[axis] < low + length + margin;
  return is_inside ? numbers : std::vector<int>{};
}

}  // namespace

std::vector<SolidBody> with_periodic_copies(const Domain& domain, std::vector<SolidBody> bodies, double end_time,
                                            const std::vector<std::string>& where) {
  const std::size_t n_bodies = bodies.size();
  for (std::size_t n = 0; n < n_bodies; ++n) {
    std::vector<Vec3i> numbers{Vec3i::Zero()};
    PeriodicCopy copy;
    copy.origin = domain.origin();
    for (int axis = 0; axis < domain.dimension(); ++axis) {
      if (!domain.periodic(axis)) continue;
      const std::vector<int> along = copies_along(domain, bodies[n], axis);
      if (along.empty()) expect_ends_fit(domain, bodies[n], axis, end_time, name_of(n, where));
      if (along.empty()) continue;
      copy.period[axis] = length_of(domain, axis);
      const std::vector<Vec3i> before = numbers;
      for (const int number : along)
        for (const Vec3i& other : before) numbers.push_back(other + number * Vec3i::Unit(axis));
    }
    if (numbers.size() == 1) continue;
    bodies[n].copy = copy;
    copy.of = static_cast<int>(n);
    for (const Vec3i& number : numbers) {
      if (number.isZero()) continue;
      bodies.push_back(bodies[n]);
      bodies.back().copy = copy;
      bodies.back().copy.number = number;
    }
  }
  return bodies;
}

int copy_of_body(const std::vector<SolidBody>& bodies, int body, const Vec3i& periods) {
  if (periods.isZero()) return body;
  const Vec3i number = bodies[static_cast<std::size_t>(body)].copy.number + periods;
  const int original = number_of_body(bodies, body);
  for (std::size_t n = 0; n < bodies.size(); ++n)
    if (number_of_body(bodies, static_cast<int>(n)) == original && bodies[n].copy.number == number)
      return static_cast<int>(n);
  return body;
}

}  // namespace freshet
