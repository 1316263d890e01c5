// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/prescribed.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

/// Component d at a point, without its factor in time.
double component(int d, const Vec3& x) {
  const Vec3 twice = (2.0 * std::numbers::pi * x).array().sin();
  const double s = std::sin(std::numbers::pi * x[d]);
  const double others = twice[(d + 1) % 3] * twice[(d + 2) % 3];
  return (d == 0 ? 2.0 : -1.0) * s * s * others;
}

}  // namespace

void set_enright_velocity(double time, FaceField<double>& velocity) {
  using Shape = BlockShape<3>;
  FRESHET_EXPECT(velocity.dimension() == 3);
  const BlockLayout& layout = velocity.layout();
  const Domain& domain = layout.domain();
  const double factor = std::cos(std::numbers::pi * time / enright_period);
  const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b)
    for (int c = 0; c < Shape::cells; ++c) {
      const Vec3i cell = layout.first_cell(b) + Shape::place(c);
      for (int d = 0; d < 3; ++d) {
        Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
        x[d] -= 0.5;
        velocity[d].block(b)[c] = factor * component(d, domain.origin() + domain.dx() * x);
      }
    }
}

void set_zalesak_velocity(FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const Domain& domain = layout.domain();
  const double rate = 2.0 * std::numbers::pi / zalesak_period;
  with_shape(domain.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const Vec3 corner = layout.first_cell(b).cast<double>();
      for (int c = 0; c < Shape::cells; ++c) {
        const Vec3 cell = corner + Shape::place(c).template cast<double>();
        const Vec3 r = domain.origin() + domain.dx() * (cell + Vec3::Constant(0.5)) - Vec3::Constant(0.5);
        velocity[0].block(b)[c] = -rate * r.y();
        velocity[1].block(b)[c] = rate * r.x();
        if (Shape::dim == 3) velocity[2].block(b)[c] = 0.0;
      }
    });
  });
}

void set_prescribed_velocity(MotionField field, double time, FaceField<double>& velocity) {
  FRESHET_EXPECT(field != MotionField::solve);
  if (field == MotionField::enright)
    set_enright_velocity(time, velocity);
  else
    set_zalesak_velocity(velocity);
}

double prescribed_speed(MotionField field) {
  return field == MotionField::enright ? enright_speed : std::numbers::pi / zalesak_period;
}

}  // namespace freshet
