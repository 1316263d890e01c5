// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/turbulence.hpp"

#include "freshet/grid/halo.hpp"

namespace freshet {

Turbulence::Turbulence(const DomainOptions& domain, const TurbulenceOptions& options, double viscosity, double density)
    : dx_(domain.cell_size),
      density_(density),
      viscosity_(viscosity / density),
      eddies_(options),
      walls_(domain.wall_roughness.sand_grains(), eddies_.reach()) {}

void Turbulence::operator()(FaceField<double>& before, LabelField& labels, const SolidFields& solids, double dt,
                            FaceField<double>& velocity) {
  lost_ = {};
  act(before, labels, solids, dt, &velocity);
}

void Turbulence::measure(FaceField<double>& velocity, LabelField& labels, const SolidFields& solids, double dt) {
  const ExactSum lost = lost_;
  if (dt > 0.0) act(velocity, labels, solids, dt, nullptr);
  lost_ = lost;
}

void Turbulence::act(FaceField<double>& before, LabelField& labels, const SolidFields& solids, double dt,
                     FaceField<double>* velocity) {
  const BlockLayout& layout = labels.layout();
  has_eddies_ = eddies_.is_on();
  has_walls_ = WallFaces::any(layout.domain(), solids.bodies());
  if (!has_walls_ && !has_eddies_) return;
  layout.halo().gather_together(1, before, labels);
  walls_.update(layout, solids);
  const EddyInput flow{before, labels, solids, dt};
  if (has_eddies_) {
    eddies_.find(flow, walls_, viscosity_);
    if (velocity != nullptr) eddies_.apply(flow, *velocity, lost_);
  }
  if (has_walls_) wall_law_.apply(flow, walls_, viscosity_, density_, velocity, lost_);
}

void Turbulence::add_to(Reduction& reduction) {
  if (!has_eddies_ && !has_walls_) return;
  total_ = lost_;
  reduction.sum(total_);
}

std::span<const HeldForce> Turbulence::forces(std::span<const HeldForce> others) {
  if (wall_law_.forces().empty()) return others;
  forces_.assign(others.begin(), others.end());
  forces_.insert(forces_.end(), wall_law_.forces().begin(), wall_law_.forces().end());
  return forces_;
}

}  // namespace freshet
