// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/reseeding.hpp"

#include "../particles/counter_random.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/particles/edit.hpp"
#include "velocity_around.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace freshet {
namespace {

constexpr int most_draws = 8;                   ///< of a place; in a solid all of them may be
constexpr std::uint64_t numbers_a_step = 4096;  ///< of a cell

/// What happens in one block.
struct BlockEdits {
  std::vector<NewParticle> added;
  std::vector<ParticleIndex> removed;
};

/// One cell with its particles, first .. first + n - 1 of the store.
struct Cell {
  LocalIndex block = 0;
  int number = 0;  ///< in its block
  Vec3i place;     ///< in its block
  ParticleIndex first = 0;
  int n = 0;
};

template <class Shape>
class BlockReseeding {
 public:
  BlockReseeding(const LabelField& labels, const CellField<std::uint8_t>& inner, const SolidFields& solids,
                 const FaceField<double>& velocity, const Parameters::Particles& parameters,
                 const ReseedingSource& source, const ParticleStore& particles)
      : labels_(labels),
        inner_(inner),
        solids_(solids),
        velocity_(velocity),
        parameters_(parameters),
        source_(source),
        particles_(particles) {}

  BlockEdits operator()(LocalIndex b) const {
    BlockEdits edits;
    const ParticleReal* x = particles_.position();
    const ParticleIndex end = particles_.block_begin()[b + 1];
    Cell cell{b, 0, Vec3i::Zero(), 0, 0};
    for (ParticleIndex p = particles_.block_begin()[b]; p < end; p = cell.first + cell.n) {
      cell.place = place_of(x + 3 * p);
      cell.number = Shape::cell(cell.place.x(), cell.place.y(), cell.place.z());
      cell.first = p;
      cell.n = 1;
      while (p + cell.n < end && place_of(x + 3 * (p + cell.n)) == cell.place) ++cell.n;
      if (labels_.block(b)[cell.number] != Label::liquid) continue;
      if (parameters_.reseeding.cells == ReseededCells::inner && inner_.block(b)[cell.number] == 0) continue;
      if (cell.n < parameters_.reseeding.min) add(cell, edits.added);
      if (cell.n > parameters_.reseeding.max) remove(cell, edits.removed);
    }
    if (!edits.added.empty()) give_velocity(b, edits.added);
    return edits;
  }

 private:
  static Vec3i place_of(const ParticleReal* x) {
    return {static_cast<int>(x[0]), static_cast<int>(x[1]), Shape::dim == 3 ? static_cast<int>(x[2]) : 0};
  }
  CellRandom random(const Cell& cell) const {
    return {source_.seed + 0x5eed, labels_.layout().first_cell(cell.block) + cell.place};
  }
  bool is_liquid(const Cell& cell, int axis, int side) const {
    Vec3i at = cell.place, offset = Vec3i::Zero();
    at[axis] += side;
    if (at[axis] < 0 || at[axis] >= Shape::n(axis)) offset[axis] = side;
    at[axis] -= offset[axis] * Shape::n(axis);
    const LocalIndex block =
        labels_.layout().neighbours(cell.block)[direction_index(offset.x(), offset.y(), offset.z())];
    return labels_.block(block)[Shape::cell(at.x(), at.y(), at.z())] == Label::liquid;
  }

  /// Where new particles of a cell may stand, relative to its block.
  void find_box(const Cell& cell, Vec3& lower, Vec3& upper) const {
    lower = Vec3::Constant(block_width);
    upper = Vec3::Zero();
    for (ParticleIndex p = cell.first; p < cell.first + cell.n; ++p)
      for (int d = 0; d < 3; ++d) {
        lower[d] = std::min<double>(lower[d], particles_.position()[3 * p + d]);
        upper[d] = std::max<double>(upper[d], particles_.position()[3 * p + d]);
      }
    bool any_liquid = false;
    for (int d = 0; d < Shape::dim; ++d) {
      const bool below = is_liquid(cell, d, -1), above = is_liquid(cell, d, 1);
      any_liquid = any_liquid || below || above;
      if (below) lower[d] = cell.place[d];
      if (above) upper[d] = cell.place[d] + 1.0;
    }
    if (any_liquid || cell.n > 1) return;
    const double half = 0.5 / parameters_.per_axis;
    for (int d = 0; d < Shape::dim; ++d) {
      lower[d] = std::max(lower[d] - half, static_cast<double>(cell.place[d]));
      upper[d] = std::min(upper[d] + half, cell.place[d] + 1.0);
    }
  }

  void add(const Cell& cell, std::vector<NewParticle>& added) const {
    Vec3 lower, upper;
    find_box(cell, lower, upper);
    const CellRandom numbers = random(cell);
    std::uint64_t counter = numbers_a_step * static_cast<std::uint64_t>(source_.step);
    for (int missing = parameters_.reseeding.min - cell.n; missing > 0; --missing) {
      NewParticle particle;
      particle.home = cell.block;
      int draw = 0;
      do {
        for (int d = 0; d < 3; ++d) {
          const double x = d < Shape::dim ? lower[d] + numbers.uniform(counter++) * (upper[d] - lower[d]) : 0.5;
          const auto end = static_cast<ParticleReal>(cell.place[d] + 1);
          particle.position[d] = std::min(static_cast<ParticleReal>(x), std::nextafter(end, ParticleReal{0}));
        }
      } while (is_in_solid(cell.block, particle.position) && ++draw < most_draws);
      if (draw == most_draws) continue;
      particle.like = nearest(cell, particle.position);
      particle.tag = particles_.tag()[particle.like];
      added.push_back(particle);
    }
  }

  bool is_in_solid(LocalIndex b, const ParticleReal* x) const {
    if (solids_.bodies().empty() || solids_.nearest(b) > 0.0F) return false;
    const Domain& domain = labels_.layout().domain();
    const Vec3 world =
        domain.origin() + domain.dx() * (labels_.layout().first_cell(b).cast<double>() + Vec3(x[0], x[1], x[2]));
    return std::any_of(solids_.shapes().begin(), solids_.shapes().end(),
                       [&](const auto& solid) { return solid->signed_distance(world) <= 0.0; });
  }

  ParticleIndex nearest(const Cell& cell, const ParticleReal* x) const {
    const auto distance = [&](ParticleIndex p) {
      double sum = 0.0;
      for (int d = 0; d < 3; ++d) sum += std::pow(particles_.position()[3 * p + d] - x[d], 2);
      return sum;
    };
    ParticleIndex best = cell.first;
    for (ParticleIndex p = cell.first + 1; p < cell.first + cell.n; ++p)
      if (distance(p) < distance(best) || (distance(p) == distance(best) && particles_.id()[p] < particles_.id()[best]))
        best = p;
    return best;
  }

  /// The particles with the lowest numbers go, each number drawn for its id.
  void remove(const Cell& cell, std::vector<ParticleIndex>& removed) const {
    const CellRandom numbers = random(cell);
    const std::uint64_t stream = static_cast<std::uint64_t>(source_.step) << 40U;
    std::vector<std::pair<double, ParticleIndex>> drawn;
    for (ParticleIndex p = cell.first; p < cell.first + cell.n; ++p)
      drawn.emplace_back(numbers.uniform(stream + particles_.id()[p]), p);
    std::sort(drawn.begin(), drawn.end());
    for (int n = 0; n < cell.n - parameters_.reseeding.max; ++n) removed.push_back(drawn[n].second);
  }

  void give_velocity(LocalIndex b, std::vector<NewParticle>& added) const {
    constexpr int pad = 1;
    const PaddedExtents<Shape> extents(pad);
    const PaddedVelocity<Shape> around = velocity_around(velocity_, b, extents);
    for (NewParticle& particle : added) {
      const GridMotion motion = grid_motion_at(around, particle.position, 1.0 / velocity_.layout().domain().dx());
      for (int d = 0; d < 3; ++d) particle.velocity[d] = static_cast<ParticleReal>(motion.velocity[d]);
    }
  }

  const LabelField& labels_;
  const CellField<std::uint8_t>& inner_;
  const SolidFields& solids_;
  const FaceField<double>& velocity_;
  const Parameters::Particles& parameters_;
  const ReseedingSource& source_;
  const ParticleStore& particles_;
};

/// Carry out what was found, block by block. Collective.
ReseedingReport apply(const BlockLayout& layout, const std::vector<BlockEdits>& edits, ParticleId first_id,
                      ParticleStore& particles) {
  GlobalIndex counts[2] = {0, 0};
  for (const BlockEdits& block : edits) {
    counts[0] += static_cast<GlobalIndex>(block.added.size());
    counts[1] += static_cast<GlobalIndex>(block.removed.size());
  }
  layout.comm().sum_in_place(std::span<GlobalIndex>(counts));
  if (counts[0] + counts[1] == 0) return {};
  std::vector<std::uint8_t> goes(static_cast<std::size_t>(particles.size()), 0);
  std::vector<NewParticle> added;
  for (const BlockEdits& block : edits) {
    for (const ParticleIndex p : block.removed) goes[static_cast<std::size_t>(p)] = 1;
    added.insert(added.end(), block.added.begin(), block.added.end());
  }
  std::vector<ParticleIndex> gone_before(goes.size() + 1, 0);
  for (std::size_t p = 0; p < goes.size(); ++p) gone_before[p + 1] = gone_before[p] + goes[p];
  for (NewParticle& particle : added) particle.like -= gone_before[static_cast<std::size_t>(particle.like)];
  open_for_edits(particles, layout);
  remove_particles(particles, goes);
  append_particles(layout.comm(), particles, added, first_id);
  return {counts[0], counts[1]};
}

}  // namespace

ReseedingReport reseed(const LabelField& labels, const CellField<std::uint8_t>& inner, const SolidFields& solids,
                       const FaceField<double>& velocity, const Parameters::Particles& parameters,
                       const ReseedingSource& source, ParticleStore& particles) {
  const BlockLayout& layout = labels.layout();
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  std::vector<BlockEdits> edits(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const BlockReseeding<decltype(shape)> reseed_block(labels, inner, solids, velocity, parameters, source, particles);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { edits[static_cast<std::size_t>(b)] = reseed_block(b); });
  });
  return apply(layout, edits, source.first_id, particles);
}

}  // namespace freshet
