// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/assembly.hpp"
#include "freshet/bodies/held_rows.hpp"
#include "freshet/bodies/kept_arrays.hpp"
#include "freshet/bodies/moorings.hpp"
#include "freshet/bodies/rigid_body.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/linear/dense.hpp"
#include "freshet/linear/regions.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/solids/held_force.hpp"
#include "freshet/solids/line_pull.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// A body that the liquid moves, at the start of a run. Numbers of a 2-D case are those of its slab of one cell.
struct FreeBody {
  int solid = 0;  ///< index of its solid
  BodyMass mass;
  unsigned fixed = 0;                        ///< bits of held axes, see fixed_axes()
  Vec3 velocity = Vec3::Zero();              ///< [m/s]
  Vec3 angular = Vec3::Zero();               ///< [rad/s]
  Vec3 force = Vec3::Zero();                 ///< [N]
  Vec3 moment = Vec3::Zero();                ///< [N m]
  double damping = 0.0;                      ///< [kg/s]
  double quadratic_damping = 0.0;            ///< [kg/m]
  double angular_damping = 0.0;              ///< [kg m^2/s]
  std::vector<std::vector<double>> springs;  ///< rows as in BodyParameters::springs
  std::shared_ptr<FreePath> path;            ///< path of the solid's motion, which FreeBodies sets
};

/// A free body from its keys. \param[in] thickness  of the slab in 2-D [m]; 1 in 3-D
FreeBody free_body(const BodyParameters& parameters, const BodyMass& mass, double thickness);

/// What a body does, for tables and output.
struct BodyReport {
  Vec3 center;    ///< centre of mass [m]
  Mat3 rotation;  ///< since the start
  Vec3 velocity;  ///< velocity of the centre in the last step [m/s]
  Vec3 angular;   ///< angular velocity in the last step [rad/s]
  Vec3 force;     ///< force of the liquid, friction included, mean over the last step [N]
  Vec3 moment;    ///< moment of the liquid about the centre, mean over the last step [N m]
};

/// What a joint does, for tables and output.
struct JointReport {
  double value = 0.0;          ///< free coordinate [m] or [rad]; 0 if there is none
  double rate = 0.0;           ///< [m/s] or [rad/s]
  double effort = 0.0;         ///< spring's and damper's part along it on the body, mean over the last step [N], [N m]
  double power = 0.0;          ///< power that the damper took, mean over the last step [W]
  Vec3 force = Vec3::Zero();   ///< force of the joint on its body, without `effort`, mean over the last step [N]
  Vec3 moment = Vec3::Zero();  ///< moment of the joint about the anchor, mean over the last step [N m]
};

/// What connects bodies to each other and to the ground.
struct BodyLinks {
  std::vector<Joint> joints;
  std::vector<Mooring> moorings;
};

/// Cells of bubbles of gas.
struct GasCells {
  /// Bubble of each cell, `far` in blocks far from the liquid, below 0 in all others; ghosts valid to width 1.
  const CellField<std::int32_t>& number;
  std::int32_t far;
  int count;  ///< number of bubbles
  /// Bubble that a far block belongs to, by its coordinates in blocks; below 0: none.
  const std::function<std::int32_t(const Vec3i&)>& of_far_block;
};

/// Faces of bodies towards bubbles of gas.
struct GasFaces {
  /// T, a row for each bubble and a column for each number of all bodies: sums over the closed parts of the faces of a
  /// bubble's cells, as in FreeBodies::add_rows(). What of a body lies in blocks far from the liquid is cut off there,
  /// and the cut counts as a face.
  Dense areas;
  std::vector<double> outflow_at_cuts;  ///< by bubble: the part of T V* of such cuts [m/s]
};

/// The rigid bodies that the liquid moves: their state, and their part in the pressure's system.
///
/// With M the mass matrix of a body, V its six velocities, p~ = dt p / (rho dx) and S as in add_rows(), the pressure
/// changes V by rho dx^3 M^-1 S^T p~. So the system of the pressure is
///   (A + sum S C S^T) p~ = b(V*) - S C J,   V' = V* + C (S^T p~ + J),   C = rho dx^3 M^-1
/// V* is the velocity without the liquid: inertia with the gyroscopic term, gravity, springs and other forces over dt.
/// J corrects the weight of liquid that the grid shows too large or too small at the surface of the body; see
/// add_rows(). M contains dt times the damping, which thereby acts at the end of the step. Along held axes C is 0.
/// Source: Batty, Bertails & Bridson 2007, section 3
///
/// Bodies that contacts connect have one C in the projections that hold(), see HeldRows: V' obeys the rows.
///
/// Bodies that joints connect have one C, which obeys the joints: see Assembly. Their V* is such that, moved by it, the
/// bodies keep their joints (SHAKE; Ryckaert, Ciccotti & Berendsen 1977); what the liquid adds keeps them to first
/// order, and at the end of a step the places are brought back onto the joints with the least displacement in the norm
/// of M.
///
/// All ranks hold the state of all bodies, with the same bits. A step that is tried again begins from the same state.
class FreeBodies {
 public:
  /// \param[in] density  of the liquid [kg/m^3]
  /// \param[in] links  joints and moorings
  FreeBodies(const Domain& domain, double density, const Vec3& gravity, std::vector<FreeBody> bodies,
             BodyLinks links = {});

  bool empty() const { return bodies_.empty(); }
  int count() const { return static_cast<int>(bodies_.size()); }
  const FreeBody& body(int n) const { return bodies_[static_cast<std::size_t>(n)]; }
  BodyReport report(int n) const;
  const BodyLinks& links() const { return links_; }
  const JointReport& joint_report(int joint) const { return joint_reports_[static_cast<std::size_t>(joint)]; }
  /// What a mooring does at the present place and velocity of its body.
  MooringForce mooring_report(int mooring) const;

  /// Set forces and moments about the centres that act on bodies until they are set again.
  /// \param[in] loads  one a body, the same on all ranks [N], [N m]; empty: none. Parallel: local
  void set_loads(std::span<const Vec6> loads);
  /// Adds forces and moments about the centres of the bodies to `loads`, one a body, for a step of dt [s] from a time
  /// on [s]. It gives the same on all ranks. [N], [N m]; in 2-D those of the slab of one cell.
  using Loads = std::function<void(double time, double dt, std::span<Vec6> loads)>;
  /// Let ask_for_loads() set the sum of what such functions add.
  void add_loads(Loads loads) { own_loads_.push_back(std::move(loads)); }
  /// Set the loads of a trial of a step of dt from a time on, if there are functions for them. Collective if one is
  void ask_for_loads(double time, double dt);
  /// Set the friction of the liquid along bodies with a wall law, until it is set again.
  ///
  /// With the drag D of all faces the load is the force F where dt D is at most half of the mass M. On a lighter body
  /// the load comes near the one at the velocity that friction alone would lead to: the velocity changes by up to
  /// (M + dt D)^-1 dt F, and the load is F - D times that. So friction does not turn a light body back. The forces of
  /// the liquid must change alike, see WallLaw::give_way().
  ///
  /// \param[in] forces  this rank's, while bodies keep their velocities; those of no solid do not count
  /// \param[in] dt  time over which they act [s]
  /// \return these changes of velocity by solid; empty if no body has a wall law
  /// Parallel: collective if a body has a wall law (one sum); the same on all ranks
  std::span<const Twist> set_friction(const SolidFields& solids, std::span<const HeldForce> forces, double dt,
                                      const Communicator& comm);
  /// Set the forces of the liquid's surface where it meets bodies, until they are set again.
  /// \param[in] pieces  this rank's \param[in] tension  [N/m]. Parallel: collective (one sum) with bodies and tension
  void set_line_tension(const SolidFields& solids, std::span<const LinePull> pieces, double tension,
                        const Communicator& comm);
  /// Set the impulses that viscous stress gives the bodies in all later trials, until they are set again. \param[in]
  /// impulses  one a body, the same on all ranks [kg m/s], [kg m^2/s]; empty: none. Parallel: local
  void set_stress(std::span<const Vec6> impulses);
  /// Set where a body is and how it moves, between two steps. The joints of its assembly are obeyed: other bodies of it
  /// move as well. \param[in] velocity  of the centre, and angular [m/s], [rad/s]. Parallel: local
  void set_state(int n, const BodyPlace& place, const Vec6& velocity);

  /// Keep what the pressure of this step gives the bodies, for set_foreseen() in the next one. \pre take_pressure().
  /// Parallel: local
  void foresee() { foresees_ = true; }
  /// Set the pressure of the last step, by which the liquid got its change of velocity in advance, until it is set
  /// again. The projections then give submerged bodies their share: the force of that pressure where they were
  /// then, in place of that where they are now. A body at the surface waits for the pressure itself, as its buoyancy
  /// changes with its place. \param[in] pressure  owned; extrapolated into cells that it lacks because a
  /// body was there [Pa]; null: none \param[in] length  of the step that it acts over [s]. Parallel: local
  void set_foreseen(const CellField<double>* pressure, double length) { foreseen_ = {pressure, length}; }
  /// Set the bodies' velocities to V* of a trial of a step. \param[in] dt  length of the step [s]
  /// \param[in] acting  interval over which forces act [s]. Parallel: local
  void predict(double dt, double acting);
  /// Give up a trial: the bodies have the velocities of the last step again. Parallel: local
  void give_up();
  /// End the step: the bodies move through dt by V'. \param[in] time  at the end of the step [s]. Parallel: local
  void end_step(double dt, double time);
  void set_time(double time);  ///< time of the present poses [s]

  /// The largest acceleration that springs, moorings, joints and given forces, which do not know the length of a step,
  /// give a body at its present place, at the distance of the radius of gyration from its centre. A body that the
  /// liquid pushed in the last step moves as much liquid as it displaces along. Parallel: local [m/s^2]
  double largest_acceleration() const;

  // What acts on bodies in a trial of a step, such as contact, reads these and pushes them.
  /// The pose at the start of the step.
  Pose pose(int n) const;
  /// Centre of mass at the start of the step. [m]
  const Vec3& center(int n) const { return states_[static_cast<std::size_t>(n)].center; }
  /// Velocity of the centre and angular velocity: V* after predict(), V' after take_pressure(), those of the last step
  /// after end_step(). [m/s], [rad/s]
  const Vec6& velocity(int n) const { return trials_[static_cast<std::size_t>(n)].velocity; }
  /// The change of the velocity of body n by an impulse on body m, over that impulse, in a trial of a step: M^-1 along
  /// free axes, 0 along held ones. \pre after predict(). [1/kg], [1/(kg m)], [1/(kg m^2)]
  Mat6 inverse_mass(int n, int m) const;
  /// The velocity along a row that a unit impulse along it gives a body that nothing holds or joins. [1/kg] or
  /// [1/(kg m^2)] \param[in] n  -1: the ground, 0
  double flexibility(int n, const Vec6& row) const;
  /// Add impulses on all bodies at once: V* and V' change by inverse_mass() times them.
  /// \param[in] impulses  one a body, the same on all ranks: linear, and angular about the centre at the start of the
  /// step [kg m/s], [kg m^2/s]
  /// \pre after predict() or take_pressure(); SolidFields::set_free_velocity() tells the grid. Parallel: local
  void push(std::span<const Vec6> impulses);
  /// Hold rows of the bodies' velocities in the next projections of this trial, in place of those held before: their
  /// impulses act with the pressure, and C is that of bodies that obey the rows. \param[in] rows  the same on all
  /// ranks \pre after predict(). Parallel: local
  void hold(std::span<const HeldRow> rows);
  /// The impulse along a held row, by its place in hold(). \pre after take_pressure() [kg m/s]
  double held_impulse(int row) const { return held_.impulse(row); }
  /// Set the bodies' velocities to V* again, with all pushes since predict() and what is held, for another projection.
  /// Parallel: local
  void take_back_pressure();

  // Where the bodies are among the solids of a grid.
  /// Find the bodies of all solids, for the calls below. Parallel: local
  void find_solids(const SolidFields& solids);
  /// The body that a solid is; -1: none. \pre find_solids()
  int of_solid(int solid) const { return of_solid_[static_cast<std::size_t>(solid)]; }
  /// The row whose product with V is the velocity of a solid's body at x along an axis. \pre find_solids()
  Vec6 row_at(int solid, const Vec3& x, int axis) const {
    return joined(Vec3::Unit(axis), arm_of(solid, x).cross(Vec3::Unit(axis)));
  }
  double cell_mass() const { return scale_; }  ///< mass of a cell full of liquid, rho dx^3 [kg]

  /// Numbers of columns in Regions, one region a body: 6, in 2-D 3.
  void append_columns(std::vector<int>& columns) const;
  /// Number of columns of all bodies.
  int columns() const { return count() * (domain_.dimension() == 3 ? 6 : 3); }
  /// Add the rows of all bodies.
  ///
  /// The row of cell c is the sum over the closed parts a of its faces that the body closes of
  /// a [n; (x - x_b) x n], n out of the cell, x the middle of the closed part.
  /// \param[in]     unknown  1 where the system has an unknown, owned
  /// \param[in]     first    number of the first body's region
  /// \param[in,out] regions  reset with the columns of append_columns(); not finished yet
  /// \param[in,out] floors   in cells that touch bodies which liquid may leave: the p~ at which the mean pressure on
  ///                         the body's part of the cell is 0, for several bodies the largest; null: not wanted [m/s]
  /// Parallel: collective (one sum, for J)
  void add_rows(const SolidFields& solids, const CellField<std::uint8_t>& unknown, int first, Regions& regions,
                CellField<double>* floors = nullptr);
  /// Add to J what set_foreseen() tells. \pre add_rows(), and Regions::finish() after it. Parallel: collective with a
  /// foreseen pressure (an exchange and two sums)
  void add_foreseen(int first, const Regions& regions);
  /// Give the regions J, and the matrices C of bodies and of bodies that joints or held rows connect. \pre add_rows().
  /// Parallel: local
  void set_matrices(int first, Regions& regions);
  /// Set the bodies' velocities to V'. \param[in] pressure  p~, owned
  /// \param[in] gas  what the pressure of gas adds to S^T p~, over the columns of all bodies; empty: nothing
  /// Parallel: collective (one sum)
  void take_pressure(const Regions& regions, const CellField<double>& pressure, std::span<const double> gas = {});

  // For bubbles of gas that touch bodies: all bodies' columns are one after the other.
  /// C of all bodies, one for all columns. Parallel: local
  Dense response() const;
  /// J of all bodies. Parallel: local
  std::vector<double> weights() const;
  /// The faces towards bubbles. \pre after add_rows(). Parallel: collective (two sums)
  GasFaces find_gas_faces(const SolidFields& solids, const GasCells& gas) const;

  /// The arrays that a restart needs, by name: those of bodies with a row a body, and the free coordinates of joints.
  KeptArrays kept() const;
  /// The same from a checkpoint that has a number for each element, with names "body.<solid>.<array><element>".
  /// \param[in] find  returns the number of a name, null if there is none. Errors: FileError if a number is missing
  KeptArrays kept_as_numbers(const std::function<const double*(const std::string&)>& find) const;
  /// Go on from such arrays. Errors: FileError if an array is missing, of another length or of other bodies
  void go_on(const KeptArrays& kept, double time);

 private:
  /// A body between two steps. Momenta are those along free axes.
  struct State {
    Vec3 center;    ///< [m]
    Mat3 rotation;  ///< since the start
    Vec6 velocity;  ///< velocities in the last step [m/s], [rad/s]
    Vec3 momentum;  ///< angular momentum, axes of space [kg m^2/s]
    Vec6 force;     ///< force and moment of the liquid in the last step [N], [N m]
    /// S^T p / (rho dx) in the last step, after foresee() in it; else 0 [m/s^2], [m^2/s^2]
    Vec6 pressed = Vec6::Zero();
  };
  /// What set_foreseen() has set.
  struct Foreseen {
    const CellField<double>* pressure = nullptr;
    double length = 0.0;
  };
  /// A body in a trial of a step.
  struct Trial {
    Vec6 predicted;  ///< V* [m/s], [rad/s]
    Vec6 velocity;   ///< V' [m/s], [rad/s]
    Mat6 response;   ///< C
    Vec6 weight;     ///< J [m/s], [m^2/s]
    Vec6 pressed;    ///< S^T p~ without gas [m/s], [m^2/s]
    Vec6 impulse;    ///< impulse of the liquid [kg m/s], [kg m^2/s]
    Vec6 pushed;     ///< impulses of push() [kg m/s], [kg m^2/s]
    Vec6 held;       ///< impulses of held rows [kg m/s], [kg m^2/s]
    Vec6 jointed;    ///< impulses of joints, but for springs' at the start of the step [kg m/s], [kg m^2/s]
    Vec3 momentum;   ///< angular momentum without the liquid [kg m^2/s]
    Mat6 held_back;  ///< added to the mass by what acts at the end of the step
  };
  /// A joint's spring and damper in a trial of a step.
  struct JointTrial {
    JointRow row;       ///< value and rows of the free coordinate
    double pull = 0.0;  ///< force of the spring at the start of the step [N] or [N m]
    double drag = 0.0;  ///< impulse at the end of the step over the rate [kg] or [kg m^2]
  };
  void find_loads(double dt);
  Vec6 present_force(std::size_t n) const;
  Vec6 begin_body(std::size_t n, double dt, Mat6& system);
  Mat6 plain_mass(std::size_t n) const;
  void predict_body(std::size_t n, double dt);
  void add_mooring(const Mooring& mooring, double dt);
  void set_change(std::span<const Vec6> impulses);
  std::vector<bool> find_submerged(int first, const Regions& regions, CellField<double>& ones);
  void obey_held_rows();
  template <class Function>
  void for_each_response(Function&& f) const;

  // body_friction.cpp
  void sum_friction(std::span<const HeldForce> forces, const Communicator& comm);
  Vec6 change_by_friction(std::size_t n, const Vec6& force, const Mat6& drag, double dt) const;

  // jointed_bodies.cpp
  BodyPlace place(int n) const;
  double flexibility(const Joint& joint, const JointRow& row) const;
  void find_joint_loads(double dt);
  void predict_assembly(Assembly& assembly, double dt);
  void hold_axes(Assembly& assembly) const;
  void find_rows(const Assembly& assembly, double dt);
  double largest_error(const Assembly& assembly, double dt);
  void set_assembly_rows(Assembly& assembly);
  void keep_joints(Assembly& assembly, double dt);
  void take_joint_impulses(Assembly& assembly);
  void mend_places(Assembly& assembly);
  [[noreturn]] void refuse_open_joint(const Assembly& assembly);
  void report_joint(const Assembly::Member& member, const Assembly& assembly);
  void measure_joints();
  void set_momentum(int n);

  void add_springs(std::size_t n, double dt, Vec6& force, Mat6& held_back) const;
  Vec3 spin_of(std::size_t n, const Vec3& momentum, double dt) const;
  bool is_held(std::size_t n, int axis) const { return (bodies_[n].fixed >> static_cast<unsigned>(axis) & 1U) != 0; }
  void move_path(std::size_t n, const Vec6& velocity);
  bool is_column(int axis) const { return domain_.dimension() == 3 || axis < 2 || axis == 5; }
  bool is_near(const SolidFields& solids, LocalIndex b, const Vec3& half) const;
  Vec3 arm_of(int solid, const Vec3& x) const;
  /// A closed part that a bubble's cell has beside a body.
  struct GasPart {
    std::int32_t bubble;
    int body;
    Vec6 row;
    double outflow;  ///< outflow through a cut at the end of near blocks; 0 for other parts [m/s]
  };
  template <class Shape>
  void append_gas_parts(const SolidFields& solids, const GasCells& gas, LocalIndex b,
                        std::vector<GasPart>& parts) const;
  template <class Shape>
  void add_rows_of_block(const SolidFields& solids, const CellField<std::uint8_t>& unknown, LocalIndex b, int first,
                         Regions& regions, double* floors);

  Domain domain_;
  double scale_;  ///< rho dx^3 [kg]
  Vec3 gravity_;
  double acting_ = 0.0;  ///< interval of the trial over which forces act [s]
  std::vector<FreeBody> bodies_;
  BodyLinks links_;
  std::vector<Assembly> assemblies_;
  std::vector<int> assembly_of_;  ///< assembly of each body; -1: nothing joins it
  std::vector<int> place_of_;     ///< place of each body in its assembly
  std::vector<State> states_;
  std::vector<Trial> trials_;
  HeldRows held_;                           ///< rows that are held in a trial
  std::vector<double> joint_values_;        ///< free coordinates at the present places [m] or [rad]
  std::vector<JointReport> joint_reports_;  ///< reports of the last step
  std::vector<JointTrial> joint_trials_;
  std::vector<Loads> own_loads_;
  std::vector<Vec6> given_loads_;         ///< loads of set_loads() or ask_for_loads() [N], [N m]
  std::vector<Vec6> friction_;            ///< friction of set_friction(), by body [N], [N m]
  std::vector<Vec6> line_tension_;        ///< by body: set_line_tension() [N], [N m]
  std::vector<Vec6> stress_;              ///< by body: set_stress() [kg m/s], [kg m^2/s]
  std::vector<Vec6> loads_;               ///< by body: both and what springs and moorings add to them in a trial
  std::vector<Mat6> mooring_drag_;        ///< by body: what moorings add to the mass in a trial
  std::vector<Vec6> changes_;             ///< buffer: by body, C times impulses
  std::vector<Vec6> impulses_;            ///< buffer: by body
  std::vector<Vec6> velocities_;          ///< buffer: by body
  std::vector<int> joined_;               ///< buffer: by body, the lowest number of those that joints connect with it
  std::vector<JointRow> joint_rows_;      ///< buffer: rows of an assembly
  std::vector<double> of_rows_;           ///< buffer: one number for each of them
  std::vector<double> of_errors_;         ///< buffer: the same
  std::vector<BodyPlace> places_before_;  ///< buffer: by body of an assembly
  std::vector<int> of_solid_;      ///< number of the free body of each solid of the grid, copies included; -1: none
  std::vector<Vec3> centers_;      ///< place of its centre of mass, shifted as the copy is [m]
  std::vector<ExactSum> weights_;  ///< buffer: J of each body
  std::vector<ExactSum> friction_sums_;  ///< buffer: sums of sum_friction()
  std::vector<ExactSum> line_sums_;      ///< buffer: sums of set_line_tension()
  std::vector<Twist> friction_changes_;  ///< by solid: result of set_friction()
  std::vector<Vec6> weights_of_block_;   ///< buffer: what one block adds to them
  std::vector<double> matrix_;           ///< buffer: matrix of a region or of regions that share one
  std::vector<int> coupled_;             ///< buffer: numbers of such regions
  std::vector<double> products_;         ///< buffer: one number for each column of all regions
  int first_ = 0;                        ///< region of the first body
  Foreseen foreseen_;
  CellField<double> padded_, extended_;  ///< buffers: the foreseen pressure with ghosts, and in cells with rows [Pa]
  bool foresees_ = false;                ///< foresee() has been called in this step
  double time_ = 0.0;                    ///< time of the states [s]
};

}  // namespace freshet
