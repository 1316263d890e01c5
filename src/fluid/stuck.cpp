// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/stuck.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/counter_random.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/solids/body_paths.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "grid_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

/// Signed distance below which a particle is in a body; positions are exact to half of it [cells]
constexpr double inside = -1e-6;
/// Fraction of the free box that random positions use, so that rounding moves none out of the box.
constexpr double rim = 0.98;
constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

/// The stuck particles of all ranks, in order of rank. Every rank holds the same lists of positions and ids.
struct StuckParticles {
  std::vector<double> place;    ///< [particle][axis], in the domain [cells]
  std::vector<GlobalIndex> id;  ///< [particle]
  GlobalIndex first_here = 0;
  std::vector<ParticleIndex> here;  ///< stuck particles of this rank
  std::vector<LocalIndex> block;    ///< blocks of `here`
  std::size_t size() const { return id.size(); }
  Vec3 at(std::size_t s) const { return {place[3 * s], place[3 * s + 1], place[3 * s + 2]}; }
};

/// Find the stuck particles of all ranks. Collective
StuckParticles gather_stuck(const BlockLayout& layout, const SolidFields& solids, const ParticleStore& particles) {
  const Domain& domain = layout.domain();
  StuckParticles stuck;
  std::vector<Vec3> places;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    if (solids.bodies().empty() || solids.nearest(b) > 0.0F) continue;
    const NearBodies near(solids, b);
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles.position() + 3 * p;
      const Vec3 place = layout.first_cell(b).cast<double>() + Vec3(x[0], x[1], x[2]);
      const Vec3 world = domain.origin() + domain.dx() * place;
      if (near.nearest_within(0.0, world, any_body).distance >= inside * domain.dx()) continue;
      stuck.here.push_back(p);
      stuck.block.push_back(b);
      places.push_back(place);
    }
  }
  const auto n_here = static_cast<GlobalIndex>(places.size());
  stuck.first_here = layout.comm().exclusive_sum(n_here);
  const auto total = static_cast<std::size_t>(layout.comm().sum(n_here));
  stuck.place.assign(3 * total, 0.0);
  stuck.id.assign(total, 0);
  for (std::size_t n = 0; n < places.size(); ++n) {
    const std::size_t s = static_cast<std::size_t>(stuck.first_here) + n;
    for (int d = 0; d < 3; ++d) stuck.place[3 * s + static_cast<std::size_t>(d)] = places[n][d];
    stuck.id[s] = static_cast<GlobalIndex>(particles.id()[stuck.here[n]]);
  }
  layout.comm().sum_in_place(std::span<double>(stuck.place));  // every number is 0 on all ranks but one
  layout.comm().sum_in_place(std::span<GlobalIndex>(stuck.id));
  return stuck;
}

/// The nearest cell so far: its squared distance [cells^2] and its number, in order of block keys.
struct Candidate {
  double distance = std::numeric_limits<double>::infinity();
  std::uint64_t cell = nowhere;
  bool yields_to(double other_distance, std::uint64_t other_cell) const {
    return other_distance < distance || (other_distance == distance && other_cell < cell);
  }
};

/// Looks for the nearest cells that this rank owns.
class CellSearch {
 public:
  CellSearch(const LabelField& labels, const CellField<std::uint8_t>& inner, const SolidFields& solids)
      : labels_(labels), inner_(inner), solids_(solids), layout_(labels.layout()), domain_(layout_.domain()) {
    for (LocalIndex b = 0; b < layout_.n_owned(); ++b)
      if (std::find(labels.block(b), labels.block(b) + layout_.cells_per_block(), Label::liquid) !=
          labels.block(b) + layout_.cells_per_block())
        blocks_.push_back(b);
  }

  /// Find the nearest full cell, and the nearest liquid cell whose centre lies outside bodies.
  void nearest(const Vec3& x, Candidate& full, Candidate& roomy) const {
    const Vec3 half = 0.5 * domain_.block_cells().cast<double>();
    for (const LocalIndex b : blocks_) {
      const Vec3 apart = shortest(layout_.first_cell(b).cast<double>() + half - x);
      if ((apart.cwiseAbs() - half).cwiseMax(0.0).squaredNorm() > std::max(full.distance, roomy.distance)) continue;
      search_block(b, x, full, roomy);
    }
  }

  /// Half the edge of the largest cube around a cell's centre, inside the cell, that no body reaches. [cells]
  double room(LocalIndex b, int cell) const {
    const std::span<const double> distances = solids_.center_distances(b);
    if (distances.empty()) return 0.5;
    const double distance = distances[static_cast<std::size_t>(cell)] / domain_.dx();
    return std::min(0.5, (distance - body_gap) / std::sqrt(static_cast<double>(domain_.dimension())));
  }
  Vec3 center_of(LocalIndex b, int cell) const {
    const Vec3i n = domain_.block_cells();
    const Vec3i place(cell % n.x(), cell / n.x() % n.y(), cell / (n.x() * n.y()));
    return (layout_.first_cell(b) + place).cast<double>() + Vec3::Constant(0.5);
  }

 private:
  void search_block(LocalIndex b, const Vec3& x, Candidate& full, Candidate& roomy) const {
    const std::uint64_t first = layout_.key(b) * static_cast<std::uint64_t>(layout_.cells_per_block());
    for (int c = 0; c < layout_.cells_per_block(); ++c) {
      if (labels_.block(b)[c] != Label::liquid) continue;
      const std::uint64_t cell = first + static_cast<std::uint64_t>(c);
      const Vec3 center = center_of(b, c);
      const double distance = shortest(center - x).squaredNorm();
      const bool may_be_full = inner_.block(b)[c] != 0 && full.yields_to(distance, cell);
      if (!may_be_full && !roomy.yields_to(distance, cell)) continue;
      const double part = room(b, c);
      if (may_be_full && part >= 0.5) full = {distance, cell};
      if (part > 0.0 && roomy.yields_to(distance, cell)) roomy = {distance, cell};
    }
  }
  /// The shortest of the displacements that are equal to this one up to periods of the domain.
  Vec3 shortest(Vec3 displacement) const {
    for (int axis = 0; axis < domain_.dimension(); ++axis) {
      const double period = domain_.cells()[axis];
      if (domain_.periodic(axis)) displacement[axis] -= period * std::round(displacement[axis] / period);
    }
    return displacement;
  }

  const LabelField& labels_;
  const CellField<std::uint8_t>& inner_;
  const SolidFields& solids_;
  const BlockLayout& layout_;
  const Domain& domain_;
  std::vector<LocalIndex> blocks_;  ///< owned blocks with liquid
};

/// The number of the new cell of each stuck particle; `nowhere` if there is none. Collective
std::vector<std::uint64_t> choose_cells(const Communicator& comm, const CellSearch& search,
                                        const StuckParticles& stuck) {
  std::vector<Candidate> found(2 * stuck.size());  // full, roomy
  parallel_for_blocks(static_cast<LocalIndex>(stuck.size()), [&](LocalIndex s) {
    const auto n = static_cast<std::size_t>(s);
    search.nearest(stuck.at(n), found[2 * n], found[2 * n + 1]);
  });
  std::vector<std::uint64_t> distance, cell;  // doubles that are not negative compare like their bits
  for (const Candidate& candidate : found) distance.push_back(std::bit_cast<std::uint64_t>(candidate.distance));
  comm.min_in_place(distance);
  for (std::size_t n = 0; n < found.size(); ++n)
    cell.push_back(std::bit_cast<std::uint64_t>(found[n].distance) == distance[n] ? found[n].cell : nowhere);
  comm.min_in_place(cell);
  std::vector<std::uint64_t> chosen(stuck.size());
  for (std::size_t s = 0; s < stuck.size(); ++s) chosen[s] = cell[2 * s] != nowhere ? cell[2 * s] : cell[2 * s + 1];
  return chosen;
}

/// The new position of each stuck particle [cells] and the values that it takes from the grid there, from the owner of
/// its new cell: 3 + values.width() numbers for each particle. Collective
template <class Shape>
std::vector<double> fill_in(const CellSearch& search, const StuckParticles& stuck,
                            const std::vector<std::uint64_t>& cells, const FaceField<double>& velocity,
                            const GridValues& values, const StuckSource& source) {
  const BlockLayout& layout = velocity.layout();
  const TileExtents<Shape> extents(1);
  const std::size_t numbers_each = 3 + values.width();
  std::vector<double> numbers(numbers_each * stuck.size(), 0.0);
  for (std::size_t s = 0; s < stuck.size(); ++s) {
    if (cells[s] == nowhere) continue;
    const auto per_block = static_cast<std::uint64_t>(layout.cells_per_block());
    const LocalIndex b = layout.find_owned(cells[s] / per_block);
    if (b == layout.background()) continue;
    const auto cell = static_cast<int>(cells[s] % per_block);
    const Vec3 center = search.center_of(b, cell);
    const Vec3 corner = layout.first_cell(b).cast<double>();
    const CellRandom random(source.seed + static_cast<std::uint64_t>(stuck.id[s]) + 0x57cc,
                            center.array().floor().template cast<int>());
    const double half = rim * search.room(b, cell);
    ParticleReal x[3];
    for (int d = 0; d < 3; ++d) {
      const double draw = random.uniform(3 * static_cast<std::uint64_t>(source.step) + static_cast<std::uint64_t>(d));
      const double place = center[d] + (d < Shape::dim ? half * (2.0 * draw - 1.0) : 0.0);
      x[d] = static_cast<ParticleReal>(place - corner[d]);
      numbers[numbers_each * s + static_cast<std::size_t>(d)] = place;
    }
    values.sample(velocity_around(velocity, b, extents), x, 1.0 / layout.domain().dx(), &numbers[numbers_each * s + 3]);
  }
  layout.comm().sum_in_place(std::span<double>(numbers));  // one rank has the number, the others 0
  return numbers;
}

}  // namespace

StuckReport free_stuck_particles(const LabelField& labels, const CellField<std::uint8_t>& inner,
                                 const SolidFields& solids, const FaceField<double>& velocity,
                                 const StuckSource& source, ParticleStore& particles) {
  const BlockLayout& layout = labels.layout();
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  const StuckParticles stuck = gather_stuck(layout, solids, particles);
  const CellSearch search(labels, inner, solids);
  const std::vector<std::uint64_t> cells = choose_cells(layout.comm(), search, stuck);
  const GridValues values(particles);
  const std::vector<double> numbers = with_shape(layout.domain().dimension(), [&](auto shape) {
    return fill_in<decltype(shape)>(search, stuck, cells, velocity, values, source);
  });
  for (std::size_t n = 0; n < stuck.here.size(); ++n) {
    const std::size_t s = static_cast<std::size_t>(stuck.first_here) + n;
    if (cells[s] == nowhere) continue;
    const ParticleIndex p = stuck.here[n];
    const double* const own = &numbers[(3 + values.width()) * s];
    for (int d = 0; d < layout.domain().dimension(); ++d)
      particles.position()[3 * p + d] = static_cast<ParticleReal>(own[d] - layout.first_cell(stuck.block[n])[d]);
    values.assign(own + 3, p, particles);
  }
  const auto left = static_cast<GlobalIndex>(std::count(cells.begin(), cells.end(), nowhere));
  return {static_cast<GlobalIndex>(cells.size()) - left, left};
}

}  // namespace freshet
