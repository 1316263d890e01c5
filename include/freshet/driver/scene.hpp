// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/contact.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"
#include "freshet/diagnostics/energy.hpp"
#include "freshet/forces/forces.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/named_attributes.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/sources/sinks.hpp"
#include "freshet/sources/sources.hpp"
#include "freshet/transfer/interpolate.hpp"
#include "freshet/viscosity/cell_viscosity.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// The solids of a case. Errors: InputError on all ranks for files that cannot be read. Parallel: collective
/// \param[out] free  bodies that the liquid moves; null: not asked for
std::vector<SolidBody> make_bodies(const Communicator& comm, const Parameters& parameters, ShapeMaker& make_shape,
                                   std::vector<FreeBody>* free = nullptr);

/// The contents of a case: domain, bodies, liquids, sources, sinks, the tank's motion, and particles' named attributes.
class Scene {
 public:
  /// Reads the files that the case names. Errors: InputError on all ranks. Parallel: collective
  Scene(const Communicator& comm, const Parameters& parameters);
  ~Scene();

  const Domain& domain() const { return domain_; }
  int particles_per_cell() const;  ///< number of particles in a full cell
  double particle_mass() const;    ///< [kg]
  const std::vector<SolidBody>& bodies() const { return bodies_; }
  /// Bodies that the liquid moves; their paths move bodies().
  const std::vector<FreeBody>& free_bodies() const { return free_bodies_; }
  /// Move out what solids are to others that touch them; none if no body is free.
  std::vector<ContactSurface> take_contact_surfaces() { return std::exchange(contact_surfaces_, {}); }
  const Sources& sources() const { return sources_; }
  /// FLIP fractions by particle tag.
  const FlipFractions& flip_fractions() const { return flip_fractions_; }
  /// Viscosities by particle tag.
  const TagViscosities& viscosities() const { return viscosities_; }
  const std::shared_ptr<const RigidMotion>& frame() const { return frame_; }  ///< null: the tank is at rest

  /// Make the particles of the liquids with ids from 0 on and their named attributes, on the ranks that own
  /// their blocks.
  ///
  /// \param[in,out] splitters  on return, every rank has about the same number of particles
  /// \param[in,out] particles  empty; home() is valid on return
  /// \param[out]    next_id    smallest id that no particle has
  /// \param[out]    deep_blocks  if given: owned blocks of liquid without particles, see seed_particles()
  /// Errors: InputError on all ranks if it makes no particle and there is no source. Parallel: collective
  SeedingReport seed(Splitters& splitters, ParticleStore& particles, GlobalIndex& next_id,
                     std::vector<BlockKey>* deep_blocks = nullptr);
  /// Move out the shapes that seed() has filled; none if liquids come from files of particles, too.
  std::vector<std::shared_ptr<const Shape>> take_filled_shapes() { return std::exchange(filled_shapes_, {}); }
  /// Add the named attributes that restored particles lack, and free the meshes that were read.
  void complete_restored(ParticleStore& particles);

  /// The inflow of sources and sinks into cells in [time, time + dt]; null if there is none. Sets the velocity of
  /// solids' faces that inlets flow through.
  ///
  /// \param[in] labels  ghosts valid to width 1. \return volume per time and cell face [m/s], valid until the next call
  /// Parallel: collective if a sink with a rate is on, else local
  const CellField<double>* inflow(const LabelField& labels, double time, double dt, SolidFields& solids);

  /// What exchange() did, summed over all ranks.
  struct Exchange {
    GlobalIndex emitted = 0;    ///< particles that sources made
    GlobalIndex held_back = 0;  ///< particles that sources did not make, as solids cover their inlets
    GlobalIndex absorbed = 0;   ///< particles that sinks took
    GlobalIndex ids = 0;        ///< ids that were used, including those of particles that were left out
  };
  bool exchanges() const { return !sources_.empty() || !sinks_.empty() || !own_sources_.empty(); }
  /// The shapes of the case's sinks.
  std::vector<std::shared_ptr<const Shape>> shapes_of_sinks() const;
  /// Returns particles that are added at time + dt to those of the case's sources. Each rank gives any part of them,
  /// without ids; particles outside the domain or inside solids are left out. [m], [m/s]
  using OwnSource = std::function<GivenParticles(double time, double dt)>;
  void add_source(OwnSource source) { own_sources_.push_back(std::move(source)); }
  /// Add the particles of sources and remove those in sinks, as of time + dt.
  ///
  /// \param[in]     first_id   first id of the particles that are added
  /// \param[in,out] particles  sorted state of the layout; on return home() is valid, for ParticleGrid::update()
  /// Parallel: collective
  Exchange exchange(const BlockLayout& layout, double time, double dt, GlobalIndex first_id, ParticleStore& particles);

  /// Sums over the particles in physical units. In a tank that moves, heights are the laboratory's: positions are
  /// relative to the tank.
  ParticleSums sums_of(const ParticleMoments& moments, double time) const;

  const std::vector<std::string>& remarks() const { return remarks_; }    ///< lines on the meshes that were read
  const std::vector<std::string>& warnings() const { return warnings_; }  ///< settings that may be mistakes

 private:
  void load_particles(const LiquidParameters& liquid, const Splitters& splitters, ParticleStore& particles,
                      GlobalIndex& next_id, SeedingReport& report) const;
  Exchange exchange_of_case(const BlockLayout& layout, double time, double dt, GlobalIndex first_id,
                            ParticleStore& particles);
  PlacementReport place(const BlockLayout& layout, double time, GivenParticles given, GlobalIndex first_id,
                        ParticleStore& particles) const;
  void finish_shapes();
  std::vector<std::shared_ptr<const Shape>> shapes_at(double time) const;

  const Communicator& comm_;
  Domain domain_;
  const Parameters& parameters_;
  std::unique_ptr<ShapeMaker> shape_maker_;  ///< null once all shapes are made
  std::vector<std::shared_ptr<const Shape>> filled_shapes_;
  std::vector<std::string> remarks_;
  std::vector<std::string> warnings_;
  std::vector<FreeBody> free_bodies_;
  std::vector<SolidBody> bodies_;
  std::vector<ContactSurface> contact_surfaces_;
  std::shared_ptr<const RigidMotion> frame_;
  Sources sources_;
  Sinks sinks_;
  std::vector<OwnSource> own_sources_;
  NamedAttributes attributes_;
  FlipFractions flip_fractions_;
  TagViscosities viscosities_;
  CellField<double> inflow_;  ///< inflow of sources and sinks: volume per time and cell face [m/s]
};

}  // namespace freshet
