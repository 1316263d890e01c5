// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/trapped_air.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/parallel/gather_all.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace freshet {
namespace {

// Values of a cell between steps: 2 i in bubble i, 2 i + 1 in liquid beside it, or one of these.
constexpr double no_air = -3.0;
constexpr double atmosphere = -2.0;

constexpr double correction_steps = 20.0;    ///< steps in which an error of a bubble's volume is made good
constexpr double largest_correction = 0.02;  ///< part of the bubble's volume, in one step
constexpr double most_turns = 2.0;           ///< turns in a row, which no oscillation of more than four steps has
constexpr double least_part = 0.5;           ///< part of its volume that a gas keeps in one step

/// Call f(neighbour's slot, cell) for the cells that share a face with cell c of an owned block.
template <class Shape, class Function>
void for_each_beside(const BlockLayout& layout, LocalIndex block, int c, Function&& f) {
  for (int axis = 0; axis < Shape::dim; ++axis)
    for (const int side : {-1, 1}) {
      const int at = c / Shape::stride(axis) % Shape::n(axis) + side;
      if (at >= 0 && at < Shape::n(axis)) {
        f(block, c + side * Shape::stride(axis));
      } else {
        Vec3i direction = Vec3i::Zero();
        direction[axis] = side;
        f(layout.neighbours(block)[direction_index(direction.x(), direction.y(), direction.z())],
          c - side * (Shape::n(axis) - 1) * Shape::stride(axis));
      }
    }
}

/// The number beside a cell that is not -1 and lowest; -1 if there is none.
template <class Shape>
std::int32_t lowest_beside(const CellField<std::int32_t>& number, LocalIndex block, int c) {
  std::int32_t lowest = -1;
  for_each_beside<Shape>(number.layout(), block, c, [&](LocalIndex slot, int cell) {
    const std::int32_t other = number.block(slot)[cell];
    if (other >= 0 && (lowest < 0 || other < lowest)) lowest = other;
  });
  return lowest;
}

}  // namespace

TrappedAir::TrappedAir(const Domain& domain, const AirOptions& options, const FluidOptions& fluid)
    : domain_(domain),
      options_(options),
      density_(fluid.density),
      regions_(domain, options.atmosphere, fluid.gravity),
      chambers_(domain, Atmosphere::open_sides, fluid.gravity) {}

void TrappedAir::carry_to(const BlockLayout& next) {
  if (is_on() && has_before_) transfer_field(cells_before_, buffer_, next, no_air);
}

/// Measure the volume of each region on the grid: the open parts of its cells that lie in air, and those of liquid
/// cells beside it. Collective
void TrappedAir::measure(const FreeSurface& surface, const SolidFields& solids) {
  const CellField<std::int32_t>& region = regions_.number();
  const BlockLayout& layout = region.layout();
  sums_.assign(regions_.regions().size(), {});
  with_shape(domain_.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    std::vector<double> part(Shape::cells), full(Shape::cells);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const std::int32_t* number = region.block(b);
      const auto is_trapped = [&](std::int32_t n) {
        return n >= 0 && !regions_.regions()[static_cast<std::size_t>(n)].is_open;
      };
      if (near_[static_cast<std::size_t>(b)] == 0) continue;
      surface.air_parts(b, part.data());
      bool is_near = false;
      for (int c = 0; c < Shape::cells && !is_near; ++c)
        is_near = part[static_cast<std::size_t>(c)] > 0.0 &&
                  is_trapped(number[c] >= 0 ? number[c] : lowest_beside<Shape>(region, b, c));
      if (!is_near) continue;
      find_full_parts<Shape>(surface.labels(), solids, b, full.data());
      for (int c = 0; c < Shape::cells; ++c) {
        const double air = part[static_cast<std::size_t>(c)];
        if (air <= 0.0) continue;
        const std::int32_t of = number[c] >= 0 ? number[c] : lowest_beside<Shape>(region, b, c);
        if (is_trapped(of)) sums_[static_cast<std::size_t>(of)].add(air * full[static_cast<std::size_t>(c)]);
      }
    }
  });
  layout.comm().sum_in_place(std::span<ExactSum>(sums_));
  measured_.resize(sums_.size());
  for (std::size_t n = 0; n < sums_.size(); ++n)
    measured_[n] = domain_.cell_volume() * (sums_[n].round() + static_cast<double>(regions_.regions()[n].far_cells));
}

/// Find what the regions share with the bubbles and the atmosphere of the step before. Collective
void TrappedAir::find_overlaps() {
  const CellField<std::int32_t>& region = regions_.number();
  const BlockLayout& layout = region.layout();
  std::vector<Overlap> here;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; near_[static_cast<std::size_t>(b)] != 0 && c < layout.cells_per_block(); ++c) {
      const std::int32_t n = region.block(b)[c];
      const double before = cells_before_.block(b)[c];
      if (n < 0 || before == no_air) continue;
      const std::int64_t is_beside = before != atmosphere ? static_cast<std::int64_t>(before) % 2 : 0;
      const Overlap overlap{is_bubble_[static_cast<std::size_t>(n)] != 0 ? n : none,
                            before == atmosphere ? none : static_cast<std::int32_t>(before) / 2, 1 - is_beside,
                            is_beside};
      if (overlap.region == none && overlap.before == none) continue;
      if (!here.empty() && here.back().region == overlap.region && here.back().before == overlap.before) {
        here.back().weight += overlap.weight;
        here.back().beside += overlap.beside;
      } else {
        here.push_back(overlap);
      }
    }
  const auto merge = [](std::vector<Overlap>& list) {
    std::ranges::sort(list, {}, [](const Overlap& o) { return std::tuple(o.region, o.before, o.weight, o.beside); });
    std::size_t n = 0;
    for (const Overlap& overlap : list) {
      if (n > 0 && list[n - 1].region == overlap.region && list[n - 1].before == overlap.before) {
        list[n - 1].weight += overlap.weight;
        list[n - 1].beside += overlap.beside;
      } else {
        list[n++] = overlap;
      }
    }
    list.resize(n);
  };
  merge(here);
  overlaps_ = gather_all(layout.comm(), here);
  merge(overlaps_);
  keep_closest();
  find_shares();
}

/// Let cells beside a bubble of the step before count only if no region has cells inside it.
void TrappedAir::keep_closest() {
  std::vector<std::uint8_t> has_inside(before_.size(), 0);
  for (const Overlap& overlap : overlaps_)
    if (overlap.before != none && overlap.weight > 0) has_inside[static_cast<std::size_t>(overlap.before)] = 1;
  for (Overlap& overlap : overlaps_)
    if (overlap.before != none && has_inside[static_cast<std::size_t>(overlap.before)] == 0)
      overlap.weight = overlap.region != none ? overlap.beside : 0;
  std::erase_if(overlaps_, [](const Overlap& overlap) { return overlap.weight == 0; });
}

/// Find the share of each bubble of the step before that each region gets: what joins the atmosphere by cells, the rest
/// by the volumes of regions, each divided among its ancestors by cells.
void TrappedAir::find_shares() {
  std::vector<double> of_region(regions_.regions().size(), 0.0);
  std::vector<double> all(before_.size(), 0.0), lost(before_.size(), 0.0), volume(before_.size(), 0.0);
  for (const Overlap& overlap : overlaps_) {
    const auto weight = static_cast<double>(overlap.weight);
    if (overlap.region != none) of_region[static_cast<std::size_t>(overlap.region)] += weight;
    if (overlap.before == none) continue;
    all[static_cast<std::size_t>(overlap.before)] += weight;
    if (overlap.region == none) lost[static_cast<std::size_t>(overlap.before)] += weight;
  }
  const auto volume_of = [&](const Overlap& overlap) {
    const auto region = static_cast<std::size_t>(overlap.region);
    return measured_[region] * static_cast<double>(overlap.weight) / of_region[region];
  };
  for (const Overlap& overlap : overlaps_)
    if (overlap.region != none && overlap.before != none)
      volume[static_cast<std::size_t>(overlap.before)] += volume_of(overlap);
  for (Overlap& overlap : overlaps_) {
    if (overlap.region == none) continue;
    if (overlap.before == none) {
      overlap.part = static_cast<double>(overlap.weight) / of_region[static_cast<std::size_t>(overlap.region)];
    } else if (const auto o = static_cast<std::size_t>(overlap.before); volume[o] > 0.0) {
      overlap.part = (1.0 - lost[o] / all[o]) * volume_of(overlap) / volume[o];
    }
  }
}

/// The chamber of each region: cells that are not solid, joined across faces that are not closed. Collective
std::vector<std::int32_t> TrappedAir::chambers(const FreeSurface& surface, const SolidFields& solids) {
  const BlockLayout& layout = surface.labels().layout();
  fluid_.reset(layout, Label::solid);
  parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
    std::transform(surface.labels().block(b), surface.labels().block(b) + layout.cells_per_block(), fluid_.block(b),
                   [](Label label) { return label == Label::solid ? Label::solid : Label::air; });
  });
  chambers_.find(fluid_, solids, near_);
  struct Found {
    std::int32_t region, chamber;
  };
  std::vector<Found> found;
  for (std::size_t n = 0; n < regions_.regions().size(); ++n) {
    const AirRegions::Region& region = regions_.regions()[n];
    const LocalIndex b = layout.find_owned(region.block);
    if (b != layout.background())
      found.push_back({static_cast<std::int32_t>(n), chambers_.number().block(b)[region.cell]});
  }
  std::vector<std::int32_t> result(regions_.regions().size(), none);
  for (const Found& of : gather_all(layout.comm(), found)) result[static_cast<std::size_t>(of.region)] = of.chamber;
  return result;
}

/// In a chamber without atmosphere, take the largest region as none of the bubbles that keep their volume. Collective
void TrappedAir::keep_references(const FreeSurface& surface, const SolidFields& solids) {
  if (options_.bubbles != BubbleModel::incompressible) return;
  if (std::ranges::none_of(is_bubble_, [](std::uint8_t is) { return is != 0; })) return;
  const std::vector<std::int32_t> chamber = chambers(surface, solids);
  const std::vector<AirRegions::Region>& regions = regions_.regions();
  std::vector<std::int32_t> reference(chambers_.regions().size(), none);
  std::vector<std::uint8_t> has_atmosphere(chambers_.regions().size(), 0);
  for (std::size_t c = 0; c < has_atmosphere.size(); ++c)  // an open side fixes the pressure under water, too
    has_atmosphere[c] = chambers_.regions()[c].is_open ? 1 : 0;
  for (std::size_t n = 0; n < regions.size(); ++n) {
    const auto of = static_cast<std::size_t>(chamber[n]);
    if (is_bubble_[n] == 0) has_atmosphere[of] = 1;
    const auto size = [&](std::size_t region) { return regions[region].cells + regions[region].far_cells; };
    if (reference[of] == none || size(n) > size(static_cast<std::size_t>(reference[of])))
      reference[of] = static_cast<std::int32_t>(n);
  }
  for (std::size_t c = 0; c < reference.size(); ++c)
    if (has_atmosphere[c] == 0 && reference[c] != none) is_bubble_[static_cast<std::size_t>(reference[c])] = 0;
}

/// The bubble of a region, made of what it shares with the step before.
/// \param[in,out] heir_weight  weight by which each bubble of the step before has handed on its id; 0: not yet
TrappedBubble TrappedAir::inherit(std::int32_t region, std::vector<std::int64_t>& heir_weight) {
  TrappedBubble bubble;
  bubble.measured = measured_[static_cast<std::size_t>(region)];
  bubble.far_cells = static_cast<double>(regions_.regions()[static_cast<std::size_t>(region)].far_cells);
  std::int64_t largest = 0;
  std::int32_t ancestor = none;
  double from_atmosphere = 0.0;
  for (const Overlap& overlap : overlaps_) {
    if (overlap.region != region) continue;
    if (overlap.before == none) {
      from_atmosphere = overlap.part * bubble.measured;
      continue;
    }
    const auto o = static_cast<std::size_t>(overlap.before);
    const double share = overlap.part;
    bubble.volume += share * before_[o].volume;
    bubble.rest_volume += share * before_[o].rest_volume;
    bubble.outflow += share * before_[o].outflow;
    bubble.offset += share * before_[o].offset;
    if (overlap.weight > largest) {
      largest = overlap.weight;
      ancestor = overlap.before;
      bubble.turns = before_[o].turns;
    }
  }
  if (ancestor == none) {
    bubble.volume = bubble.rest_volume = bubble.measured;
  } else {
    bubble.volume += from_atmosphere;
    bubble.rest_volume += from_atmosphere;
  }
  bubble.is_new = ancestor == none;
  // solids count in near blocks only: where such blocks change, the volume on the grid has no error to be made good
  if (ancestor != none && bubble.far_cells != before_[static_cast<std::size_t>(ancestor)].far_cells)
    bubble.offset = bubble.measured - bubble.volume;
  bubble.id = none;
  if (ancestor != none && largest > heir_weight[static_cast<std::size_t>(ancestor)]) {
    heir_weight[static_cast<std::size_t>(ancestor)] = largest;
    for (TrappedBubble& other : now_)
      if (other.id == before_[static_cast<std::size_t>(ancestor)].id) other.id = none;
    bubble.id = before_[static_cast<std::size_t>(ancestor)].id;
  }
  bubble.pressure = absolute_pressure(bubble);
  return bubble;
}

double TrappedAir::absolute_pressure(const TrappedBubble& bubble) const {
  if (options_.bubbles == BubbleModel::incompressible || !(bubble.volume > 0.0)) return options_.pressure;
  return options_.pressure * std::pow(bubble.rest_volume / bubble.volume, options_.gamma);
}

/// Write the bubble of each cell into number_.
void TrappedAir::number_cells() {
  const CellField<std::int32_t>& region = regions_.number();
  const BlockLayout& layout = region.layout();
  number_.reset(layout, none);
  parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const std::int32_t n = region.block(b)[c];
      number_.block(b)[c] = n >= 0                 ? bubble_of_region_[static_cast<std::size_t>(n)]
                            : n == AirRegions::far ? Bubbles::far
                                                   : Bubbles::none;
    }
  });
}

/// Write what the next step compares with into cells_now_.
void TrappedAir::mark_cells(const LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  cells_now_.reset(layout, no_air);
  with_shape(domain_.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      for (int c = 0; c < Shape::cells; ++c) {
        const std::int32_t n = number_.block(b)[c];
        double value = n >= 0                             ? 2.0 * n
                       : n == Bubbles::far                ? no_air
                       : labels.block(b)[c] == Label::air ? atmosphere
                                                          : no_air;
        if (value == no_air && n != Bubbles::far && labels.block(b)[c] == Label::liquid && !now_.empty())
          if (const std::int32_t beside = lowest_beside<Shape>(number_, b, c); beside >= 0) value = 2.0 * beside + 1.0;
        cells_now_.block(b)[c] = value;
      }
    });
  });
}

void TrappedAir::find(const FreeSurface& surface, const SolidFields& solids, const NearLiquid& near_liquid) {
  if (!is_on()) return;
  near_ = near_liquid();
  regions_.find(surface.labels(), solids, near_);
  const std::vector<AirRegions::Region>& regions = regions_.regions();
  is_bubble_.assign(regions.size(), 0);
  for (std::size_t n = 0; n < regions.size(); ++n)
    is_bubble_[n] = !regions[n].is_open && regions[n].cells + regions[n].far_cells >= options_.least_cells;
  keep_references(surface, solids);
  measure(surface, solids);
  overlaps_.clear();
  if (has_before_) find_overlaps();
  now_.clear();
  next_id_now_ = next_id_;
  bubble_of_region_.assign(regions.size(), none);
  std::vector<std::int64_t> heir_weight(before_.size(), 0);
  for (std::size_t n = 0; n < regions.size(); ++n) {
    if (is_bubble_[n] == 0) continue;
    const auto region = static_cast<std::int32_t>(n);
    if (has_before_ && std::ranges::none_of(overlaps_, [=](const Overlap& o) { return o.region == region; })) continue;
    const TrappedBubble bubble = inherit(region, heir_weight);
    if (!(bubble.volume > 0.0) || !(bubble.rest_volume > 0.0)) continue;  // a hole that no air has come into
    bubble_of_region_[n] = static_cast<std::int32_t>(now_.size());
    now_.push_back(bubble);
  }
  for (TrappedBubble& bubble : now_)
    if (bubble.id == none) bubble.id = next_id_now_++;
  number_cells();
  mark_cells(surface.labels());
}

Bubbles* TrappedAir::prepare(double dt, double acting_time) {
  if (!is_on() || now_.empty()) return nullptr;
  const double area = domain_.cell_volume() / domain_.dx();
  acting_time_ = acting_time;
  bubbles_.number = &number_;
  bubbles_.cell_speed = domain_.dx() / dt;
  bubbles_.bubbles.clear();
  for (const TrappedBubble& bubble : now_) {
    Bubble of;
    const double error = bubble.volume + bubble.offset - bubble.measured;
    const double limit = largest_correction * bubble.measured;
    of.correction = std::clamp(error / correction_steps, -limit, limit) / (dt * area);
    if (options_.bubbles == BubbleModel::compressible) {
      of.pressure = acting_time * (bubble.pressure - options_.pressure) / (density_ * domain_.dx());
      of.softness = density_ * bubble.volume / (options_.gamma * bubble.pressure * dt * acting_time * domain_.dx());
      of.outflow = bubble.outflow;
      of.is_new = bubble.is_new;
      of.theta = bubble.turns >= most_turns ? 1.0 : 0.5;
    }
    bubbles_.bubbles.push_back(of);
  }
  return &bubbles_;
}

void TrappedAir::accept(double dt) {
  if (!is_on()) return;
  const double area = domain_.cell_volume() / domain_.dx();
  for (std::size_t i = 0; i < now_.size() && i < bubbles_.bubbles.size(); ++i) {
    TrappedBubble& bubble = now_[i];
    const Bubble& of = bubbles_.bubbles[i];
    if (options_.bubbles == BubbleModel::compressible) {
      // particles move by the outflow at the end of the step, the gas by its mean
      bubble.offset += dt * area * (of.outflow - of.mean_outflow);
      bubble.turns = of.outflow * of.outflow_before < 0.0 ? bubble.turns + 1.0 : 0.0;
      bubble.volume = std::max(bubble.volume + dt * area * of.mean_outflow, least_part * bubble.volume);
      bubble.outflow = of.outflow;
      bubble.pressure = absolute_pressure(bubble);
    } else {
      bubble.pressure = options_.pressure + of.pressure * density_ * domain_.dx() / acting_time_;
    }
    bubble.is_new = false;
  }
  before_ = now_;
  next_id_ = next_id_now_;
  cells_before_.swap(cells_now_);
  has_before_ = true;
}

double TrappedAir::volume() const {
  double sum = 0.0;
  for (const TrappedBubble& bubble : now_) sum += bubble.volume;
  return sum;
}

double TrappedAir::largest_pressure() const {
  double largest = 0.0;
  for (const TrappedBubble& bubble : now_) {
    const double gauge = bubble.pressure - options_.pressure;
    if (std::abs(gauge) > std::abs(largest)) largest = gauge;
  }
  return largest;
}

std::vector<double> TrappedAir::kept() const {
  if (kept_cells() == nullptr) return {};
  std::vector<double> numbers = {static_cast<double>(next_id_)};
  for (const TrappedBubble& bubble : before_)
    numbers.insert(numbers.end(), {static_cast<double>(bubble.id), bubble.volume, bubble.rest_volume, bubble.outflow,
                                   bubble.offset, bubble.turns, bubble.pressure, bubble.measured, bubble.far_cells});
  return numbers;
}

void TrappedAir::restore(std::span<const double> numbers, std::span<const double> cells, const BlockLayout& layout) {
  constexpr std::size_t of_bubble = 9;
  constexpr double most = 9e15;  // whole numbers up to here are exact
  if (!is_on() || numbers.empty()) return;
  const auto refuse = [] {
    throw FileError("the checkpoint does not fit together: its bubbles are not what a run keeps.");
  };
  if (numbers.size() % of_bubble != 1 || !(numbers[0] >= 0.0) || numbers[0] > most) refuse();
  const std::size_t n = numbers.size() / of_bubble;
  next_id_ = static_cast<std::int64_t>(numbers[0]);
  before_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const double> of = numbers.subspan(1 + of_bubble * i, of_bubble);
    if (!(of[0] >= 0.0) || of[0] >= numbers[0]) refuse();
    before_.push_back({static_cast<std::int64_t>(of[0]), of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8]});
    const TrappedBubble& bubble = before_.back();
    if (!(bubble.volume > 0.0) || !(bubble.rest_volume > 0.0) || !std::isfinite(absolute_pressure(bubble))) refuse();
  }
  const auto fits = [n](double cell) {
    return cell == no_air || cell == atmosphere || (cell >= 0.0 && cell < 2.0 * static_cast<double>(n));
  };
  const auto n_cells = static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
  if (cells.size() != n_cells || !std::ranges::all_of(cells, fits)) refuse();
  cells_before_.reset(layout, no_air);
  cells_before_.fill(no_air);
  std::ranges::copy(cells, cells_before_.data());
  has_before_ = true;
}

}  // namespace freshet
