// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/vortex.hpp"

#include "freshet/core/memory.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/keys/slots.hpp"
#include "freshet/transfer/deposit.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <vector>

namespace freshet {
namespace {

/// A block and confinement_reach cells around it: labels, velocities, vorticity.
template <class Shape>
class ConfinedBlock {
 public:
  ConfinedBlock(const LabelField& labels, const FaceField<double>& u, LocalIndex b) {
    const auto size = static_cast<std::size_t>(extents_.size());
    label_.resize(size);
    u_.resize(Shape::dim * size);
    omega_.resize(size);
    fill_tile(labels, b, extents_, label_.data());
    for (int d = 0; d < Shape::dim; ++d) fill_tile(u[d], b, extents_, u_.data() + static_cast<std::size_t>(d) * size);
    find_vorticity(0.5 / u.layout().domain().dx());
  }

  bool any_vorticity() const { return any_; }

  /// N x omega at a cell; false where its stencil is not all liquid. [1/s]
  bool direction(int i, int j, int k, Vec3& result) const {
    const int at = extents_.at(i, j, k);
    Vec3 rise = Vec3::Zero();  // change of |omega| over two cells
    if (!is_known(at)) return false;
    for (int axis = 0; axis < Shape::dim; ++axis) {
      const int before = at - extents_.stride(axis);
      const int after = at + extents_.stride(axis);
      if (!is_known(before) || !is_known(after)) return false;
      rise[axis] = omega_[after].size - omega_[before].size;
    }
    const double steepness = rise.norm();
    if (steepness > 0.0) {
      result = (rise / steepness).cross(omega_[at].vector);
    } else {
      result.setZero();
    }
    return true;
  }

 private:
  struct Vorticity {
    Vec3 vector;
    double size;  ///< -1: not known
  };

  bool is_known(int at) const { return omega_[at].size >= 0.0; }

  bool is_liquid_around(int at) const {
    if (label_[at] != Label::liquid) return false;
    for (int axis = 0; axis < Shape::dim; ++axis)
      if (label_[at - extents_.stride(axis)] != Label::liquid || label_[at + extents_.stride(axis)] != Label::liquid)
        return false;
    return true;
  }

  /// Twice component d at a cell's centre.
  double twice(int d, int at) const {
    const double* u = u_.data() + static_cast<std::ptrdiff_t>(d) * extents_.size();
    return u[at] + u[at + extents_.stride(d)];
  }

  /// du_d / dx_axis at a cell's centre. \param[in] scale  1 / (2 dx)
  double slope(int d, int axis, int at, double scale) const {
    if (d >= Shape::dim || axis >= Shape::dim) return 0.0;
    return 0.5 * scale * (twice(d, at + extents_.stride(axis)) - twice(d, at - extents_.stride(axis)));
  }

  void find_vorticity(double scale) {
    constexpr int margin = confinement_reach - 1;
    constexpr int k_margin = Shape::dim == 3 ? margin : 0;
    for (Vorticity& omega : omega_) omega.size = -1.0;
    for (int k = -k_margin; k < Shape::nz + k_margin; ++k)
      for (int j = -margin; j < Shape::ny + margin; ++j)
        for (int i = -margin; i < Shape::nx + margin; ++i) {
          const int at = extents_.at(i, j, k);
          if (!is_liquid_around(at)) continue;
          const Vec3 omega(slope(2, 1, at, scale) - slope(1, 2, at, scale),
                           slope(0, 2, at, scale) - slope(2, 0, at, scale),
                           slope(1, 0, at, scale) - slope(0, 1, at, scale));
          omega_[at] = {omega, omega.norm()};
          any_ = true;
        }
  }

  const TileExtents<Shape> extents_{confinement_reach};
  inline static thread_local TrackedVector<Label, MemoryKind::scratch> label_;
  inline static thread_local TrackedVector<double, MemoryKind::scratch> u_;
  inline static thread_local std::vector<Vorticity> omega_;
  bool any_ = false;
};

/// Add the force to the faces of a block. It is not inlined: the compiler contracts products and sums as it likes in
/// each copy, and loops over blocks have one for a single thread and one for several.
/// \param[in] change  dt eps dx [s m/s]
template <class Shape>
void confine_block(const ConfinedBlock<Shape>& block, double change, LocalIndex b, FaceField<double>& velocity) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) {
        Vec3 here, below;
        if (!block.direction(i, j, k, here)) continue;
        for (int d = 0; d < Shape::dim; ++d)
          if (block.direction(i - (d == 0), j - (d == 1), k - (d == 2), below))
            velocity[d].block(b)[Shape::cell(i, j, k)] += change * 0.5 * (here[d] + below[d]);
      }
}

}  // namespace

void confine_vorticity(const LabelField& labels, const FaceField<double>& u, double strength, double dt,
                       FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  FRESHET_EXPECT(u[0].is_bound_to(layout) && &u != &velocity);
  const double change = dt * strength * layout.domain().dx();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const ConfinedBlock<Shape> block(labels, u, b);
      if (block.any_vorticity()) confine_block(block, change, b, velocity);
    });
  });
}

double VorticityConfinement::largest_acceleration(double /*time*/, double speed) const {
  return 2.0 * std::sqrt(3.0) * strength_ * speed;
}

void boost_by_weights(const FaceField<double>& vortex_velocity, double boost, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
  for (int d = 0; d < velocity.dimension(); ++d) {
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b)
      for (int c = 0; c < cells; ++c)
        velocity[d].block(b)[c] += vortex_weight_factor * boost * vortex_velocity[d].block(b)[c];
  }
}

void VortexBoost::operator()(const ParticleStore& particles, Deposit& deposit, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  velocity_.reset(layout);
  weight_.reset(layout);
  deposit(particles, layout, velocity_, weight_, DepositKernel::vortex);
  boost_by_weights(velocity_, boost_, velocity);
}

keys::Keys keys_of(VortexOptions& vortex) {
  using namespace keys;
  return {
      {"boost", number(vortex.boost, {0.0, 1e3}), "",
       "Strength of the vortex boost; 0: off. With confinement it is the epsilon of the method [1/s]. With weights it "
       "is a pure number, and the method's source takes at most 1."},
      {"method", choice(vortex.method, {"confinement", "weights"}), "",
       "How vortices are boosted: by vorticity confinement (Fedkiw, Stam & Jensen 2001), or by heavier weights in the "
       "deposit (Ioannidis 2012, Table 20). Weights are not Galilean-invariant: a uniform velocity grows as well."},
  };
}

std::unique_ptr<ForceTerm> make_force(const VortexOptions& vortex, const Domain& /*domain*/,
                                      const FluidOptions& /*fluid*/) {
  const bool confines = vortex.method == VortexMethod::confinement && vortex.boost > 0.0;
  return confines ? std::make_unique<VorticityConfinement>(vortex.boost) : nullptr;
}

}  // namespace freshet
