// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/inlet.hpp"
#include "freshet/fluid/schedule.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/fluid/source_parameters.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/particles/locate.hpp"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace freshet {

/// The regions of a case that emit liquid.
///
/// An inflow brings Q = area x speed through the upstream side of its shape: by time t it has made
/// N(t) = floor(Q (time on) / particle volume) particles. Particle n enters at the time at which N reaches n + 1 and
/// has moved on with the inflow's velocity since, so that liquid leaves a nozzle as dense as it is seeded whatever the
/// steps. It is a function of time alone: nothing is carried from step to step. The grid is told of it
///   - where the inlet lies on a wall or a solid of whole cells: its faces move with the inflow's velocity, beside that
///     of the solid;
///   - where liquid or a solid of open fractions lies upstream of the inlet: its cells get the volume as a source of
///     divergence;
///   - where air lies upstream: nothing, the air gives way.
/// A fill makes a particle in every sub-cell inside its shape that has none, be they there already or made by a source
/// before it.
class Sources {
 public:
  /// Errors: InputError for an inflow without a cross-section, or with one that lies on a solid that moves
  Sources(const Domain& domain, const SourceOptions& options, const std::vector<SourceParameters>& sources,
          ShapeMaker& make_shape, const std::vector<SolidBody>& solids);

  bool empty() const { return sources_.empty(); }
  bool is_over(double t) const;  ///< no source will be on after t
  /// Of what may be emitted after time t. [m/s]
  double largest_speed(double t) const;
  /// Where solids are from now on: nothing is emitted into them. Inlets stay cut as the solids were at the start.
  void see_solids(const std::vector<std::shared_ptr<const Shape>>& solids) { solids_ = solids; }
  /// True if an inflow is on in [t, t + dt].
  bool flows(double t, double dt) const;

  /// Tell the grid of what comes in [t, t + dt]: velocities of solid faces (set), and the volume per time and cell face
  /// that cells give (added). [m/s]
  ///
  /// \param[in] labels  ghosts valid to width 1
  /// Parallel: local. Writes owned and ghost faces of `solids`, owned cells of `inflow`
  void prescribe(const LabelField& labels, double t, double dt, SolidFields& solids, CellField<double>& inflow) const;

  /// What comes in blocks of this rank.
  struct Emission {
    std::vector<NewParticle> particles;  ///< by key of the block, then in an order that does not depend on ranks
    std::vector<int> source_of;          ///< number of the source of each
    GlobalIndex held_back = 0;           ///< particles that do not come, as a solid covers the inlet where they enter
  };
  /// What comes in [t, t + dt], as it stands at t + dt. Home keys that do not exist yet are added.
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
  /// The upstream face of a cell that an inlet brings liquid into.
  struct InflowFace {
    Vec3i cell;
    int axis;
    int side;    ///< -1: the cell's low face along the axis, 1: its high one
    double way;  ///< volume per time and face [m/s]
    double u;    ///< velocity along the axis [m/s]; 0 while the source is off
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
  Vec3i sub_cells() const;  ///< of a cell, along each axis
  bool is_free(const Vec3& x) const;

  const Domain& domain_;
  std::vector<Source> sources_;
  std::vector<std::shared_ptr<const Shape>> solids_;
  int per_axis_;
  std::uint64_t seed_;
  double particle_volume_;  ///< [m^3]
};

}  // namespace freshet
