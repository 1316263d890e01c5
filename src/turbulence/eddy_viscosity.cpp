// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/eddy_viscosity.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/regrid.hpp"
#include "turbulence/eddy_block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freshet {
namespace {

constexpr float von_karman = 0.4F;
constexpr float damping_length = 26.0F;  // A+ of van Driest (1956)

/// 1 - exp(-d+ / A+). \param[in] distance  [cells] \param[in] total  nu + nu_t without damping [dx^2 / dt]
float van_driest(float distance, float total, float rate, float molecular) {
  constexpr float far = 15.0F;  // e^-15 is less than the rounding of 1
  const float exponent = distance * std::sqrt(total * rate);
  if (exponent >= far * molecular * damping_length) return 1.0F;
  return -std::expm1(-exponent / (molecular * damping_length));
}

}  // namespace

EddyViscosity::EddyViscosity(const TurbulenceOptions& options)
    : options_(options), constant_(options.constant > 0.0 ? options.constant : default_constant(options.model)) {}

float EddyViscosity::reach() const {
  constexpr float of_damping = 4.0F, far = 1e6F;
  switch (options_.model) {
    case TurbulenceModel::smagorinsky:
      return of_damping;
    case TurbulenceModel::mixing_length:
      return far;
    default:
      return 0.0F;
  }
}

template <class Shape>
void EddyViscosity::find_in_block(const EddyInput& flow, const WallFaces& walls, double viscosity, LocalIndex block) {
  float* const result = viscosity_.block(block);
  std::fill_n(result, Shape::cells, 0.0F);
  static thread_local turbulence::EddyBlock<Shape> eddies;
  if (!eddies.look_at(flow, block)) return;
  eddies.read(flow, block);
  const float* const distances = walls.distances(block);
  const bool by_distance = options_.model == TurbulenceModel::mixing_length;
  if (by_distance && distances == nullptr) return;
  const auto constant = static_cast<float>(constant_);
  const float longest = by_distance ? constant * *std::max_element(distances, distances + Shape::cells) : constant;
  // the rate is at most 6 times the largest difference: nine components, and 4 sum g^2 bounds |S|^2
  if (longest * longest * 6.0F * eddies.range() < static_cast<float>(negligible_viscosity)) return;
  const double dx = flow.labels.layout().domain().dx();
  const double unit = dx * dx / flow.dt;
  const auto molecular = static_cast<float>(viscosity / unit);
  const bool is_wale = options_.model == TurbulenceModel::wale;
  if (is_wale)
    eddies.find_wale_rates();
  else
    eddies.find_shear_rates();
  const auto most = static_cast<float>(largest_viscosity * (by_distance ? most_substeps : 1));
  for (int c = 0; c < Shape::cells; ++c) {
    const int n = TileExtents<Shape>(1).of_cell(c);
    if (by_distance ? !eddies.is_liquid(n) : !eddies.is_inside(n)) continue;
    const float rate = eddies.rate(n);
    float length = constant;
    if (distances != nullptr && !is_wale) {
      length = by_distance ? constant * distances[c] : std::min(constant, von_karman * distances[c]);
      length *= van_driest(distances[c], molecular + length * length * rate, rate, molecular);
    }
    const float nu_t = std::min(length * length * rate, most);
    result[c] = static_cast<float>(static_cast<double>(nu_t) * unit);
    if (by_distance && !eddies.is_inside(n)) beside_air_.block(block)[c] = 1;
  }
}

void EddyViscosity::find(const EddyInput& flow, const WallFaces& walls, double viscosity) {
  const BlockLayout& layout = flow.labels.layout();
  viscosity_.reset(layout, 0.0F);
  const bool by_distance = options_.model == TurbulenceModel::mixing_length;
  if (by_distance) {
    beside_air_.reset(layout, std::uint8_t{0});
    beside_air_.fill(0);
  }
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(),
                        [&](LocalIndex block) { find_in_block<decltype(shape)>(flow, walls, viscosity, block); });
  });
  layout.halo().gather(viscosity_, 1);
  if (!by_distance) return;
  layout.halo().gather(beside_air_, 1);
  count_substeps(flow);
}

void EddyViscosity::count_substeps(const EddyInput& flow) {
  const BlockLayout& layout = flow.labels.layout();
  const std::size_t n = static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
  const float here = n > 0 ? *std::max_element(viscosity_.data(), viscosity_.data() + n) : 0.0F;
  const double dx = layout.domain().dx();
  const double largest = layout.comm().max(static_cast<double>(here)) * flow.dt / (dx * dx);
  constexpr double rounding = 1e-6;
  constexpr double most = 1e6;  // a velocity that is not a number ends the step later
  const double n_needed = std::ceil(largest / largest_viscosity - rounding);
  n_substeps_ = n_needed > 1.0 ? static_cast<int>(std::min(n_needed, most)) : 1;
}

/// \return the kinetic energy that the stress takes in the block
template <class Shape>
double EddyViscosity::apply_in_block(const EddyInput& flow, FaceField<double>& velocity, LocalIndex block) const {
  using Block = turbulence::EddyBlock<Shape>;
  Tile<float, Shape, 1> nu_t(viscosity_, block);
  if (std::all_of(nu_t.begin(), nu_t.end(), [](float value) { return value == 0.0F; })) return 0.0;
  static thread_local Block eddies;
  if (!eddies.look_at(flow, block)) return 0.0;
  eddies.read(flow, block);
  const double dx = flow.labels.layout().domain().dx();
  const auto scale = static_cast<float>(flow.dt / (dx * dx));
  for (float& value : nu_t) value *= scale;
  Tile<float, Shape, 1> below_surface;  // nu_t without cells beside air, where it is not 0 with the mixing length only
  const float* of_normals = nu_t.data();
  if (options_.model == TurbulenceModel::mixing_length) {
    const Tile<std::uint8_t, Shape, 1> beside_air(beside_air_, block);
    for (int n = 0; n < nu_t.size; ++n) below_surface[n] = beside_air[n] != 0 ? 0.0F : nu_t[n];
    of_normals = below_surface.data();
  }
  eddies.find_forces(nu_t.data(), of_normals);
  double lost[Shape::nx] = {};  // by column of the block
  for (int d = 0; d < Shape::dim; ++d) {
    double* const u = velocity[d].block(block);
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j) {
        double* const row = u + Shape::cell(0, j, k);
        const int n = nu_t.extents.at(0, j, k);
        for (int i = 0; i < Shape::nx; ++i) {
          const double change = static_cast<double>(eddies.change(d, n + i)) * (dx / flow.dt);
          lost[i] -= change * (row[i] + 0.5 * change);
          row[i] += change;
        }
      }
  }
  return std::accumulate(lost, lost + Shape::nx, 0.0);
}

void EddyViscosity::apply_once(const EddyInput& flow, FaceField<double>& velocity, ExactSum& lost) const {
  const BlockLayout& layout = flow.labels.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const auto lost_in = [&](LocalIndex block) { return apply_in_block<decltype(shape)>(flow, velocity, block); };
    ThreadShares& shares = share_out(layout.n_owned());
#pragma omp parallel
    {
      ExactSum part;
      shares.work(omp_get_thread_num(), [&](LocalIndex block) { part.add(lost_in(block)); });
#pragma omp critical(freshet_eddy_energy)
      lost.add(part);
    }
  });
}

/// Each sub-step takes energy from its own velocity; what the sum of all changes takes from `velocity` differs from
/// that by their product with the change that other forces have made in the step.
void EddyViscosity::apply(const EddyInput& flow, FaceField<double>& velocity, ExactSum& lost) {
  if (n_substeps_ == 1) return apply_once(flow, velocity, lost);
  const BlockLayout& layout = flow.labels.layout();
  for (FaceField<double>* field : {&now_, &next_}) {
    field->reset(layout, 0.0);
    copy_owned(flow.velocity, *field);
  }
  for (int n = 0; n < n_substeps_; ++n) {
    layout.halo().gather(now_, 1);
    apply_once({now_, flow.labels, flow.solids, flow.dt / n_substeps_}, next_, lost);
    copy_owned(next_, now_);
  }
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    for (int d = 0; d < velocity.dimension(); ++d)
      for (int c = 0; c < layout.cells_per_block(); ++c)
        velocity[d].block(block)[c] += next_[d].block(block)[c] - flow.velocity[d].block(block)[c];
  });
}

}  // namespace freshet
