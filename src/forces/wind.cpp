// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/wind.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/keys/slots.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// Least mass of a face at the surface and the one above it, as a part of a full cell's: under a flat surface they have
/// half of it, at crests and drops less, which wind would blow away.
constexpr double least_filling = 0.25;

}  // namespace

Wind::Wind(const WindOptions& wind, const Domain& domain, const FluidOptions& fluid)
    : domain_(domain), velocity_(wind.velocity), rate_(wind.drag * wind.density / (fluid.density * domain.dx())) {
  FRESHET_EXPECT(!fluid.gravity.isZero(0.0));
  fluid.gravity.cwiseAbs().maxCoeff(&axis_);
  up_ = fluid.gravity[axis_] < 0.0 ? 1 : -1;
  velocity_[axis_] = 0.0;
}

double Wind::largest_acceleration(double /*time*/, double speed) const {
  const double relative = velocity_.norm() + speed;
  return rate_ * relative * relative / least_filling;
}

void Wind::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  FRESHET_EXPECT(flow.weight != nullptr);
  const BlockLayout& layout = velocity.layout();
  with_shape(domain_.dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const Tile<Label, Block, 1> label(flow.labels, b);
      const FaceTile<double, Block, 1> weight(*flow.weight, b);
      FaceTile<double, Block, 1> u;
      fill_with_sides(flow.velocity, b, u);
      const int up = up_ * label.extents.stride(axis_);
      const auto is_blown_on = [&](int at) {
        return label[at] == Label::liquid && label[at + up] == Label::air ? 0.5 : 0.0;
      };
      /// Sum over the cells on both sides of a face that wind blows on, over the mass of the face and the one above it.
      const auto share_of = [&](int d, int at) {
        const double share = is_blown_on(at) + is_blown_on(at - label.extents.stride(d));
        if (share == 0.0) return 0.0;
        const double* of_face = weight[d] + at;
        return share / std::max((of_face[0] + of_face[up]) / flow.particles_per_cell, least_filling);
      };
      for (int c = 0; c < Block::cells; ++c) {
        const Vec3i n = Block::place(c);
        const int at = label.extents.at(n);
        for (int d = 0; d < Block::dim; ++d) {
          if (d == axis_) continue;
          // the face's own, and that of the face below; diagonal neighbours are within the ghosts
          const double share = share_of(d, at) + share_of(d, at - up);
          if (share == 0.0) continue;
          Vec3 relative = velocity_ - velocity_at_face(u, d, n);
          relative[axis_] = 0.0;
          velocity[d].block(b)[c] += dt * share * rate_ * relative.norm() * relative[d];
        }
      }
    });
  });
}

keys::Keys keys_of(WindOptions& wind) {
  using namespace keys;
  return {
      {"velocity", vector(wind.velocity, ThirdEntry::must_vanish, 1e4), "m/s",
       "Velocity of the wind, whose drag moves the liquid's upper surface. 0: no wind."},
      {"drag", number(wind.drag, {0.0, 1.0}), "",
       "Drag coefficient of the wind: the stress is this times the density of air times the square of the velocity of "
       "the wind relative to the liquid."},
      {"density", number(wind.density, {0.0, 1e6}), "kg/m^3", "Density of the air."},
  };
}

void check_force(const WindOptions& wind, const ForceScene& scene, const keys::Table& table) {
  const Vec3& gravity = scene.fluid.gravity;
  if (wind.velocity.isZero(0.0)) return;
  table.require(!gravity.isZero(0.0), "fluid.wind.velocity", "is given without gravity",
                "the wind blows over the surface that faces up", "Set fluid.gravity, or leave the wind out");
  Vec3::Index vertical = 0;
  gravity.cwiseAbs().maxCoeff(&vertical);
  Vec3 along = wind.velocity;
  along[vertical] = 0.0;
  table.require(!along.isZero(0.0), "fluid.wind.velocity", "is vertical", "the wind blows along the surface",
                "Give a velocity across fluid.gravity");
}

std::unique_ptr<ForceTerm> make_force(const WindOptions& wind, const Domain& domain, const FluidOptions& fluid) {
  const bool blows = !wind.velocity.isZero(0.0) && wind.drag * wind.density > 0.0;
  return blows && !fluid.gravity.isZero(0.0) ? std::make_unique<Wind>(wind, domain, fluid) : nullptr;
}

}  // namespace freshet
