// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/trapped_air.hpp"

#include "freshet/air/swept_cells.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/kernels/cell_beside.hpp"
#include "freshet/grid/regrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet {
namespace {

constexpr double no_air = BubbleOverlaps::no_air;
constexpr double atmosphere = BubbleOverlaps::atmosphere;

constexpr double most_turns = 2.0;  ///< turns in a row, which no oscillation of more than four steps has
constexpr double least_part = 0.5;  ///< part of its volume that a gas keeps in one step

/// The lowest number other than -1 of the cells beside a cell; -1 if there is none.
template <class Shape>
std::int32_t lowest_beside(const CellField<std::int32_t>& number, LocalIndex block, int c) {
  std::int32_t lowest = -1;
  for_each_cell_beside<Shape>(number.layout(), block, c, [&](const CellBeside& beside) {
    const std::int32_t other = number.block(beside.slot)[beside.cell];
    if (other >= 0 && (lowest < 0 || other < lowest)) lowest = other;
  });
  return lowest;
}

}  // namespace

TrappedAir::TrappedAir(const Domain& domain, const AirOptions& options, const FluidOptions& fluid,
                       std::span<const std::shared_ptr<const Shape>> vents)
    : domain_(domain),
      options_(options),
      density_(fluid.density),
      regions_(domain, options.atmosphere, fluid.gravity,
               options.bubbles == BubbleModel::off ? Vents() : Vents(domain, vents)),
      chambers_(domain) {}

void TrappedAir::carry_to(const BlockLayout& next) {
  if (is_on() && has_before_) transfer_field(cells_before_, buffer_, next, no_air);
}

/// Measure the volumes of bubbles in a block: the open parts of their cells that lie in air, and those of liquid cells
/// beside them.
template <class Shape>
void TrappedAir::measure_block(const FreeSurface& surface, const SolidFields& solids, LocalIndex block) {
  std::vector<Part>& parts = parts_[static_cast<std::size_t>(block)];
  parts.clear();
  if (near_[static_cast<std::size_t>(block)] == 0) return;
  const CellField<std::int32_t>& region = regions_.number();
  const std::int32_t* const number = region.block(block);
  std::array<double, Shape::cells> air, full;
  surface.air_parts(block, air.data());
  bool has_full = false;
  for (int c = 0; c < Shape::cells; ++c) {
    const double part = air[static_cast<std::size_t>(c)];
    if (part <= 0.0) continue;
    const std::int32_t of = number[c] >= 0 ? number[c] : lowest_beside<Shape>(region, block, c);
    if (of < 0 || is_bubble_[static_cast<std::size_t>(of)] == 0) continue;
    if (!has_full) find_full_parts<Shape>(surface.labels(), solids, block, full.data());
    has_full = true;
    auto same = std::ranges::find(parts, of, &Part::region);
    if (same == parts.end()) same = parts.insert(same, {of, 0.0});
    same->volume += part * full[static_cast<std::size_t>(c)];
  }
}

/// Measure the volumes of regions that may be bubbles on the grid. Collective
void TrappedAir::measure(const FreeSurface& surface, const SolidFields& solids) {
  const BlockLayout& layout = regions_.number().layout();
  const std::vector<AirRegions::Region>& regions = regions_.regions();
  parts_.resize(std::max(parts_.size(), static_cast<std::size_t>(layout.n_owned())));
  with_shape(domain_.dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { measure_block<decltype(shape)>(surface, solids, b); });
  });
  place_of_region_.assign(regions.size(), none);
  std::int32_t n_places = 0;
  for (std::size_t n = 0; n < regions.size(); ++n)
    if (is_bubble_[n] != 0) place_of_region_[n] = n_places++;
  sums_.assign(static_cast<std::size_t>(n_places), {});
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (const Part& part : parts_[static_cast<std::size_t>(b)]) {
      const std::int32_t place = place_of_region_[static_cast<std::size_t>(part.region)];
      sums_[static_cast<std::size_t>(place)].add(part.volume);
    }
  layout.comm().sum_in_place(std::span<ExactSum>(sums_));
  measured_.assign(regions.size(), 0.0);
  for (std::size_t n = 0; n < regions.size(); ++n)
    if (place_of_region_[n] != none)
      measured_[n] = domain_.cell_volume() * (sums_[static_cast<std::size_t>(place_of_region_[n])].round() +
                                              static_cast<double>(regions[n].far_cells));
}

/// Choose the reference of each chamber without an atmosphere: its largest region of air. Where bubbles keep their
/// volume it is no bubble, else the liquid's volume would be fixed twice; a gas gives way to displacements of the
/// liquid. \return whether there are regions that may be bubbles. Collective
bool TrappedAir::find_references(const FreeSurface& surface, const SolidFields& solids) {
  const auto may_be = [](std::uint8_t is) { return is != 0; };
  gives_way_.assign(is_bubble_.size(), 0);
  if (std::ranges::none_of(is_bubble_, may_be)) return false;
  chambers_.find(surface.labels(), solids, near_);
  const std::vector<AirRegions::Region>& regions = regions_.regions();
  reference_.assign(chambers_.count(), none);
  has_atmosphere_.assign(chambers_.count(), 0);
  for (std::size_t c = 0; c < has_atmosphere_.size(); ++c)  // an open side fixes the pressure under water, too
    has_atmosphere_[c] = chambers_.is_open(c) ? 1 : 0;
  if (std::ranges::all_of(has_atmosphere_, may_be)) return true;
  const std::span<const std::int32_t> chamber = chambers_.of_regions(regions);
  for (std::size_t n = 0; n < regions.size(); ++n) {
    const auto of = static_cast<std::size_t>(chamber[n]);
    if (is_bubble_[n] == 0) has_atmosphere_[of] = 1;
    const auto size = [&](std::size_t region) { return regions[region].cells + regions[region].far_cells; };
    if (reference_[of] == none || size(n) > size(static_cast<std::size_t>(reference_[of])))
      reference_[of] = static_cast<std::int32_t>(n);
  }
  for (std::size_t c = 0; c < reference_.size(); ++c) {
    if (has_atmosphere_[c] != 0 || reference_[c] == none) continue;
    const auto region = static_cast<std::size_t>(reference_[c]);
    if (options_.bubbles == BubbleModel::incompressible) is_bubble_[region] = 0;
    gives_way_[region] = 1;
  }
  return std::ranges::any_of(is_bubble_, may_be);
}

/// The bubble of a region, made of what it shares with the step before. It is the next one of now_.
TrappedBubble TrappedAir::inherit(std::int32_t region) {
  TrappedBubble bubble;
  bubble.measured = measured_[static_cast<std::size_t>(region)];
  std::int64_t largest = 0;
  std::int32_t ancestor = none;
  double from_atmosphere = 0.0;
  for (const BubbleOverlaps::Overlap& overlap : overlaps_.of_region(region)) {
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
  if (ancestor != none && before_[static_cast<std::size_t>(ancestor)].holds_solids)  // no error of the motion
    bubble.offset = bubble.measured - bubble.volume;
  bubble.id = none;
  if (!(bubble.volume > 0.0) || !(bubble.rest_volume > 0.0)) return bubble;  // no bubble, and nobody's heir
  if (ancestor != none && largest > heirs_[static_cast<std::size_t>(ancestor)].weight) {
    Heir& heir = heirs_[static_cast<std::size_t>(ancestor)];
    if (heir.bubble != none) now_[static_cast<std::size_t>(heir.bubble)].id = none;
    heir = {largest, static_cast<std::int32_t>(now_.size())};
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
  if (now_.empty()) {
    if (layout_without_ == layout.id()) return;
    layout_without_ = layout.id();
    number_.reset(layout, Bubbles::none);
    number_.fill(Bubbles::none);
    return;
  }
  layout_without_ = 0;
  number_.reset(layout, Bubbles::none);
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
template <class Shape>
void TrappedAir::mark_block(const LabelField& labels, LocalIndex block) {
  const std::int32_t* const region = regions_.number().block(block);
  double* const mark = cells_now_.block(block);
  for (int c = 0; c < Shape::cells; ++c) {
    const std::int32_t holder = region[c] >= 0 ? holder_[static_cast<std::size_t>(region[c])] : none;
    mark[c] = region[c] < 0 ? no_air : holder >= 0 ? 2.0 * holder : atmosphere;
  }
  if (now_.empty() || near_[static_cast<std::size_t>(block)] == 0) return;
  const std::int32_t* const number = number_.block(block);
  for (int c = 0; c < Shape::cells; ++c) {
    if (number[c] >= 0) mark[c] = 2.0 * number[c];
    if (labels.block(block)[c] != Label::liquid) continue;
    if (const std::int32_t beside = lowest_beside<Shape>(number_, block, c); beside >= 0) mark[c] = 2.0 * beside + 1.0;
  }
}

void TrappedAir::mark_cells(const LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  cells_now_.reset(layout, no_air);
  with_shape(domain_.dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { mark_block<decltype(shape)>(labels, b); });
  });
}

/// Find which regions may be bubbles, are too small for one, or belong to the atmosphere.
void TrappedAir::find_kinds() {
  using Kind = BubbleOverlaps::Kind;
  const std::vector<AirRegions::Region>& regions = regions_.regions();
  kind_.assign(regions.size(), Kind::atmosphere);
  for (std::size_t n = 0; n < regions.size(); ++n) {
    const bool is_small = regions[n].cells + regions[n].far_cells < options_.least_cells;
    if (is_bubble_[n] != 0) {
      kind_[n] = Kind::bubble;
    } else if (!regions[n].is_open && is_small) {
      kind_[n] = Kind::small;
    }
  }
}

/// Make the bubbles of the regions that may be some.
void TrappedAir::find_bubbles() {
  heirs_.assign(before_.size(), {});
  for (std::size_t n = 0; n < regions_.regions().size(); ++n) {
    if (is_bubble_[n] == 0) continue;
    const auto region = static_cast<std::int32_t>(n);
    if (has_before_ && overlaps_.of_region(region).empty()) continue;
    TrappedBubble bubble = inherit(region);
    bubble.gives_way = gives_way_[n] != 0;
    if (!(bubble.volume > 0.0) || !(bubble.rest_volume > 0.0)) continue;  // a hole that no air has come into
    bubble_of_region_[n] = static_cast<std::int32_t>(now_.size());
    now_.push_back(bubble);
  }
  for (TrappedBubble& bubble : now_)
    if (bubble.id == none) bubble.id = next_id_now_++;
  find_takers();
  find_holders();
}

/// Find which bubbles go on from those of the step before.
void TrappedAir::find_takers() {
  taker_.assign(before_.size(), none);
  std::vector<std::int64_t>& most = weights_;
  most.assign(before_.size(), 0);
  for (const BubbleOverlaps::Overlap& overlap : overlaps_.all()) {
    if (overlap.before == none || overlap.region == none) continue;
    const std::int32_t bubble = bubble_of_region_[static_cast<std::size_t>(overlap.region)];
    const auto o = static_cast<std::size_t>(overlap.before);
    if (bubble == none || overlap.weight <= most[o]) continue;
    most[o] = overlap.weight;
    taker_[o] = bubble;
  }
}

/// Find the bubbles that hold the gas of regions too small for a bubble.
void TrappedAir::find_holders() {
  std::vector<std::int64_t>& most = weights_;
  most.assign(kind_.size(), 0);
  for (const BubbleOverlaps::Overlap& overlap : overlaps_.all()) {
    if (overlap.before == none || overlap.region == none) continue;
    const auto region = static_cast<std::size_t>(overlap.region);
    if (kind_[region] != BubbleOverlaps::Kind::small || overlap.weight <= most[region]) continue;
    most[region] = overlap.weight;
    holder_[region] = taker_[static_cast<std::size_t>(overlap.before)];
  }
}

void TrappedAir::find(const FreeSurface& surface, const SolidFields& solids, const NearLiquid& near_liquid) {
  if (!is_on()) return;
  const std::span<const std::uint8_t> of_liquid = near_liquid();
  near_.assign(of_liquid.begin(), of_liquid.end());
  AirWalls::mark(solids, surface.labels().layout(), near_);
  if (regions_.find(surface.labels(), solids, near_)) chambers_.forget();
  const std::vector<AirRegions::Region>& regions = regions_.regions();
  is_bubble_.assign(regions.size(), 0);
  for (std::size_t n = 0; n < regions.size(); ++n)
    is_bubble_[n] = !regions[n].is_open && regions[n].cells + regions[n].far_cells >= options_.least_cells;
  now_.clear();
  next_id_now_ = next_id_;
  bubble_of_region_.assign(regions.size(), none);
  holder_.assign(regions.size(), none);
  if (find_references(surface, solids)) {
    measure(surface, solids);
    overlaps_.clear();
    find_kinds();
    if (has_before_) overlaps_.find(regions_.number(), near_, kind_, measured_, cells_before_, before_.size());
    find_bubbles();
  }
  number_cells();
  mark_cells(surface.labels());
}

Bubbles* TrappedAir::prepare(double dt, double acting_time) {
  if (!is_on() || now_.empty()) return nullptr;
  acting_time_ = acting_time;
  bubbles_.number = &number_;
  bubbles_.of_far_block = [this](const Vec3i& block) {
    const std::int32_t region = regions_.of_far_block(block);
    return region < 0 ? Bubbles::none : bubble_of_region_[static_cast<std::size_t>(region)];
  };
  bubbles_.bubbles.clear();
  for (const TrappedBubble& bubble : now_) {
    Bubble of;
    of.lack = (bubble.volume + bubble.offset - bubble.measured) / domain_.cell_volume();
    of.is_held = !bubble.gives_way;
    if (options_.bubbles == BubbleModel::compressible) {
      of.pressure = acting_time * (bubble.pressure - options_.pressure) / (density_ * domain_.dx());
      of.softness = density_ * bubble.volume / (options_.gamma * bubble.pressure * dt * acting_time * domain_.dx());
      of.outflow = bubble.outflow;
      of.theta = bubble.is_new || bubble.turns >= most_turns ? 1.0 : 0.5;
    }
    bubbles_.bubbles.push_back(of);
  }
  return &bubbles_;
}

void TrappedAir::accept(double dt, const SolidFields& solids) {
  if (!is_on()) return;
  const double area = domain_.cell_volume() / domain_.dx();
  for (std::size_t i = 0; i < now_.size() && i < bubbles_.bubbles.size(); ++i) {
    TrappedBubble& bubble = now_[i];
    const Bubble& of = bubbles_.bubbles[i];
    if (options_.bubbles == BubbleModel::compressible) {
      // particles move by the outflow at the end of the step, the gas by its mean, and both by what walls sweep
      bubble.offset += dt * area * (of.outflow + of.swept - of.mean_outflow);
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
  mark_swept_cells(solids, dt, cells_before_);
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
    const double gauge = gauge_pressure(bubble);
    if (std::abs(gauge) > std::abs(largest)) largest = gauge;
  }
  return largest;
}

std::vector<double> TrappedAir::kept() const {
  if (kept_cells() == nullptr) return {};
  std::vector<double> numbers = {static_cast<double>(next_id_)};
  for (const TrappedBubble& bubble : before_)
    numbers.insert(numbers.end(),
                   {static_cast<double>(bubble.id), bubble.volume, bubble.rest_volume, bubble.outflow, bubble.offset,
                    bubble.turns, bubble.pressure, bubble.measured, bubble.holds_solids ? 1.0 : 0.0});
  return numbers;
}

void TrappedAir::restore(std::span<const double> numbers, std::span<const double> cells, const BlockLayout& layout) {
  constexpr std::size_t of_bubble = 9;
  constexpr double most = 9e15;  // whole numbers up to here are exact
  const double room = 1e6 * domain_.cell_volume() * domain_.cells().cast<double>().prod();  // [m^3]
  if (!is_on() || numbers.empty()) return;
  const auto refuse = [] {
    throw FileError("the checkpoint does not fit together: its bubbles do not match their cells.");
  };
  if (numbers.size() % of_bubble != 1 || !(numbers[0] >= 0.0) || numbers[0] > most) refuse();
  const std::size_t n = numbers.size() / of_bubble;
  next_id_ = static_cast<std::int64_t>(numbers[0]);
  before_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const double> of = numbers.subspan(1 + of_bubble * i, of_bubble);
    if (!(of[0] >= 0.0) || of[0] >= numbers[0]) refuse();
    before_.push_back({static_cast<std::int64_t>(of[0]), of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8] > 0.0});
    const TrappedBubble& bubble = before_.back();
    const double pressure = absolute_pressure(bubble);
    if (!(bubble.volume > 0.0) || !(bubble.volume < room) || !(bubble.rest_volume > 0.0) || !(pressure > 0.0) ||
        !std::isfinite(pressure) || !(std::abs(bubble.outflow) < most) || !(std::abs(bubble.offset) < room))
      refuse();
  }
  const auto fits = [n](double cell) {
    return cell == no_air || cell == atmosphere ||
           (cell >= 0.0 && cell < 2.0 * static_cast<double>(n) && cell == std::floor(cell));
  };
  const auto n_cells = static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
  if (cells.size() != n_cells || !std::ranges::all_of(cells, fits)) refuse();
  cells_before_.reset(layout, no_air);
  cells_before_.fill(no_air);
  std::ranges::copy(cells, cells_before_.data());
  has_before_ = true;
}

}  // namespace freshet
