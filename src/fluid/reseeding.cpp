// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/reseeding.hpp"

#include "freshet/core/counter_random.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/parallel/select.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/wall_sides.hpp"
#include "grid_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

constexpr int most_draws = 8;                   ///< random places tried for a particle; all may lie in a solid
constexpr std::uint64_t numbers_a_step = 4096;  ///< random numbers of a cell

/// The changes of one block.
struct BlockEdits {
  std::vector<NewParticle> added;
  std::vector<double> values;  ///< values of the added particles, see GridValues
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
  BlockReseeding(const LabelField& labels, const CellField<std::uint8_t>& inner, const CellField<std::uint8_t>* bulk,
                 const CellField<std::uint16_t>& content, const SolidFields& solids, const FaceField<double>& velocity,
                 const SamplingOptions& sampling, const ReseedingOptions& options, const ReseedingSource& source,
                 const ParticleStore& particles)
      : labels_(labels),
        inner_(inner),
        bulk_(bulk),
        content_(content),
        solids_(solids),
        velocity_(velocity),
        options_(options),
        source_(source),
        particles_(particles),
        grid_values_(particles),
        per_cell_(std::pow(sampling.per_axis, Shape::dim)) {}

  BlockEdits operator()(LocalIndex b) const {
    BlockEdits edits;
    const std::uint32_t* const begin = particles_.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
    Cell cell{b, 0, Vec3i::Zero(), 0, 0};
    Tiles tiles;
    for (int c = 0; c < Shape::cells; ++c) {
      if (begin[c + 1] == begin[c]) continue;
      cell.number = c;
      cell.place = Shape::place(c);
      cell.first = begin[c];
      cell.n = static_cast<int>(begin[c + 1] - begin[c]);
      if (labels_.block(b)[cell.number] != Label::liquid) continue;
      if (bulk_ != nullptr && bulk_->block(b)[cell.number] != 0) continue;
      if (options_.cells == ReseededCells::inner && inner_.block(b)[cell.number] == 0) continue;
      if (cell.n < options_.min) add(cell, tiles, edits.added);
      const int over = cell.n - options_.max;
      const bool any_spare = options_.keep_volume && source_.surplus > 0;
      const int spare = any_spare ? spare_of(cell, tiles) : 0;
      if (over > 0 || spare > 0) remove(cell, std::max(over, spare), edits.removed);
    }
    if (!edits.added.empty()) sample_grid(b, edits);
    return edits;
  }

 private:
  /// Data of the cells of a block and of one layer around it, computed at the first use.
  struct Tiles {
    Tile<double, Shape, 1> open;            ///< fractions outside bodies
    Tile<double, Shape, 1> behind;          ///< fractions behind thin walls, with or without liquid
    Tile<std::uint16_t, Shape, 1> content;  ///< results of count_inside()
    bool is_known = false;
  };
  const Tiles& known(LocalIndex b, Tiles& tiles) const {
    if (tiles.is_known) return tiles;
    find_open_parts(labels_.layout(), solids_, b, extents_, tiles.open.data(), tiles.behind.data());
    tiles.content.fill(content_, b);
    tiles.is_known = true;
    return tiles;
  }
  int at(const Cell& cell) const { return extents_.at(cell.place.x(), cell.place.y(), cell.place.z()); }

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
    return labels_.block(block)[Shape::cell(at)] == Label::liquid;
  }

  /// Find the box in which new particles of a cell may be placed, relative to its block.
  void find_box(const Cell& cell, Vec3& lower, Vec3& upper) const {
    lower = Vec3::Constant(block_width);
    upper = Vec3::Zero();
    for (ParticleIndex p = cell.first; p < cell.first + cell.n; ++p)
      for (int d = 0; d < 3; ++d) {
        lower[d] = std::min<double>(lower[d], particles_.position()[3 * p + d]);
        upper[d] = std::max<double>(upper[d], particles_.position()[3 * p + d]);
      }
    for (int d = 0; d < Shape::dim; ++d) {
      if (is_liquid(cell, d, -1)) lower[d] = cell.place[d];
      if (is_liquid(cell, d, 1)) upper[d] = cell.place[d] + 1.0;
    }
  }

  /// Number of particles that a cell and its neighbours inside the liquid together lack to be as dense as the seeding.
  double lack_around(const Cell& cell, const Tiles& tiles) const {
    double lack = 0.0;
    constexpr int z = Shape::dim == 3 ? 1 : 0;
    for (int k = -z; k <= z; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const int there = extents_.at(cell.place.x() + i, cell.place.y() + j, cell.place.z() + k);
          if (tiles.content[there] > 0) lack += per_cell_ * tiles.open[there] - (tiles.content[there] - 1);
        }
    return lack;
  }

  /// How many particles a cell lacks to be as dense as the seeding.
  ///
  /// At the surface the box of find_box() counts as full of liquid. Inside the liquid the cell and its neighbours are
  /// full, and particles that the cell lacks may be in a neighbour. So the cell gets no more than all of them lack
  /// together: filling each cell by itself would turn fluctuations of the number of particles into new particles.
  int lack_of(const Cell& cell, Tiles& memory, const Vec3& lower, const Vec3& upper) const {
    const Tiles& tiles = known(cell.block, memory);
    double part = tiles.open[at(cell)];
    if (inner_.block(cell.block)[cell.number] == 0) {
      for (int d = 0; d < Shape::dim; ++d) part *= upper[d] - lower[d];
      return static_cast<int>(std::floor(per_cell_ * part)) - cell.n;
    }
    return static_cast<int>(std::floor(std::min(lack_around(cell, tiles), per_cell_ * part - cell.n)));
  }

  /// Number of particles by which a cell inside the liquid exceeds the seeding.
  int spare_of(const Cell& cell, Tiles& memory) const {
    if (inner_.block(cell.block)[cell.number] == 0 || cell.n <= 1) return 0;
    const Tiles& tiles = known(cell.block, memory);
    return static_cast<int>(std::floor(cell.n - per_cell_ * (tiles.open[at(cell)] + tiles.behind[at(cell)])));
  }

  void add(const Cell& cell, Tiles& tiles, std::vector<NewParticle>& added) const {
    Vec3 lower, upper;
    find_box(cell, lower, upper);
    const CellRandom numbers = random(cell);
    std::uint64_t counter = numbers_a_step * static_cast<std::uint64_t>(source_.step);
    int missing = options_.min - cell.n;
    if (options_.keep_volume) missing = std::min(missing, lack_of(cell, tiles, lower, upper));
    for (; missing > 0; --missing) {
      NewParticle particle;
      particle.home = cell.block;
      int draw = 0;
      do {
        for (int d = 0; d < 3; ++d) {
          const double x = d < Shape::dim ? lower[d] + numbers.uniform(counter++) * (upper[d] - lower[d]) : 0.5;
          const auto end = static_cast<ParticleReal>(cell.place[d] + 1);
          particle.position[d] = std::min(static_cast<ParticleReal>(x), std::nextafter(end, ParticleReal{0}));
        }
        particle.like = nearest(cell, particle.position);
      } while ((is_in_solid(cell.block, particle.position) || is_cut_off(cell, particle)) && ++draw < most_draws);
      if (draw == most_draws) continue;
      particle.tag = particles_.tag()[particle.like];
      added.push_back(particle);
    }
  }

  bool is_in_solid(LocalIndex b, const ParticleReal* x) const {
    if (solids_.bodies().empty() || solids_.nearest(b) > 0.0F) return false;
    const Domain& domain = labels_.layout().domain();
    const Vec3 world =
        domain.origin() + domain.dx() * (labels_.layout().first_cell(b).cast<double>() + Vec3(x[0], x[1], x[2]));
    return NearBodies(solids_, b).is_in_any(world);
  }

  /// Whether a thin wall stands between a new particle and the nearest one.
  bool is_cut_off(const Cell& cell, const NewParticle& particle) const {
    if (solids_.walled_cells(cell.block).empty()) return false;
    const ParticleReal* x = particle.position;
    const ParticleReal* y = particles_.position() + 3 * particle.like;
    const WallSides<Shape> sides(solids_, labels_.layout(), cell.block);
    return !sides.are_together(Vec3(x[0], x[1], x[2]), Vec3(y[0], y[1], y[2]));
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

  /// Remove the particles with the lowest random numbers; each number depends on the particle's id.
  void remove(const Cell& cell, int how_many, std::vector<ParticleIndex>& removed) const {
    const CellRandom numbers = random(cell);
    const std::uint64_t stream = static_cast<std::uint64_t>(source_.step) << 40U;
    std::vector<std::pair<double, ParticleIndex>> drawn;
    for (ParticleIndex p = cell.first; p < cell.first + cell.n; ++p)
      drawn.emplace_back(numbers.uniform(stream + particles_.id()[p]), p);
    std::sort(drawn.begin(), drawn.end());
    for (int n = 0; n < how_many; ++n) removed.push_back(drawn[n].second);
  }

  void sample_grid(LocalIndex b, BlockEdits& edits) const {
    const PaddedVelocity<Shape> around = velocity_around(velocity_, b, extents_);
    const double per_metre = 1.0 / velocity_.layout().domain().dx();
    edits.values.resize(grid_values_.width() * edits.added.size());
    double* values = edits.values.data();
    for (const NewParticle& particle : edits.added) {
      grid_values_.sample(around, particle.position, per_metre, values);
      values += grid_values_.width();
    }
  }

  const LabelField& labels_;
  const CellField<std::uint8_t>& inner_;
  const CellField<std::uint8_t>* bulk_;
  const CellField<std::uint16_t>& content_;
  const SolidFields& solids_;
  const FaceField<double>& velocity_;
  const ReseedingOptions& options_;
  const ReseedingSource& source_;
  const ParticleStore& particles_;
  GridValues grid_values_;
  double per_cell_;  ///< particles of a full cell
  static constexpr TileExtents<Shape> extents_{1};
};

/// The number of particles plus 1 in each liquid cell inside the liquid, 0 in other cells. Ghosts are refreshed to
/// width 1. Collective
template <class Shape>
void count_inside(const LabelField& labels, const CellField<std::uint8_t>& inner, const CellField<std::uint8_t>* bulk,
                  const ParticleStore& particles, CellField<std::uint16_t>& content) {
  const BlockLayout& layout = labels.layout();
  content.reset(layout, std::uint16_t{0});
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::uint16_t* const counts = content.block(b);
    for (int c = 0; c < Shape::cells; ++c)
      counts[c] =
          inner.block(b)[c] != 0 && labels.block(b)[c] == Label::liquid && (bulk == nullptr || bulk->block(b)[c] == 0);
    constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
    const std::uint32_t* const begin = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
    for (int c = 0; c < Shape::cells; ++c)
      if (counts[c] != 0) counts[c] = static_cast<std::uint16_t>(std::min(begin[c + 1] - begin[c] + 1, most));
  });
  layout.halo().gather(content, 1);
}

/// Keep only `most` of the particles to be removed: those with the lowest random numbers.
/// \return the number of particles that all ranks remove. Collective
GlobalIndex thin_out(const Communicator& comm, std::vector<BlockEdits>& edits, GlobalIndex most,
                     const ReseedingSource& source, const ParticleStore& particles) {
  const CellRandom numbers(source.seed + 0x7177, Vec3i::Zero());
  const std::uint64_t stream = static_cast<std::uint64_t>(source.step) << 40U;
  std::vector<std::uint64_t> drawn;
  for (const BlockEdits& block : edits)
    for (const ParticleIndex p : block.removed) drawn.push_back(numbers.bits(stream + particles.id()[p]));
  const std::vector<std::uint8_t> is_removed = among_smallest(comm, drawn, most);
  auto next = is_removed.begin();
  for (BlockEdits& block : edits) std::erase_if(block.removed, [&](ParticleIndex) { return *next++ == 0; });
  return comm.sum(static_cast<GlobalIndex>(std::count(is_removed.begin(), is_removed.end(), 1)));
}

/// Apply the changes of all blocks. Collective
ReseedingReport apply(const BlockLayout& layout, std::vector<BlockEdits>& edits, bool keeps_volume,
                      const ReseedingSource& source, ParticleStore& particles) {
  GlobalIndex counts[2] = {0, 0};
  for (const BlockEdits& block : edits) {
    counts[0] += static_cast<GlobalIndex>(block.added.size());
    counts[1] += static_cast<GlobalIndex>(block.removed.size());
  }
  layout.comm().sum_in_place(std::span<GlobalIndex>(counts));
  const GlobalIndex most = std::max(source.surplus + counts[0], GlobalIndex{0});
  if (keeps_volume && counts[1] > most) counts[1] = thin_out(layout.comm(), edits, most, source, particles);
  if (counts[0] + counts[1] == 0) return {};
  std::vector<std::uint8_t> is_removed(static_cast<std::size_t>(particles.size()), 0);
  std::vector<NewParticle> added;
  for (const BlockEdits& block : edits) {
    for (const ParticleIndex p : block.removed) is_removed[static_cast<std::size_t>(p)] = 1;
    added.insert(added.end(), block.added.begin(), block.added.end());
  }
  std::vector<ParticleIndex> removed_before(is_removed.size() + 1, 0);
  for (std::size_t p = 0; p < is_removed.size(); ++p) removed_before[p + 1] = removed_before[p] + is_removed[p];
  for (NewParticle& particle : added) particle.like -= removed_before[static_cast<std::size_t>(particle.like)];
  open_for_edits(particles, layout);
  remove_particles(particles, is_removed);
  ParticleIndex next = particles.size();
  append_particles(layout.comm(), particles, added, source.first_id);
  const GridValues grid_values(particles);
  for (const BlockEdits& block : edits)
    for (std::size_t n = 0; n < block.added.size(); ++n)
      grid_values.assign(&block.values[n * grid_values.width()], next++, particles);
  return {counts[0], counts[1]};
}

}  // namespace

ReseedingReport reseed_particles(const LabelField& labels, const CellField<std::uint8_t>& inner,
                                 const SolidFields& solids, const FaceField<double>& velocity,
                                 const SamplingOptions& sampling, const ReseedingOptions& options,
                                 const ReseedingSource& source, ParticleStore& particles,
                                 const CellField<std::uint8_t>* bulk) {
  const BlockLayout& layout = labels.layout();
  FRESHET_EXPECT(particles.cell_begin().size() ==
                 static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block()) + 1);
  std::vector<BlockEdits> edits(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    CellField<std::uint16_t> content;
    count_inside<Shape>(labels, inner, bulk, particles, content);
    const BlockReseeding<Shape> reseed_block(labels, inner, bulk, content, solids, velocity, sampling, options, source,
                                             particles);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { edits[static_cast<std::size_t>(b)] = reseed_block(b); });
  });
  return apply(layout, edits, options.keep_volume, source, particles);
}

}  // namespace freshet
