// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/air_options.hpp"
#include "freshet/air/air_regions.hpp"
#include "freshet/air/air_walls.hpp"
#include "freshet/air/bubble_overlaps.hpp"
#include "freshet/air/chambers.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/forces/fluid_options.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/pressure/bubbles.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// A bubble of trapped air and what it keeps from step to step.
struct TrappedBubble {
  std::int64_t id = 0;       ///< number that no other bubble of the run has
  double volume = 0.0;       ///< volume of its gas [m^3]
  double rest_volume = 0.0;  ///< volume of its gas at the atmosphere's pressure [m^3]
  double outflow = 0.0;      ///< Bubble::outflow after the last step: of the liquid [m/s]
  double offset = 0.0;       ///< volume on the grid less `volume` that no error of the motion has made [m^3]
  double turns = 0.0;        ///< number of last steps in a row in which the outflow changed its sign
  double pressure = 0.0;     ///< absolute pressure [Pa]
  double measured = 0.0;     ///< volume of the air on the grid [m^3]
  /// Whether solids far from the liquid may count as its air: in checkpoints of versions that did not know them.
  bool holds_solids = false;
  bool is_new = false;     ///< whether it was no bubble in the step before
  bool gives_way = false;  ///< whether it is not Bubble::is_held
};

/// The bubbles of a run: air that no path joins with the atmosphere, followed from step to step.
///
/// A region of air (AirRegions) is a bubble if it is not open, has enough cells, and is made of air that was there a
/// step before. What it was made of shows in the cells that it shares with the bubbles of the step before. Cells beside
/// such a bubble count only where no region has cells inside it, so that small bubbles that move are found again. What
/// joins the atmosphere is lost to it by cells; the rest of a bubble goes to its regions by their volumes (see
/// BubbleOverlaps). Air of the atmosphere that is closed off becomes a bubble at the atmosphere's pressure. A cell that
/// a wall passes in the step shows nothing, as its air before and after are on two sides (see mark_swept_cells()).
///
/// The gas of pieces that are too small for a bubble stays with the bubble that they break from.
///
/// The volume of a gas changes by its outflow alone. Where the outflow changes its sign in step after step, steps do
/// not resolve the oscillation, and theta (see Bubbles) is 1 in place of 1/2; so it is in the first step of a bubble,
/// at whose start the outflow is not known. What walls sweep in a step is known: the liquid's outflow alone has such a
/// mean. Errors of the motion make the air on the grid larger or smaller. The density correction makes a part of that
/// good in each step. It displaces particles, which changes neither the velocity of the liquid nor its pressure.
///
/// In a chamber without atmosphere the pressure of air that keeps its volume is determined up to a constant: there the
/// largest region is no bubble, and its pressure is that of the atmosphere. In a displacement the largest gas of such a
/// chamber gives way, because all volumes together need not be that of the chamber.
class TrappedAir {
 public:
  /// \param[in] vents  regions whose air belongs to the atmosphere
  TrappedAir(const Domain& domain, const AirOptions& options, const FluidOptions& fluid,
             std::span<const std::shared_ptr<const Shape>> vents = {});

  using NearLiquid = FreeSurface::NearLiquid;

  bool is_on() const { return options_.bubbles != BubbleModel::off; }
  /// Move the state between two steps to the next layout. \pre the present layout still exists. Parallel: collective
  void carry_to(const BlockLayout& next);
  /// Find the bubbles of the present labels, and which they were after the last step that accept() kept.
  /// \param[in] surface  ghosts of its fields valid to width 1. Parallel: collective; OpenMP
  /// \param[in] near_liquid  see FreeSurface::NearLiquid
  void find(const FreeSurface& surface, const SolidFields& solids, const NearLiquid& near_liquid);
  /// The bubbles as input of a projection; null if there is no such air.
  /// \param[in] dt  length of the step [s] \param[in] acting_time  time that the pressure acts for [s]. Parallel: local
  Bubbles* prepare(double dt, double acting_time);
  /// Keep the bubbles with the result of the last projection for the next step. \param[in] dt  [s]
  /// \param[in] solids  at the start of the step; bodies that the liquid moves have its velocities. Parallel: local
  void accept(double dt, const SolidFields& solids);

  /// The bubbles of the last find(), with the results of accept() if it came after it; the same on all ranks.
  const std::vector<TrappedBubble>& bubbles() const { return now_; }
  /// Sum of their volumes. [m^3]
  double volume() const;
  /// The deviation from the atmosphere's pressure that is largest in magnitude; 0 without bubbles. [Pa]
  double largest_pressure() const;
  /// Pressure of a bubble above that of the atmosphere. [Pa]
  double gauge_pressure(const TrappedBubble& bubble) const { return bubble.pressure - options_.pressure; }
  /// Bubble of each cell, index into bubbles(); or Bubbles::none, Bubbles::far. Of the layout of the last find();
  /// ghosts valid to width 1.
  const CellField<std::int32_t>& number() const { return number_; }

  /// The state that a restart goes on with: numbers, the same on all ranks, and a value for each owned cell.
  std::vector<double> kept() const;
  const CellField<double>* kept_cells() const { return is_on() && has_before_ ? &cells_before_ : nullptr; }
  /// \param[in] numbers, cells  results of kept() and kept_cells(); empty if that was null
  /// Errors: FileError if they do not fit together, perhaps on this rank alone. Parallel: local
  void restore(std::span<const double> numbers, std::span<const double> cells, const BlockLayout& layout);

 private:
  /// Volume of a region in one block. [cells]
  struct Part {
    std::int32_t region;
    double volume;
  };
  /// The bubble that has the id of a bubble of the step before.
  struct Heir {
    std::int64_t weight = 0;     ///< number of cells that they share
    std::int32_t bubble = none;  ///< index into now_
  };
  template <class Shape>
  void measure_block(const FreeSurface& surface, const SolidFields& solids, LocalIndex block);
  void measure(const FreeSurface& surface, const SolidFields& solids);
  bool find_references(const FreeSurface& surface, const SolidFields& solids);
  TrappedBubble inherit(std::int32_t region);
  void find_kinds();
  void find_bubbles();
  void find_takers();
  void find_holders();
  void number_cells();
  template <class Shape>
  void mark_block(const LabelField& labels, LocalIndex block);
  void mark_cells(const LabelField& labels);
  double absolute_pressure(const TrappedBubble& bubble) const;

  static constexpr std::int32_t none = -1;

  Domain domain_;
  AirOptions options_;
  double density_;  ///< [kg/m^3]
  AirRegions regions_;
  Chambers chambers_;
  std::vector<std::uint8_t> near_;             ///< by owned block: whether its air is followed by cells
  std::vector<std::uint8_t> is_bubble_;        ///< by region
  std::vector<BubbleOverlaps::Kind> kind_;     ///< by region
  std::vector<std::uint8_t> gives_way_;        ///< by region
  std::vector<std::int32_t> reference_;        ///< by chamber: its largest region
  std::vector<std::uint8_t> has_atmosphere_;   ///< by chamber
  std::vector<std::vector<Part>> parts_;       ///< by owned block
  std::vector<std::int32_t> place_of_region_;  ///< by region: index into sums_; none: it is no bubble
  std::vector<ExactSum> sums_;
  std::vector<double> measured_;  ///< by region; 0 if it is no bubble [m^3]
  BubbleOverlaps overlaps_;
  std::vector<Heir> heirs_;            ///< by bubble of the step before
  std::vector<std::int32_t> taker_;    ///< by bubble of the step before: that of now_ with most of its cells
  std::vector<std::int64_t> weights_;  ///< buffer
  std::vector<std::int32_t> holder_;   ///< by small region: bubble of now_ that keeps its gas
  std::vector<std::int32_t> bubble_of_region_;
  std::int64_t next_id_ = 0, next_id_now_ = 0;
  double acting_time_ = 0.0;  ///< time that the pressure of the last prepare() acts for [s]
  bool has_before_ = false;   ///< whether a step has been kept; same on all ranks
  std::vector<TrappedBubble> before_, now_;
  CellField<double> cells_before_, cells_now_;  ///< cells as mark_cells() tells
  CellField<double> buffer_;
  CellField<std::int32_t> number_;
  std::uint64_t layout_without_ = 0;  ///< id() of the layout in which number_ has no bubbles; 0: it has some
  Bubbles bubbles_;
};

}  // namespace freshet
