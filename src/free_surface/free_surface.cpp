// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/free_surface.hpp"

#include "freshet/fluid/inner_cells.hpp"
#include "freshet/free_surface/labels.hpp"
#include "freshet/free_surface/surface_fit.hpp"
#include "freshet/free_surface/surface_relaxation.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace freshet {

FreeSurface::FreeSurface(const FreeSurfaceOptions& options, std::shared_ptr<ScratchMemory> memory)
    : options_(options),
      find_distance_(options.per_cell, has_tension() ? std::optional(options.fluid.contact_angle) : std::nullopt,
                     std::move(memory)),
      find_curvature_(options.fluid.contact_angle),
      find_lines_(options.fluid.contact_angle) {}

void FreeSurface::reset(const BlockLayout& layout) {
  labels_.reset(layout, Label::solid);
  labels_.fill(Label::solid);  // ghosts that no exchange reaches
}

GhostRequest FreeSurface::begin_find(const ParticleStore& particles, const SolidFields& solids,
                                     const CellField<std::uint8_t>* bulk) {
  has_begun_ = true;
  if (!labels_all_particles()) {
    occupied_.reset(labels_.layout(), Label::solid);
    occupied_.fill(Label::solid);  // ghosts that no exchange reaches
  }
  n_occupied_ = label_cells(particles, solids, reached(), 0, bulk);
  return labels_.layout().halo().request(has_level_set() ? SurfaceDistance::near_within : 1, reached());
}

GlobalIndex FreeSurface::find(const ParticleStore& particles, const SolidFields& solids,
                              const CellField<std::uint8_t>* bulk) {
  if (!has_begun_) Halo::gather(begin_find(particles, solids, bulk));
  has_begun_ = false;
  if (labels_all_particles()) return n_occupied_;
  if (has_level_set()) {
    find_distance_(particles, solids, occupied_, distance_);
    return label_cells_by_distance(distance_, solids, occupied_, labels_, planes_);
  }
  neighbours_.gather(particles, labels_.layout());
  return label_cells_by_density(particles, neighbours_, solids, options_.labels.alpha, options_.per_axis, labels_);
}

void FreeSurface::find_shape(const SolidFields& solids, const NearLiquid& near_liquid) {
  if (has_tension()) find_curvature_(distance_, solids, curvature_, near_liquid());
  find_inner_cells(labels_, solids, inner_cells_);
}

std::span<const LinePull> FreeSurface::find_contact_lines(const SolidFields& solids) {
  return has_tension() ? find_lines_(distance_, solids) : std::span<const LinePull>{};
}

void FreeSurface::correct_deposit(const SolidFields& solids, FaceField<double>& weight, FaceField<double>& velocity) {
  if (!reads_weights(solids)) return;
  if (!has_level_set()) planes_.find(labels_);
  fill_unreached_faces_(planes_, weight, velocity);
  if (has_level_set() && !options_.deposits_at_faces) shift_to_faces_(distance_, planes_, solids, weight, velocity);
}

void FreeSurface::correct_air(const SolidFields& solids, double fastest, FaceField<double>& velocity) {
  if (has_level_set()) remove_air_divergence_(occupied_, solids, fastest, velocity);
}

void FreeSurface::fit_to(const std::vector<std::shared_ptr<const Shape>>& shapes, const SolidFields& solids,
                         double gain, FaceField<double>& displacement) {
  const Halo& halo = labels_.layout().halo();
  halo.gather_together(2, labels_, distance_);
  find_surface_fit(distance_, labels_, solids, shapes, gain, displacement);
}

const FaceField<double>* FreeSurface::find_smoothing(const SolidFields& solids, double dt, double dx) {
  constexpr double rate = 0.1;  // factor of 1 / capillary_time(); larger ones disturb drops by the particles' noise
  if (!has_tension()) return nullptr;
  return &smoothing_(distance_, labels_, solids, find_curvature_.smooth_surface(),
                     1.0 - std::exp(-rate * dt / capillary_time(dx)));
}

void FreeSurface::relax(const FaceField<double>& velocity, double dt, double dx, ParticleStore& particles) const {
  constexpr double rate = 3.0;  // factor of 1 / capillary_time(); with smaller ones drops lose particles
  if (has_tension()) relax_at_surface(velocity, distance_, std::exp(-rate * dt / capillary_time(dx)), particles);
}

void FreeSurface::distances(LocalIndex block, double* values) const {
  const int n = labels_.layout().cells_per_block();
  if (has_level_set()) {
    std::copy_n(distance_.block(block), n, values);
  } else {
    std::transform(labels_.block(block), labels_.block(block) + n, values,
                   [](Label label) { return label == Label::liquid ? -1.0 : 0.0; });
  }
}

void FreeSurface::air_parts(LocalIndex block, double* values) const {
  const Label* label = labels_.block(block);
  const float* phi = has_level_set() ? distance_.block(block) : nullptr;
  for (int c = 0; c < labels_.layout().cells_per_block(); ++c) {
    const double part =
        phi != nullptr ? std::clamp(0.5 + static_cast<double>(phi[c]), 0.0, 1.0) : (label[c] == Label::air ? 1.0 : 0.0);
    values[c] = label[c] == Label::solid ? 0.0 : part;
  }
}

double FreeSurface::longest_step(double dx) const {
  if (!has_tension()) return std::numeric_limits<double>::infinity();
  return capillary_step(options_.fluid.density, dx, options_.fluid.surface_tension);
}

/// Time in which surface tension stops motion at the scale of a cell: sqrt(rho dx^3 / sigma). [s]
double FreeSurface::capillary_time(double dx) const {
  return std::sqrt(options_.fluid.density * (dx * dx * dx) / options_.fluid.surface_tension);
}

}  // namespace freshet
