// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/narrow_band.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/counter_random.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/below_core.hpp"
#include "freshet/fluid/grid_advection.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/particles/edit.hpp"
#include "grid_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace freshet {
namespace {

// Bits of the state of a cell.
constexpr std::uint8_t in_band = 1;   ///< at most R deep
constexpr std::uint8_t in_core = 2;   ///< at most R - 1 deep: faces take the velocity of particles
constexpr std::uint8_t was_bulk = 4;  ///< in the bulk up to now
constexpr std::uint8_t is_liquid = 8;

// Zones below the core, in which cells are exactly R deep, and deeper.
constexpr std::uint8_t zone_rim = 1;
constexpr std::uint8_t zone_bulk = 2;

constexpr std::uint64_t numbers_of_step = 4096;  ///< random numbers of a cell in a step
constexpr double slack = 0.5;  ///< bound of the error of a step by Euler's scheme, and of corrections of places [cells]
constexpr double longest_step = 1.5;  ///< displacement up to which a step is taken, over time.cfl
constexpr double most_drawn = 0.25;   ///< largest share of the cells at the rim that gain or lose a particle in a step

constexpr double part_of_lack = 0.25;  ///< part of what the core lacks that a step lets in: the rest of it is noise

/// Width of the cells around a block that a path of one step from it may reach, and interpolation there. [cells]
int farthest_step(double cfl) {
  return std::min(static_cast<int>(std::ceil(longest_step * cfl)) + 2, block_width);
}

/// For each cell of a block the union of the marks of the cells within h cells of it, in the maximum norm.
/// \param[in] marks  padded by extents.pad >= h \param[out] grown  by cell of the block
template <class Shape>
void grow_marks(const TileExtents<Shape>& extents, int h, const std::vector<std::uint8_t>& marks,
                std::vector<std::uint8_t>& buffer, std::uint8_t* grown) {
  buffer = marks;
  std::uint8_t* const cells = buffer.data();
  for (int axis = 0; axis < Shape::dim; ++axis) {
    const int stride = extents.stride(axis);
    int width = 1;  // element n holds the union of the elements n, n + stride, ..., n + (width - 1) stride
    while (width < 2 * h + 1) {
      const int more = std::min(width, 2 * h + 1 - width);
      const int offset = stride * more, end = extents.size() - offset;
      for (int n = 0; n < end; ++n) cells[n] = static_cast<std::uint8_t>(cells[n] | cells[n + offset]);
      width += more;
    }
  }
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      std::memcpy(grown + Shape::cell(0, j, k), &buffer[static_cast<std::size_t>(extents.at(-h, j - h, k - h))],
                  Shape::nx);
}

/// Mark the cells beyond open sides of the domain, and those beyond walls not. \param[in,out] marks  padded
template <class Shape>
void mark_beyond_sides(const BlockLayout& layout, LocalIndex b, const TileExtents<Shape>& extents,
                       std::vector<std::uint8_t>& marks) {
  constexpr std::uint8_t beyond_wall = 1, beyond_open_side = 2;
  const Domain& domain = layout.domain();
  std::array<std::array<std::uint8_t, 3 * block_width>, 3> along{};
  for (int axis = 0; axis < Shape::dim; ++axis) {
    if (domain.periodic(axis)) continue;
    for (int i = 0; i < Shape::n(axis) + 2 * extents.pad; ++i) {
      const int cell = layout.first_cell(b)[axis] + i - extents.pad;
      if (cell >= 0 && cell < domain.cells()[axis]) continue;
      along[axis][static_cast<std::size_t>(i)] =
          domain.is_wall(axis, cell < 0 ? 0 : 1) ? beyond_wall : beyond_open_side;
    }
  }
  std::uint8_t* mark = marks.data();
  for (int k = 0; k < extents.nz; ++k)
    for (int j = 0; j < extents.ny; ++j, mark += extents.nx) {
      const auto of_row =
          static_cast<std::uint8_t>(along[1][static_cast<std::size_t>(j)] | along[2][static_cast<std::size_t>(k)]);
      for (int i = 0; i < extents.nx; ++i) {
        const auto place = static_cast<std::uint8_t>(of_row | along[0][static_cast<std::size_t>(i)]);
        mark[i] = place == 0 ? mark[i] : (place & beyond_wall) != 0 ? 0 : 1;
      }
    }
}

template <class Shape>
bool any_of(const std::uint8_t* cells, std::uint8_t value) {
  return std::memchr(cells, value, Shape::cells) != nullptr;
}

}  // namespace

void NarrowBand::begin(const Domain& domain, const std::vector<BlockKey>& bulk_blocks) {
  has_begun_ = true;
  first_bulk_ = bulk_blocks;
  first_blocks_ = bulk_blocks;
  add_ring(domain, first_blocks_);
}

void NarrowBand::carry_to(const BlockLayout& next) {
  if (!is_on()) return;
  if (has_begun_ && zone_.is_bound()) {
    transfer_field(zone_, next_zone_, next, std::uint8_t{0});
  } else {
    zone_.reset(next, std::uint8_t{0});
    zone_.fill(0);
    for (const BlockKey key : first_bulk_)
      std::fill_n(zone_.block(next.find_owned(key)), next.cells_per_block(), zone_bulk);
    first_bulk_.clear();
    first_blocks_.clear();
  }
}

void NarrowBand::restore(const std::vector<std::uint8_t>& zones, double dt) {
  const BlockLayout& layout = zone_.layout();
  const auto expected = static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
  if (zones.size() != expected ||
      std::any_of(zones.begin(), zones.end(), [](std::uint8_t zone) { return zone > zone_bulk; }))
    throw FileError("the checkpoint's blocks/zone is damaged");
  std::copy(zones.begin(), zones.end(), zone_.data());
  lag_ = dt;
  has_begun_ = true;
}

std::vector<BlockKey> NarrowBand::blocks() const {
  std::vector<BlockKey> keys = first_blocks_;
  if (!has_begun_ || !zone_.is_bound()) return keys;
  const BlockLayout& layout = zone_.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      if (!any_of<decltype(shape)>(zone_.block(b), zone_bulk)) continue;
      for (int direction = 0; direction < n_directions; ++direction) {
        const LocalIndex there = layout.neighbours(b)[direction];
        if (there != layout.background()) keys.push_back(layout.key(there));
      }
    }
  });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// Find in which blocks all cells are deeper than a block's width: no edge lies in them or in a block beside them.
void NarrowBand::find_deep_blocks(const BlockLayout& layout) {
  const auto cells = static_cast<std::size_t>(layout.cells_per_block());
  has_edge_.resize(static_cast<std::size_t>(layout.n_slots()));
  parallel_for_blocks(layout.n_slots(), [&](LocalIndex b) {
    has_edge_[static_cast<std::size_t>(b)] = std::memchr(edge_.block(b), 1, cells) != nullptr;
  });
  const Domain& domain = layout.domain();
  has_open_side_ = false;
  for (int axis = 0; axis < domain.dimension(); ++axis)
    for (int side = 0; side < 2; ++side)
      has_open_side_ = has_open_side_ || !(domain.periodic(axis) || domain.is_wall(axis, side));
  is_deep_.resize(static_cast<std::size_t>(layout.n_owned()));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const LocalIndex* const around = layout.neighbours(b);
    is_deep_[static_cast<std::size_t>(b)] = !(has_open_side_ && layout.touches_boundary(b)) &&
                                            std::none_of(around, around + n_directions, [this](LocalIndex there) {
                                              return has_edge_[static_cast<std::size_t>(there)] != 0;
                                            });
  });
}

/// Set the depth in the state of a block's cells, and the next bulk.
template <class Shape>
void NarrowBand::find_depth(const LabelField& labels, LocalIndex b) {
  static thread_local std::vector<std::uint8_t> marks, buffer;
  const TileExtents<Shape> extents(options_.width);
  std::uint8_t band[Shape::cells] = {}, core[Shape::cells] = {};
  if (is_deep_[static_cast<std::size_t>(b)] == 0) {
    marks.resize(static_cast<std::size_t>(extents.size()));
    fill_tile(edge_, b, extents, marks.data());
    if (has_open_side_ && labels.layout().touches_boundary(b)) mark_beyond_sides(labels.layout(), b, extents, marks);
    grow_marks(extents, options_.width, marks, buffer, band);
    grow_marks(extents, options_.width - 1, marks, buffer, core);
  }
  for (int c = 0; c < Shape::cells; ++c) {
    const bool liquid = labels.block(b)[c] == Label::liquid;
    state_.block(b)[c] =
        static_cast<std::uint8_t>(band[c] * in_band | core[c] * in_core |
                                  (zone_.block(b)[c] == zone_bulk ? was_bulk : 0) | (liquid ? is_liquid : 0));
    next_zone_.block(b)[c] = !liquid || core[c] != 0 ? 0 : band[c] != 0 ? zone_rim : zone_bulk;
  }
}

/// Mark the cells of a block from which the depth is counted.
template <class Shape>
void NarrowBand::find_edges(const LabelField& labels, const SolidFields& solids, LocalIndex b) {
  std::uint8_t* const edge = edge_.block(b);
  for (int c = 0; c < Shape::cells; ++c) edge[c] = labels.block(b)[c] == Label::liquid ? 0 : 1;
  for (const CutCell& cut : solids.cut_cells(b)) edge[cut.cell] = 1;
  for (const WalledCell& walled : solids.walled_cells(b)) edge[walled.cell] = 1;
  const BlockLayout& layout = labels.layout();
  const Vec3i n_inside = layout.domain().cells() - layout.first_cell(b);  // no block begins below the domain
  if (n_inside.x() >= Shape::nx && n_inside.y() >= Shape::ny && n_inside.z() >= Shape::nz) return;
  for (int c = 0; c < Shape::cells; ++c)
    if ((Shape::place(c).array() >= n_inside.array()).any()) edge[c] = 0;
}

void NarrowBand::find(const LabelField& labels, const SolidFields& solids, const ParticleStore& particles) {
  const BlockLayout& layout = labels.layout();
  FRESHET_EXPECT(zone_.is_bound_to(layout));
  edge_.reset(layout, std::uint8_t{0});
  edge_.fill(0);  // ghosts that no exchange reaches
  state_.reset(layout, std::uint8_t{0});
  next_zone_.reset(layout, std::uint8_t{0});
  marks_.reset(layout, std::uint8_t{0});
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { find_edges<decltype(shape)>(labels, solids, b); });
  });
  layout.halo().gather(edge_, std::min(options_.width + farthest_step(options_.cfl), block_width));
  find_deep_blocks(layout);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { find_depth<decltype(shape)>(labels, b); });
  });
  layout.halo().gather(state_, 1);
  counts_of_blocks_.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      counts_of_blocks_[static_cast<std::size_t>(b)] = count<decltype(shape)>(particles, b);
    });
  });
  counts_ = {};
  for (const Counts& block : counts_of_blocks_) {
    counts_.mass += block.mass;
    counts_.in_core += block.in_core;
    counts_.rim_cells += block.rim_cells;
  }
}

/// Mark the faces of a block that are to be advected, and count its cells and particles.
template <class Shape>
NarrowBand::Counts NarrowBand::count(const ParticleStore& particles, LocalIndex b) {
  const std::uint32_t* const begin = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
  const std::uint8_t* const state = state_.block(b);
  std::uint8_t* const mark = marks_.block(b);
  const std::uint8_t* const next = next_zone_.block(b);
  std::fill_n(mark, Shape::cells, std::uint8_t{0});
  std::int32_t mass = 0, in_core_or_rim = 0, n_rim = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    const bool is_full = next[c] == zone_bulk || (state[c] & was_bulk) != 0;
    const std::int32_t in_cell = is_full ? options_.per_cell : static_cast<std::int32_t>(begin[c + 1] - begin[c]);
    mass += in_cell;
    in_core_or_rim += next[c] == zone_rim ? options_.per_cell : in_cell;
    n_rim += state[c] == (in_band | is_liquid) ? 1 : 0;
  }
  const Counts counts{mass, in_core_or_rim, n_rim};
  if (!has_begun_) return counts;
  const Tile<std::uint8_t, Shape, 1> around(state_, b);
  for (int d = 0; d < Shape::dim; ++d)
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j) {
        const std::uint8_t* const here = &around[around.extents.at(0, j, k)];
        const std::uint8_t* const before = here - around.extents.stride(d);
        std::uint8_t* const row = mark + Shape::cell(0, j, k);
        for (int i = 0; i < Shape::nx; ++i) {
          const int both = here[i] & before[i], any = here[i] | before[i];
          const bool is_wanted =
              ((both & is_liquid) != 0) & (((any & was_bulk) != 0) | ((any & in_core) == 0));  // without a branch
          row[i] = static_cast<std::uint8_t>(row[i] | (is_wanted ? 1U << d : 0U));
        }
      }
  return counts;
}

void NarrowBand::add_to(Reduction& reduction) {
  reduction.sum(counts_.mass);
  reduction.sum(counts_.in_core);
  reduction.sum(counts_.rim_cells);
}

void NarrowBand::advect(FaceField<double>& velocity, FaceField<double>& velocity_old, FaceField<double>& weight) {
  if (!has_begun_) return;
  const BlockLayout& layout = velocity.layout();
  // the same in all steps: places in a padded block are rounded according to its pad
  const int reach = farthest_step(options_.cfl);
  layout.halo().gather(velocity, reach);
  advect_faces(velocity, marks_, lag_, reach, velocity_old);
  is_advected_ = true;
  const double full = options_.per_cell;
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const std::uint8_t* const mark = marks_.block(b);
    for (int d = 0; d < velocity.dimension(); ++d) {
      double* const of_face = weight[d].block(b);
      for (int c = 0; c < layout.cells_per_block(); ++c) of_face[c] = (mark[c] >> d & 1U) != 0 ? full : of_face[c];
    }
  });
}

bool NarrowBand::return_velocity(const FaceField<double>& velocity_old, FaceField<double>& velocity) {
  if (!is_advected_) return false;
  copy_owned(velocity_old, velocity);
  lag_ = 0.0;
  is_advected_ = false;
  return true;
}

/// The edits of one block.
template <class Shape>
struct NarrowBand::Edit {
  const NarrowBand& band;
  const FaceField<double>& velocity;
  const Step& step;
  const ParticleStore& particles;
  const GridValues& grid_values;
  int farthest;        ///< width to which ghosts of the next bulk are valid
  GlobalIndex lack;    ///< particles that the liquid lacks
  double probability;  ///< probability that a cell at the rim gains or loses a particle

  /// A cell of the block with its particles, first .. end - 1 of the store.
  struct Cell {
    int number;
    ParticleIndex first, end;
    CellRandom random;
  };

  void operator()(LocalIndex b, BlockEdits& edits) const {
    edits.added.clear();
    edits.values.clear();
    edits.removed.clear();
    const std::uint8_t* const next = band.next_zone_.block(b);
    const std::uint8_t* const state = band.state_.block(b);
    const std::uint32_t* const begin = particles.cell_begin().data() + static_cast<std::size_t>(b) * Shape::cells;
    if (band.is_deep_[static_cast<std::size_t>(b)] != 0 && begin[0] == begin[Shape::cells] &&
        band.options_.width + farthest <= block_width)
      return;
    bool any = any_of<Shape>(next, zone_bulk);
    for (int c = 0; c < Shape::cells && !any; ++c)
      any = (state[c] & was_bulk) != 0 || state[c] == (in_band | is_liquid);
    if (!any) return;
    const TileExtents<Shape> rim(1);
    const PaddedVelocity<Shape> around = velocity_around(velocity, b, rim);
    for (int c = 0; c < Shape::cells; ++c) {
      if (next[c] != zone_bulk && (state[c] & was_bulk) == 0 && state[c] != (in_band | is_liquid)) continue;
      const Vec3i place = band.zone_.layout().first_cell(b) + Shape::place(c);
      const Cell cell{c, begin[c], begin[c + 1], CellRandom(band.options_.seed + 0xba2d, place)};
      if (next[c] == zone_bulk || (state[c] & was_bulk) != 0)
        for (ParticleIndex p = cell.first; p < cell.end; ++p) edits.removed.push_back(p);
      else
        settle(b, cell, edits);
      if (next[c] != zone_bulk && (state[c] & was_bulk) != 0)
        seed(b, cell, edits, [](const NewParticle&) { return true; });
    }
    if (any_of<Shape>(next, zone_bulk)) seed_leaving(b, begin, around, edits);
    edits.values.resize(grid_values.width() * edits.added.size());
    double* values = edits.values.data();
    for (const NewParticle& particle : edits.added) {
      grid_values.sample(around, particle.position, 1.0 / velocity.layout().domain().dx(), values);
      values += grid_values.width();
    }
  }

  /// Draw a particle for each sub-cell, and add those that are wanted.
  template <class Wanted>
  void seed(LocalIndex b, const Cell& cell, BlockEdits& edits, Wanted&& wanted) const {
    std::uint64_t counter = numbers_of_step * static_cast<std::uint64_t>(step.number);
    const int n = band.options_.per_axis;
    for (int s = 0; s < band.options_.per_cell; ++s) {
      const Vec3i sub(s % n, s / n % n, s / (n * n));
      NewParticle particle = new_particle(b);
      for (int d = 0; d < Shape::dim; ++d)
        particle.position[d] = within(Shape::place(cell.number)[d], (sub[d] + cell.random.uniform(counter++)) / n);
      if (wanted(particle)) edits.added.push_back(particle);
    }
  }
  NewParticle new_particle(LocalIndex b) const {
    NewParticle particle;
    particle.home = b;
    particle.tag = static_cast<std::uint8_t>(band.options_.tag);
    for (ParticleReal& x : particle.position) x = ParticleReal{0.5};
    return particle;
  }
  static ParticleReal within(int cell, double part) {
    const auto end = static_cast<ParticleReal>(cell + 1);
    return std::min(static_cast<ParticleReal>(cell + part), std::nextafter(end, ParticleReal{0}));
  }

  /// Seed cells of the next bulk with the particles that may leave it in this step.
  void seed_leaving(LocalIndex b, const std::uint32_t* begin, const PaddedVelocity<Shape>& around,
                    BlockEdits& edits) const {
    static thread_local std::vector<std::uint8_t> outside, buffer;
    const BlockLayout& layout = velocity.layout();
    const double h = step.dt / layout.domain().dx();
    const TileExtents<Shape> extents(farthest);
    outside.resize(static_cast<std::size_t>(extents.size()));
    fill_tile(band.next_zone_, b, extents, outside.data());
    for (std::uint8_t& mark : outside) mark = mark == zone_bulk ? 0 : 1;
    if (layout.touches_boundary(b)) mark_beyond_sides(layout, b, extents, outside);
    if (std::memchr(outside.data(), 1, outside.size()) == nullptr) return;
    const int layers = std::min(farthest, static_cast<int>(std::ceil(h * fastest(b) + slack)));
    std::uint8_t near[Shape::cells], next_to[Shape::cells];
    grow_marks(extents, 1, outside, buffer, next_to);
    grow_marks(extents, layers, outside, buffer, near);
    const double limit = farthest - slack - 1e-6;
    const auto may_leave = [&](const NewParticle& particle) {
      const ParticleReal* x = particle.position;
      const Double4 u = around.at(Double4{x[0], x[1], x[2], 0.0});
      Vec3i low = Vec3i::Zero(), high = Vec3i::Zero();
      for (int d = 0; d < Shape::dim; ++d) {
        const double end = std::clamp(x[d] + h * u[d], -limit, block_width + limit);
        low[d] = static_cast<int>(std::floor(end - slack));
        high[d] = static_cast<int>(std::floor(end + slack));
      }
      for (int corner = 0; corner < 1 << Shape::dim; ++corner) {
        Vec3i cell = low;
        for (int d = 0; d < Shape::dim; ++d)
          if ((corner >> d & 1) != 0) cell[d] = high[d];
        if (outside[static_cast<std::size_t>(extents.at(cell))] != 0) return true;
      }
      return false;
    };
    for (int c = 0; c < Shape::cells; ++c) {
      if (band.next_zone_.block(b)[c] != zone_bulk || near[c] == 0) continue;
      const Vec3i place = layout.first_cell(b) + Shape::place(c);
      seed(b, {c, begin[c], begin[c], CellRandom(band.options_.seed + 0xba2d, place)}, edits,
           [&](const NewParticle& particle) { return next_to[c] != 0 || may_leave(particle); });
    }
  }

  /// Largest velocity component on the faces of a block. [m/s]
  double fastest(LocalIndex b) const {
    double largest = 0.0;
    for (int d = 0; d < Shape::dim; ++d)
      for (int c = 0; c < Shape::cells; ++c) {
        largest = std::max(largest, std::abs(velocity[d].block(b)[c]));
        const int to = Shape::place(c)[d] + 1;
        if (to < Shape::n(d)) continue;
        const LocalIndex after = velocity.layout().neighbours(b)[high_direction(d)];
        largest = std::max(largest, std::abs(velocity[d].block(after)[c - (Shape::n(d) - 1) * Shape::stride(d)]));
      }
    return largest;
  }

  /// Let a cell at the rim gain or lose a particle, if it is drawn.
  void settle(LocalIndex b, const Cell& cell, BlockEdits& edits) const {
    std::uint64_t counter = numbers_of_step * static_cast<std::uint64_t>(step.number);
    if (lack == 0 || cell.random.uniform(counter++) >= probability) return;
    if (lack > 0) {
      NewParticle particle = new_particle(b);
      for (int d = 0; d < Shape::dim; ++d)
        particle.position[d] = within(Shape::place(cell.number)[d], cell.random.uniform(counter++));
      edits.added.push_back(particle);
    } else if (cell.end > cell.first) {
      const std::uint64_t stream = static_cast<std::uint64_t>(step.number) << 40U;
      ParticleIndex chosen = cell.first;
      for (ParticleIndex p = cell.first; p < cell.end; ++p) {
        const auto drawn = [&](ParticleIndex q) { return cell.random.bits(stream + particles.id()[q]); };
        if (drawn(p) < drawn(chosen)) chosen = p;
      }
      edits.removed.push_back(chosen);
    }
  }
};

NarrowBand::Report NarrowBand::resample(const FaceField<double>& velocity, const Step& step, ParticleStore& particles) {
  const BlockLayout& layout = velocity.layout();
  const int farthest = farthest_step(options_.cfl);
  layout.halo().gather(next_zone_, farthest);
  const GlobalIndex lack = step.mass - counts_.mass;
  const auto rim_cells = static_cast<double>(std::max(counts_.rim_cells, GlobalIndex{1}));
  const double share = std::abs(static_cast<double>(lack)) / rim_cells;
  flow_into_core_ = part_of_lack * static_cast<double>(step.mass - counts_.in_core) / (rim_cells * options_.per_cell);
  const GridValues grid_values(particles);
  edits_.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const Edit<decltype(shape)> edit{*this,       velocity, step, particles,
                                     grid_values, farthest, lack, std::min(share, most_drawn)};
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { edit(b, edits_[static_cast<std::size_t>(b)]); });
  });
  zone_.swap(next_zone_);
  has_begun_ = true;
  return apply(step.next_id, particles);
}

/// Apply the edits of all blocks. Collective
NarrowBand::Report NarrowBand::apply(GlobalIndex first_id, ParticleStore& particles) {
  const BlockLayout& layout = zone_.layout();
  GlobalIndex counts[3] = {0, 0, static_cast<GlobalIndex>(particles.size())};
  is_removed_.assign(static_cast<std::size_t>(particles.size()), 0);
  added_.clear();
  for (const BlockEdits& block : edits_) {
    counts[0] += static_cast<GlobalIndex>(block.added.size());
    counts[1] += static_cast<GlobalIndex>(block.removed.size());
    for (const ParticleIndex p : block.removed) is_removed_[static_cast<std::size_t>(p)] = 1;
    added_.insert(added_.end(), block.added.begin(), block.added.end());
  }
  layout.comm().sum_in_place(std::span<GlobalIndex>(counts));
  if (counts[0] + counts[1] == 0) return {};
  open_for_edits(particles, layout);
  remove_particles(particles, is_removed_);
  ParticleIndex next = particles.size();
  append_particles(layout.comm(), particles, added_, static_cast<ParticleId>(first_id));
  const GridValues grid_values(particles);
  for (const BlockEdits& block : edits_)
    for (std::size_t n = 0; n < block.added.size(); ++n)
      grid_values.assign(&block.values[n * grid_values.width()], next++, particles);
  return {counts[0], counts[1], counts[2] + counts[0] == counts[1]};
}

NarrowBand::Moments NarrowBand::moments(FaceField<double>& velocity, const ParticleStore& particles) {
  Moments moments;
  if (!has_begun_) return moments;
  const BlockLayout& layout = velocity.layout();
  layout.halo().gather(velocity, 1);
  moments_of_blocks_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (!has_cells_below_core<Shape>(&zone_, b)) return;
      BlockMoments& block = moments_of_blocks_[static_cast<std::size_t>(b)];
      const auto add = [&block](int /*cell*/, GlobalIndex n, const Vec3& x, const Vec3& u) {
        const double squared = u.squaredNorm();
        block.n += n;
        block.max_u_squared = std::max(block.max_u_squared, squared);
        const std::array<double, 7> terms{squared, u[0], u[1], u[2], x[0], x[1], x[2]};
        for (std::size_t s = 0; s < terms.size(); ++s) block.sums[s] += static_cast<double>(n) * terms[s];
      };
      for_each_below_core<Shape>(zone_, velocity, particles, b, options_.per_cell, add);
    });
  });
  for (const BlockMoments& block : moments_of_blocks_) {
    moments.n += block.n;
    moments.max_u_squared = std::max(moments.max_u_squared, block.max_u_squared);
    for (std::size_t s = 0; s < block.sums.size(); ++s) moments.sums[s].add(block.sums[s]);
  }
  return moments;
}

}  // namespace freshet
