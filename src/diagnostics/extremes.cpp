// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/extremes.hpp"

#include "freshet/core/contracts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Make magnitudes comparable: NaN becomes infinite.
double comparable(double magnitude) {
  return magnitude <= infinity ? magnitude : infinity;
}

struct Place {
  double magnitude = -1.0;  ///< -1 if this rank has no face or particle
  LocalIndex block = 0;
  ParticleIndex index = 0;  ///< index of the cell in its block, or of the particle
  int axis = 0;
  void take(double value, LocalIndex in_block, ParticleIndex at, int along) {
    if (comparable(value) > magnitude) *this = {comparable(value), in_block, at, along};
  }
};

/// The description by the lowest rank that has the largest magnitude; all ranks get it.
template <class Describe>
std::string from_largest(const Communicator& comm, const Place& place, const char* if_none, Describe&& describe) {
  const double largest = comm.max(place.magnitude);
  if (largest < 0.0) return if_none;
  const bool is_here = place.magnitude == largest;
  const GlobalIndex rank = comm.min(GlobalIndex{is_here ? comm.rank() : comm.size()});
  return comm.broadcast(comm.rank() == rank ? describe() : std::string(), static_cast<int>(rank));
}

std::string text_of(const Vec3i& cell) {
  return fmt::format("({}, {}, {})", cell.x(), cell.y(), cell.z());
}
std::string text_of(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x.x(), x.y(), x.z());
}

bool is_finite(const ParticleStore& particles, ParticleIndex p) {
  bool finite = true;
  for (int d = 0; d < 3; ++d)
    finite = finite && std::isfinite(particles.position()[3 * p + d]) && std::isfinite(particles.velocity()[3 * p + d]);
  return finite;
}

Vec3 velocity_of(const ParticleStore& particles, ParticleIndex p) {
  const ParticleReal* u = particles.velocity() + 3 * p;
  return {u[0], u[1], u[2]};
}

}  // namespace

std::string describe_fastest_face(const FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  Place place;
  for (int d = 0; d < velocity.dimension(); ++d)
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) place.take(std::abs(velocity[d].block(b)[c]), b, c, d);
  return from_largest(layout.comm(), place, "No face exists.", [&] {
    const Domain& domain = layout.domain();
    const Vec3i n = domain.block_cells();
    const auto c = static_cast<int>(place.index);
    const Vec3i cell = layout.first_cell(place.block) + Vec3i{c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y())};
    return fmt::format("Fastest face: {:.6g} m/s through the low {} face of cell {} at {} m, rank {}.",
                       velocity[place.axis].block(place.block)[c], "xyz"[place.axis], text_of(cell),
                       text_of(Vec3(domain.origin() + domain.dx() * cell.cast<double>())), layout.comm().rank());
  });
}

std::string describe_fastest_particle(const ParticleStore& particles, const BlockLayout& layout) {
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  Place place;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p)
      place.take(is_finite(particles, p) ? velocity_of(particles, p).norm() : infinity, b, p, 0);
  return from_largest(layout.comm(), place, "No particle is left.", [&] {
    const Domain& domain = layout.domain();
    const ParticleReal* x = particles.position() + 3 * place.index;
    const Vec3 cells = layout.first_cell(place.block).cast<double>() + Vec3(x[0], x[1], x[2]);
    const std::string where = cells.allFinite() ? "cell " + text_of(Vec3i(cells.cast<int>()))
                                                : "block " + text_of(layout.block_coords(place.block));
    return fmt::format("Fastest particle: id {} with velocity {} m/s in {} at {} m, rank {}.",
                       particles.id()[place.index], text_of(velocity_of(particles, place.index)), where,
                       text_of(Vec3(domain.origin() + domain.dx() * cells)), layout.comm().rank());
  });
}

bool all_finite(const ParticleStore& particles, const BlockLayout& layout) {
  const ParticleIndex n = particles.size();
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite)
  for (ParticleIndex p = 0; p < n; ++p) finite = finite && is_finite(particles, p);
  return layout.comm().all(finite);
}

}  // namespace freshet
