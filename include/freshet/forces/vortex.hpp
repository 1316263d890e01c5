// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"
#include "freshet/grid/field.hpp"

#include <memory>

namespace freshet {

class Deposit;
class ParticleStore;

enum class VortexMethod { confinement, weights };

/// The vortex boost.
struct VortexOptions {
  static constexpr const char* table = "vortex";
  double boost = 0.0;  ///< 0: off
  VortexMethod method = VortexMethod::confinement;
};

keys::Keys keys_of(VortexOptions& vortex);
inline void check_force(const VortexOptions& /*vortex*/, const ForceScene& /*scene*/, const keys::Table& /*table*/) {}
/// Vorticity confinement; the boost by weights is no force but a part of the deposit, see VortexBoost.
std::unique_ptr<ForceTerm> make_force(const VortexOptions& vortex, const Domain& domain, const FluidOptions& fluid);

/// Width of the neighbourhood that confine_vorticity() reads. [cells]
constexpr int confinement_reach = 3;

/// Vorticity confinement: restore vortices that numerical diffusion has weakened.
///
///   u_f += dt a,   a = eps dx (N x omega),   N = grad |omega| / |grad |omega||
///
/// omega = curl u and N stand at cell centres, by central differences of velocities and of |omega| there; a face takes
/// the mean of its two cells. The force acts only where all the cells that it is computed from are liquid, two cells
/// off the surface and the walls; it depends on differences of velocity alone. In 2-D omega points along z.
/// \param[in]     labels    ghosts valid to width confinement_reach
/// \param[in]     u         faces, ghosts valid to width confinement_reach [m/s]; another field than `velocity`
/// \param[in]     strength  eps [1/s]
/// \param[in,out] velocity  owned faces [m/s]
/// Parallel: local; OpenMP over blocks; the same bits for any number of ranks and threads
/// Source: Fedkiw, Stam & Jensen 2001, section 3.2
void confine_vorticity(const LabelField& labels, const FaceField<double>& u, double strength, double dt,
                       FaceField<double>& velocity);

/// Vorticity confinement as a body force, see confine_vorticity().
class VorticityConfinement : public ForceTerm {
 public:
  /// \param[in] strength  eps [1/s]
  explicit VorticityConfinement(double strength) : strength_(strength) {}
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override {
    confine_vorticity(flow.labels, flow.velocity, strength_, dt, velocity);
  }
  /// Central differences over 2 dx make |omega| at most 2 sqrt(3) speed / dx, and |a| at most eps dx |omega|.
  double largest_acceleration(double time, double speed) const override;
  int reach() const override { return confinement_reach; }
  bool reports_energy() const override { return true; }

 private:
  double strength_;  ///< [1/s]
};

/// Factor of vortex.boost in the boost by weights: the source's 1.3.
constexpr double vortex_weight_factor = 1.3;
/// Bound of |u_v| / largest particle speed: 0.3 / 0.96, for kernels of radius 1.4 at one cell.
constexpr double vortex_weight_bound = 0.3125;

/// The vortex boost by weights: u_f += 1.3 boost u_v,f, where u_v is the result of Deposit's vortex kernel.
///
/// The source divides sum (W1 + 1.3 boost W2) u_p by sum W1: the weights of the numerator exceed those of the
/// denominator, so every velocity grows, a uniform one as well. The boost is therefore not Galilean-invariant and adds
/// energy without a cause; the run reports how much (boost_energy). FLIP takes the boosted velocity as the old one, so
/// particles receive the boost only through their PIC share, but they are moved by the whole boosted field. The
/// velocity grows by the same factor in each step, whatever dt is; shorter steps therefore amplify it without bound.
/// Here the standard mapping stays the trilinear one of the source's text; the boost's W1 (stiff, equation 5.43) and W2
/// (cubic, equation 5.44) of squared distances are as printed, cut off at one cell, where W2 / W1 has come to its
/// largest, vortex_weight_bound.
/// \param[in,out] velocity  owned faces [m/s]. Parallel: local; OpenMP
/// Source: Ioannidis 2012 (3D Particle in Cell / Fluid Implicit Particle Fluid Solver using OpenMP directives,
/// Bournemouth University), section 5.4.12, table 20
void boost_by_weights(const FaceField<double>& vortex_velocity, double boost, FaceField<double>& velocity);

/// The vortex boost by weights as a part of the step; keeps its buffers.
class VortexBoost {
 public:
  /// Off with another method than weights.
  explicit VortexBoost(const VortexOptions& vortex)
      : boost_(vortex.method == VortexMethod::weights ? vortex.boost : 0.0) {}

  bool is_on() const { return boost_ > 0.0; }
  /// Deposit u_v and add it, see boost_by_weights(). \pre sorted state of the layout
  /// \param[in,out] velocity  owned faces [m/s]. Parallel: collective; OpenMP
  void operator()(const ParticleStore& particles, Deposit& deposit, FaceField<double>& velocity);
  /// Factor by which the boost may raise the largest speed.
  double largest_gain() const { return 1.0 + vortex_weight_factor * vortex_weight_bound * boost_; }

 private:
  double boost_;
  FaceField<double> velocity_;  ///< u_v [m/s]
  FaceField<double> weight_;
};

}  // namespace freshet
