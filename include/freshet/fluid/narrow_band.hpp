// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace freshet {

/// Keeps particles only near the surface and near bodies; below them the grid alone holds the liquid.
///
/// The depth of a liquid cell is its distance in the maximum norm from the nearest cell of the domain that is air,
/// solid or cut by a body, or that lies beyond an open side. Cells deeper than the width R of the band are the bulk:
/// they are liquid without particles, and the velocity on their faces is advected on the grid. Where both cells of a
/// face are deeper than R - 1, the face takes the advected velocity, else that of the particles. A mean of the two
/// would feed energy into the liquid, as Ferstl et al. found.
///
/// In each step, between the blend and the motion,
///   - cells that have become bulk lose their particles, and so do those that particles have entered;
///   - bulk cells that are bulk no longer are seeded as at the start;
///   - bulk cells next to the band are seeded, others with those particles only that may leave the bulk in this step.
///     New places are drawn in every step, so that their flow through the rim is that of the liquid in the mean;
///   - the liquid's mass, particles plus a seeding for each cell of the bulk, is compared with the mass that came less
///     the mass that went. Cells at depth R gain or lose a particle each, drawn by lot, until the two agree. Where
///     cells at depth R count as full, what is left is what the core lacks: the density correction lets it in.
/// Random numbers depend on seed, step, cell and id.
/// Source: Ferstl, Ando, Wojtan, Westermann & Thuerey 2016, equation 3
class NarrowBand {
 public:
  struct Options {
    int width = 0;     ///< R [cells]; 0: particles are everywhere
    int per_axis = 2;  ///< number of particles along an axis of a full cell
    int per_cell = 8;  ///< number of particles in a full cell
    int tag = 0;       ///< tag of all particles
    double cfl = 1.0;  ///< time.cfl [cells]
    std::uint64_t seed = 0;
  };
  explicit NarrowBand(const Options& options) : options_(options) {}

  /// The message for a case in which all liquid would be bulk.
  static constexpr const char* why_refused =
      "'particles.band' would leave no particle: all liquid is farther than that from a surface, a body and an open "
      "side. Leave the band out";

  bool is_on() const { return options_.width > 0; }
  /// Begin with blocks of bulk. The next layout holds them and the blocks around them. \pre before the first layout
  void begin(const Domain& domain, const std::vector<BlockKey>& bulk_blocks);
  /// Move over to the next layout. \pre the layout before it still exists. Parallel: collective
  void carry_to(const BlockLayout& next);
  /// Go on from a checkpoint with a band. \param[in] zones  see below_core() [owned block][cell]
  /// \param[in] dt  length of the last step [s]
  /// Errors: FileError if a value exceeds 2 or the number of values is wrong. Parallel: local
  void restore(const std::vector<std::uint8_t>& zones, double dt);
  /// 1 in owned liquid cells that are R deep, 2 in those of the bulk, else 0. Particles come and go there at random:
  /// they tell neither the density nor the surface. Null before the first resample() and if the band is off.
  const CellField<std::uint8_t>* below_core() const { return has_begun_ ? &zone_ : nullptr; }
  /// Volume that each cell at depth R should let into the core in this step, as the core lacks it. [cells]
  double flow_into_core() const { return flow_into_core_; }
  /// The keys of this rank's blocks with bulk and of the blocks around them. Parallel: local
  std::vector<BlockKey> blocks() const;

  /// Find the depth of cells and the faces to be advected. \param[in] labels  ghosts are not read
  /// \param[in] particles  sorted state of the labels' layout. Parallel: collective (two gathers); OpenMP
  void find(const LabelField& labels, const SolidFields& solids, const ParticleStore& particles);
  /// Register the numbers that find() has counted. resample() needs their sums.
  void add_to(Reduction& reduction);
  /// Set u^n on the faces of the bulk: the velocity of the last step's end, advected for its length.
  ///
  /// \param[in,out] velocity      u^{n+1} of the last step [m/s]; ghosts are refreshed
  /// \param[in,out] velocity_old  owned faces; those of the bulk change [m/s]
  /// \param[in,out] weight        owned faces; those of the bulk get the weight of full cells
  /// Parallel: collective (one gather); OpenMP
  void advect(FaceField<double>& velocity, FaceField<double>& velocity_old, FaceField<double>& weight);
  /// Go back to u^n of the step that has begun, if advect() has set it: its faces are those of the next step.
  /// \param[in] velocity_old  as advect() left it [m/s] \param[in,out] velocity  owned faces [m/s]
  /// \return whether it has. Parallel: local
  bool return_velocity(const FaceField<double>& velocity_old, FaceField<double>& velocity);
  /// Begin a step, or end one of dt [s] with its velocity.
  void begin_step() { is_advected_ = false; }
  void end_step(double dt) { lag_ = dt; }

  struct Step {
    std::int64_t number;
    double dt;            ///< [s]
    GlobalIndex mass;     ///< number of particles that the liquid's mass amounts to
    GlobalIndex next_id;  ///< id of the first new particle
  };
  struct Report {
    GlobalIndex seeded = 0;
    GlobalIndex removed = 0;
    bool empties = false;  ///< whether it has removed all particles that there were
  };
  /// Make and remove particles, so that they fill the band, and set the bulk that find() has found.
  ///
  /// \param[in]     velocity   u^{n+1}, ghosts valid to width 1 [m/s]
  /// \param[in,out] particles  sorted state. If any came or went, sort_particles() must be called next
  /// Parallel: collective; OpenMP
  Report resample(const FaceField<double>& velocity, const Step& step, ParticleStore& particles);

  /// Sums that complete those over particles: each cell below the core counts as full of particles at its centre, less
  /// the particles that it holds. So the sums do not depend on which particles come and go at random.
  struct Moments {
    GlobalIndex n = 0;
    double max_u_squared = 0.0;      ///< [m^2/s^2]
    std::array<ExactSum, 7> sums{};  ///< sums of |u|^2 [m^2/s^2], u [m/s] and x [m]
  };
  /// The sums of this rank's cells. \param[in,out] velocity  ghosts are refreshed to width 1. Parallel: collective
  Moments moments(FaceField<double>& velocity, const ParticleStore& particles);

 private:
  void find_deep_blocks(const BlockLayout& layout);
  template <class Shape>
  void find_edges(const LabelField& labels, const SolidFields& solids, LocalIndex b);
  template <class Shape>
  void find_depth(const LabelField& labels, LocalIndex b);
  /// Numbers of this rank's blocks; after the reduction, numbers of all blocks.
  struct Counts {
    GlobalIndex mass = 0;       ///< particles, plus those of a seeding for each cell of the next bulk
    GlobalIndex in_core = 0;    ///< mass plus the particles of a seeding for each cell at the rim
    GlobalIndex rim_cells = 0;  ///< cells at depth R that keep their particles
  };
  template <class Shape>
  Counts count(const ParticleStore& particles, LocalIndex b);
  template <class Shape>
  struct Edit;
  struct BlockEdits {
    std::vector<NewParticle> added;
    std::vector<double> values;  ///< values of the added particles, in the order of GridValues
    std::vector<ParticleIndex> removed;
  };
  Report apply(GlobalIndex first_id, ParticleStore& particles);
  /// Moments of one block.
  struct BlockMoments {
    GlobalIndex n = 0;
    double max_u_squared = 0.0;
    std::array<double, 7> sums{};
  };

  Options options_;
  bool has_begun_ = false;
  double lag_ = 0.0;                             ///< time for which the velocity is to be advected in the bulk [s]
  bool is_advected_ = false;                     ///< whether advect() has set the velocity in this step
  std::vector<BlockKey> first_bulk_;             ///< blocks of begin(), until the first layout
  std::vector<BlockKey> first_blocks_;           ///< first_bulk_ and the blocks around it
  CellField<std::uint8_t> zone_;                 ///< zones of below_core()
  CellField<std::uint8_t> next_zone_;            ///< zones from the next resample() on
  CellField<std::uint8_t> edge_;                 ///< 1 in cells from which the depth is counted
  std::vector<std::uint8_t> has_edge_;           ///< whether each block has an edge; ghosts and background too
  std::vector<std::uint8_t> is_deep_;            ///< result of find_deep_blocks() for each owned block
  bool has_open_side_ = false;                   ///< whether a side of the domain is neither wall nor periodic
  CellField<std::uint8_t> state_;                ///< bits of a cell: see narrow_band.cpp
  CellField<std::uint8_t> marks_;                ///< bit d: the low face along axis d is advected
  std::vector<BlockMoments> moments_of_blocks_;  ///< buffer
  std::vector<BlockEdits> edits_;                ///< buffer: by owned block
  std::vector<NewParticle> added_;               ///< buffer
  std::vector<std::uint8_t> is_removed_;         ///< buffer: by particle
  Counts counts_;
  std::vector<Counts> counts_of_blocks_;
  double flow_into_core_ = 0.0;
};

}  // namespace freshet
