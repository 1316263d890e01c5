// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/particles/locate.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/sources/inlet.hpp"
#include "freshet/sources/schedule.hpp"
#include "freshet/sources/source_parameters.hpp"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace freshet {

/// The regions of a case that emit liquid.
///
/// An inflow brings the volume Q = area x speed per time through the upstream side of its shape. By time t it has made
/// N(t) = floor(Q (time on) / particle volume) particles. Particle n enters at the time at which N reaches n + 1, and
/// then moves with the inflow's velocity. So liquid leaves a nozzle as dense as it is seeded, for any step length.
/// N depends on time alone: no state is carried from step to step. The grid learns of an inflow in three ways:
///   - Where the inlet lies on a wall or a solid of whole cells, the inflow's velocity is added to the velocity of the
///     faces there.
///   - Where liquid or a solid of open fractions lies upstream of the inlet, the cells at the inlet get the volume as a
///     source of divergence.
///   - Where air lies upstream, nothing is needed: the air gives way.
/// A fill makes a particle in every sub-cell inside its shape that holds no particle yet.
class Sources {
 public:
  /// Errors: InputError for an inflow without a cross-section, or with one that lies on a solid that moves
  Sources(const Domain& domain, const SourceOptions& options, const std::vector<SourceParameters>& sources,
          ShapeMaker& make_shape, const std::vector<SolidBody>& solids);

  bool empty() const { return sources_.empty(); }
  std::vector<Box> bounds() const;  ///< box around the shape of each source [m]
  bool is_over(double t) const;     ///< no source will be on after t
  /// Upper bound of the speed of anything emitted after time t. [m/s]
  double largest_speed(double t) const;
  /// dt, or less: a step from t on ends where a source switches on or off; see step_to_jump(). [s]
  /// \param[in] length  displacement of liquid that the step allows [m]
  double seen_step(double t, double dt, double length) const;
  /// Set where the solids are: sources emit nothing into them. The cross-sections of inlets do not change.
  void see_solids(const std::vector<std::shared_ptr<const Shape>>& solids) { solids_ = solids; }
  /// True if an inflow is on in [t, t + dt].
  bool flows(double t, double dt) const;

  /// Prescribe the inflows of [t, t + dt] on the grid. [m/s]
  ///
  /// The velocities of solid faces at inlets are set. The volume that cells receive, per time and area of a cell's
  /// face, is added to `inflow`.
  ///
  /// \param[in] labels  ghosts valid to width 1
  /// Parallel: local. Writes owned and ghost faces of `solids`, owned cells of `inflow`
  void prescribe(const LabelField& labels, double t, double dt, SolidFields& solids, CellField<double>& inflow) const;

  /// The particles that sources emit in blocks of this rank.
  struct Emission {
    std::vector<NewParticle> particles;  ///< by block key; within a block in the same order on any number of ranks
    std::vector<int> source_of;          ///< number of each particle's source
    GlobalIndex held_back = 0;           ///< particles not emitted because a solid covers their part of the inlet
  };
  /// The particles emitted in [t, t + dt], with their positions at t + dt. Home keys that do not exist yet are added.
  ///
  /// \pre the store is sorted by `layout` and open for edits. Parallel: local
  Emission emit(const BlockLayout& layout, double t, double dt, ParticleStore& particles) const;

 private:
  struct Source {
    SourceParameters parameters;
    std::shared_ptr<const Shape> shape;
    Schedule schedule;
    std::optional<Inlet> inlet;    ///< none: fill
    Vec3 velocity = Vec3::Zero();  ///< [m/s]
    double rate = 0.0;             ///< [m^3/s]
  };
  struct Made {
    BlockKey key;
    NewParticle particle;
    int source;
  };
  /// The upstream face of a cell into which an inlet brings liquid.
  struct InflowFace {
    Vec3i cell;
    int axis;
    int side;     ///< -1: the cell's low face along the axis, 1: its high one
    double flux;  ///< volume per time and area of the face [m/s]
    double u;     ///< velocity along the axis [m/s]; 0 while the source is off
  };
  std::vector<InflowFace> inflow_faces(double t, double dt, const SolidFields& solids) const;
  /// Sub-cells of a block that hold a particle, by the block's key.
  using TakenSubCells = std::unordered_map<BlockKey, std::vector<std::uint8_t>>;
  GlobalIndex inflow(const BlockLayout& layout, int index, double t, double dt, std::vector<Made>& made) const;
  bool comes_near(const BlockLayout& layout, const Source& source, double dt) const;
  std::optional<Place> choose_place(const BlockLayout& layout, const std::array<Vec3, 3>& candidates,
                                    GlobalIndex& held_back) const;
  Made make(const Place& place, int index) const;
  void fill(const BlockLayout& layout, int index, const ParticleStore& particles, TakenSubCells& taken,
            std::vector<Made>& made) const;
  CellBox fill_blocks(const Shape& shape) const;
  std::vector<std::uint8_t>& taken_in(const BlockLayout& layout, BlockKey key, const ParticleStore& particles,
                                      const std::vector<Made>& made, TakenSubCells& taken) const;
  std::size_t slot_of(const ParticleReal* x) const;
  void fill_block(int index, const Vec3i& block, std::vector<std::uint8_t>& taken, std::vector<Made>& made) const;
  std::size_t slot(const Vec3i& sub_cell) const;
  Vec3i sub_cells() const;  ///< number of sub-cells of a cell along each axis
  bool is_free(const Vec3& x) const;

  const Domain& domain_;
  std::vector<Source> sources_;
  std::vector<std::shared_ptr<const Shape>> solids_;
  int per_axis_;
  std::uint64_t seed_;
  double particle_volume_;  ///< [m^3]
};

}  // namespace freshet
