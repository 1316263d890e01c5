// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/solids/body_in_cell.hpp"
#include "freshet/solids/solid_parameters.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// How the grid represents a solid.
enum class Surface {
  voxels,  ///< cells whose centre lies in it are solid, their faces closed; so are faces it passes between two centres
  fractions  ///< faces are open by the part that lies outside (Batty, Bertails & Bridson 2007), as far as no thin wall
             ///< cuts it off: see CellParts
};

/// Number of a body's copy on periodic axes.
///
/// A body at rest that reaches across a periodic side has copies whole periods away from it. A body that moves has one
/// copy on either side of it; when its middle leaves the domain, it and its copies go back by a period, so that the
/// domain never lacks one.
struct PeriodicCopy {
  Vec3 period = Vec3::Zero();    ///< size of the domain; 0 along axes without copies [m]
  Vec3 origin = Vec3::Zero();    ///< low corner of the domain [m]
  Vec3i number = Vec3i::Zero();  ///< number of periods between the copy and the body
  int of = -1;                   ///< index of the copied body; -1: not a copy
};

/// A rigid obstacle.
struct SolidBody {
  std::shared_ptr<const Shape> shape;  ///< shape at the place of the case file
  Slip slip = Slip::free_slip;
  WallCondition wall = WallCondition::sticky;
  Surface surface = Surface::voxels;
  std::shared_ptr<const RigidMotion> motion = {};  ///< null: at rest
  PeriodicCopy copy = {};
  double roughness = 0.0;  ///< with slip wall_law: equivalent diameter of sand grains; 0: smooth [m]

  bool is_free() const { return motion != nullptr && motion->is_free(); }  ///< whether the liquid moves it
  Pose pose(double time) const { return pose(time, time); }
  /// The pose at a time [s], moved by whole periods as at `periods_at`, so that it does not jump within a step.
  Pose pose(double time, double periods_at) const;
  std::shared_ptr<const Shape> shape_at(double time) const { return shape_at(time, time); }  ///< at the pose
  std::shared_ptr<const Shape> shape_at(double time, double periods_at) const;
  /// The velocities that move the body from its pose at a time through dt. [s]
  Twist twist(double time, double dt) const;
  /// Displacement by whole periods in addition to the body's motion. [m]
  Vec3 shift(double time) const;
};

/// Whether a moving body may touch the domain within dt after a time. [s] Parallel: local
bool comes_to_domain(const SolidBody& body, const Domain& domain, double time, double dt);

/// Upper bound of the distance from a moving body's pivot to its points in the domain within dt after a time. [m]
double reach_in_domain(const SolidBody& body, const Domain& domain, double time, double dt);

/// Upper bound of the path length of the bodies' points in the domain within dt after a time. [m]
///
/// Bodies that do not come to the domain do not count. Parallel: local
double largest_way(const std::vector<SolidBody>& bodies, const Domain& domain, double time, double dt);

/// Bits of SolidFields::wall(): the relation of a face to solids.
enum WallBits : std::uint8_t {
  solid_below = 1,     ///< the cell on its low side is solid
  solid_above = 2,     ///< the cell on its high side is solid; with solid_below: the face lies deep in a solid
  may_separate = 4,    ///< liquid may leave this wall
  deep_no_slip = 8,    ///< the cells on both sides belong to no-slip solids
  covered = 16,        ///< closed by a body of open fractions, whose surface lies elsewhere: see CoveredFace
  held = 32,           ///< a source flows in, in place of may_separate: liquid does not leave the wall
  thin_wall = 64,      ///< a body of whole cells stands between the centres of two cells, and in neither of them
  no_slip_wall = 128,  ///< with thin_wall: liquid does not slide along the body
  one_solid = solid_below | solid_above
};
inline bool is_wall_face(std::uint8_t bits) {
  return (bits & one_solid) == solid_below || (bits & one_solid) == solid_above || (bits & thin_wall) != 0;
}

constexpr std::uint8_t free_slip_solid = 1;
constexpr std::uint8_t no_slip_solid = 2;

/// A closed face inside a body of open fractions, near its surface.
struct CoveredFace {
  std::int16_t face;  ///< number in its block
  std::int8_t axis;
  std::int16_t body;  ///< index of the body
  bool is_thin;       ///< a thin wall, between two cells that are not solid: liquid may be on both sides
  float normal[3];    ///< normal of the body's surface nearby, out of the body
  float velocity[3];  ///< velocity of the body [m/s]
};

/// A face through which a moving body of open fractions carries other than the face's closed part and velocity say:
/// it covers the face in part, or the face is a wall of the domain, which the body passes.
struct BodyFlow {
  std::int16_t cell;  ///< number in its block of the cell on one side
  std::int8_t axis;
  std::int8_t outward;        ///< -1 for the low face of the cell, 1 for the high one
  float closed;               ///< closed part of the face that moves; 0 for a wall of the domain
  float covered;              ///< part of the face that the body covers
  float middle[3];            ///< place of that part's middle, from that of the face [cells]
  std::int16_t body;          ///< index of the body that covers it
  std::int16_t body_of_face;  ///< index of the body nearest to the middle of the face
  float outflow;  ///< volume per second that leaves the cell beyond `closed` times velocity, over the face's area [m/s]
};

/// What a body of open fractions that the liquid moves takes of a cell.
struct TakenPart {
  std::int16_t cell;  ///< number in its block
  std::int16_t body;  ///< index of the body
  BodyInCell part;
};

/// A cell beside a thin wall: one that closes a face between two cells that are not solid, or one of solid cells that
/// is a single cell thick.
struct WalledCell {
  std::int16_t cell;   ///< number in its block
  std::uint32_t seen;  ///< the cells around it that no such wall cuts off from it: bits by direction_index. Of a solid
                       ///< cell of the wall that bit tells whether the nearest surface to its centre is on this side.
};

/// One side of a wall of solid cells that is a single cell thick, at one of those cells.
struct SolidSide {
  std::int16_t cell;  ///< number in its block of the solid cell
  /// The cells around it that are not solid and are joined with each other there: bits as in WalledCell.
  std::uint32_t cells;
};

/// A cell whose centre lies in a body of open fractions, and which the body does not fill.
struct CutCell {
  std::int16_t cell;     ///< number in its block
  std::int16_t outward;  ///< direction_index of the neighbour along the body's outward normal
};

inline constexpr double listed_within = 8.0;  ///< distance from a block up to which bodies count as near it [cells]

/// Distance from which on center_distances() do not tell how far bodies are. [cells]
inline constexpr double known_within = 4.0;

/// A body near a block.
struct NearBody {
  std::int32_t body;  ///< index of the body
  double distance;    ///< signed distance from the block's centre to the body [m]
  double least;       ///< the signed distance of any place to the body is at least this minus the way to the centre [m]
  Vec3 middle;        ///< centre of a body that is a ball [m]
  double radius;      ///< radius of such a ball; below 0 for other bodies [m]

  /// Signed distance of a place to the body. [m] \param[in] shape  of the body
  double distance_of(const Vec3& x, const Shape& shape) const {
    return radius < 0.0 ? shape.signed_distance(x) : distance_to_ball(x, middle, radius);
  }
};

/// The bodies near a block or near a part of it, in their order.
struct BodyList {
  std::span<const NearBody> bodies;
  std::size_t first = 0;  ///< which of them is probably the nearest one
  Vec3 center;            ///< centre of the block or the part [m]
  double beyond;  ///< the signed distance of any place to other bodies is at least this minus the way to the centre [m]
};

/// The bodies near a block. Its parts are its halves along each axis: the number of a part has bit d if it lies on the
/// high side of axis d. Blocks far from bodies have no lists of parts, nor have blocks near few bodies.
struct BodiesOfBlock {
  BodyList list;
  std::array<BodyList, 8> parts;
  bool has_parts = false;
  int part_bits = 0;      ///< bits that numbers of parts may have
  double rounding = 0.0;  ///< a length far below that of a cell [m]
};

class NearBodies;

/// The solids on the grid: fields on owned and ghost blocks.
///
/// Domain walls are solids of whole cells: faces on them have open fraction 0. Faces towards cells beyond an open face
/// are open. A cell is solid if its centre lies in a body of voxels, or all its corners in one of fractions, or if it
/// lies beyond the domain, behind open sides as well: so are the cells of blocks that do not exist.
class SolidFields {
 public:
  /// Fill all fields for a layout, with the bodies where they are at `time`. [s] Their velocities are 0 until
  /// set_velocity(). Parallel: local (shapes are known everywhere, so ghosts are computed, not exchanged); OpenMP
  void reset(const BlockLayout& layout, const std::vector<SolidBody>& bodies, double time = 0.0);
  /// Move the bodies to their poses at `time`. Only blocks near moving bodies change. Parallel: as reset()
  void move_to(double time);
  /// Give solid faces the velocities that move the bodies from their poses through dt. [s]
  ///
  /// What a rigid body carries through a face that it covers in part is that part times its velocity in the middle of
  /// the part, not at the middle of the face: see body_flows().
  ///
  /// A wall of whole cells has stairs that are not the body's. Where liquid slides along a body, a stair must push it
  /// with the normal velocity of the surface there, and neither drag liquid that rests beside a surface moving in
  /// itself nor hold back liquid that the body carries along. So it moves with
  ///   u_s = (u . n) n + s (u - (u . n) n),   s = the part of the second term that the liquid has already, 0 to 1.
  /// \param[in,out] liquid  velocity of the liquid, owned; ghosts are refreshed to width 1. Null: it is at rest
  /// Parallel: collective if a moving body of voxels lets liquid slide and `liquid` is given, else local; OpenMP
  void set_velocity(double dt, FaceField<double>* liquid = nullptr);
  /// Give the faces of bodies that the liquid moves their present velocities; other faces keep theirs.
  ///
  /// Stairs of whole cells move with the velocity of the body itself, as the force on them must be that of the same
  /// area. \param[in] dt  as in set_velocity(). Parallel: local; OpenMP
  void set_free_velocity(double dt);

  const FaceField<float>& open_fraction() const { return open_fraction_; }  ///< 0 closed .. 1 open; background 0
  const FaceField<float>& velocity() const { return velocity_; }            ///< u_s along the normal [m/s]
  /// velocity() for sources, which set it at inlets on walls.
  FaceField<float>& writable_velocity() {
    velocity_.expand();
    return velocity_;
  }
  /// 0, free_slip_solid or no_slip_solid; cells beyond the domain are free_slip_solid (see apply_domain_faces)
  const CellField<std::uint8_t>& is_solid() const { return is_solid_; }
  /// WallBits of each face, owned and ghost; the background's lie between solids.
  const FaceField<std::uint8_t>& wall() const { return wall_; }
  FaceField<std::uint8_t>& wall() { return wall_; }  ///< for sources, which hold their liquid at inlets on walls
  const std::vector<CutCell>& cut_cells(LocalIndex owned_block) const {
    return cut_cells_[static_cast<std::size_t>(owned_block)];
  }
  /// Cells that the surface of a body of open fractions cuts which liquid may leave.
  const std::vector<std::int16_t>& separating_cells(LocalIndex owned_block) const {
    return separating_cells_[static_cast<std::size_t>(owned_block)];
  }
  const std::vector<CoveredFace>& covered_faces(LocalIndex owned_block) const {
    return covered_faces_[static_cast<std::size_t>(owned_block)];
  }
  /// Flow that bodies drive into cells beyond that of the closed parts of the cells' faces, in the order of cells.
  const std::vector<BodyFlow>& body_flows(LocalIndex owned_block) const {
    return body_flows_[static_cast<std::size_t>(owned_block)];
  }
  /// What bodies that the liquid moves take of the cells, in the order of cells; only bodies of open fractions.
  const std::vector<TakenPart>& taken_parts(LocalIndex owned_block) const {
    return taken_parts_[static_cast<std::size_t>(owned_block)];
  }
  /// The cells beside thin walls that do not see all cells around them, in order.
  const std::vector<WalledCell>& walled_cells(LocalIndex owned_block) const {
    return walled_cells_[static_cast<std::size_t>(owned_block)];
  }
  /// The sides of walls of solid cells that are a single cell thick, several for each such cell, in the order of cells.
  const std::vector<SolidSide>& solid_sides(LocalIndex owned_block) const {
    return solid_sides_[static_cast<std::size_t>(owned_block)];
  }
  /// Whether a face at a thin wall may lie in an owned block or in an existing one beside it: no bit may depend on it.
  bool is_near_thin_wall(LocalIndex owned_block) const {
    return is_near_thin_wall_[static_cast<std::size_t>(owned_block)] != 0;
  }
  /// Velocity of the nearest body at a place [m], since the last set_velocity(). [m/s] \pre there is a body
  Vec3 velocity_at(const Vec3& x) const;
  /// Index of the body nearest to the middle of a low face along an axis, by owned and ghost block; -1 where the face
  /// is open, a wall of the domain, or far from bodies.
  int body_at_face(LocalIndex block, int axis, int cell) const {
    const FaceBodies& bodies = face_bodies_[static_cast<std::size_t>(block)];
    const auto n = static_cast<std::size_t>(axis * layout_->cells_per_block() + cell);
    return n < bodies.size() ? bodies[n] : -1;
  }
  /// Signed distances of the centres of a block's cells to the nearest body, known_within cells where none is nearer;
  /// empty in blocks far from bodies. Owned and ghost blocks. [m]
  std::span<const double> center_distances(LocalIndex block) const {
    return center_distances_[static_cast<std::size_t>(block)];
  }
  /// Lower bound of the distance from any cell of an owned block to a body. [cells]
  float nearest(LocalIndex owned_block) const { return nearest_[static_cast<std::size_t>(owned_block)]; }
  /// The bodies that are nearer than listed_within to the cells of a block; owned and ghost blocks.
  BodiesOfBlock near_block(LocalIndex block) const;
  bool has_closed_face(LocalIndex block) const {  ///< whether a block stores a closed face; owned and ghost blocks
    return has_closed_face_[static_cast<std::size_t>(block)] != 0;
  }
  const std::vector<SolidBody>& bodies() const { return bodies_; }
  /// The bodies' shapes at time().
  const std::vector<std::shared_ptr<const Shape>>& shapes() const { return shapes_; }
  double time() const { return time_; }  ///< time of the bodies' poses [s]
  bool any_no_slip() const { return any_no_slip_; }
  bool any_moving() const { return any_moving_; }        ///< same on all ranks
  bool any_fractions() const { return any_fractions_; }  ///< same on all ranks
  /// True if liquid may leave a body of open fractions. Same on all ranks.
  bool any_separating_fractions() const { return any_separating_fractions_; }

 private:
  /// The bodies near a block, and those near its parts, one part after the other.
  struct ListedBodies {
    std::vector<NearBody> of_block, of_parts;
    std::array<std::int32_t, 9> begin{};  ///< first body of each part, and the end of the last part
  };
  using CenterDistances = TrackedVector<double, MemoryKind::fields>;
  using FaceBodies = TrackedVector<std::int16_t, MemoryKind::fields>;
  void place(double time);
  Vec3 center_of_block(LocalIndex b) const;
  Vec3 way_to_part(int part) const;
  NearBody near_body(std::size_t n, const Vec3& center) const;
  void list_bodies_of_parts(LocalIndex b);
  template <class Block>
  void measure_block(LocalIndex b);
  void forget_cells(LocalIndex b);
  void open_block(LocalIndex b);
  template <class Block>
  void fill_block(LocalIndex b);
  template <class Block>
  void cut_block(LocalIndex b, const NearBodies& near);
  void cover_face(LocalIndex b, int face, int axis, const NearBodies& near, const Vec3& x);
  template <class Block, class Distances>
  void add_body_flows(LocalIndex b, int cell, const NearBodies& near, Distances& distance);
  template <class Block>
  void find_face_bodies(LocalIndex b, const NearBodies& near);
  template <class Block>
  void find_center_distances(LocalIndex b);
  template <class Block>
  void find_taken_parts(LocalIndex b);
  template <class Block>
  void set_body_flows(LocalIndex b);
  enum class Moved { all, free };
  template <class Block>
  void set_velocity_of_block(LocalIndex b, Moved moved, const FaceField<double>* liquid);
  template <class Block>
  void set_velocity_of_faces(LocalIndex b, Moved moved, const FaceField<double>* liquid);
  void find_thin_walls();
  template <class Block>
  void find_open_cells();
  template <class Block>
  void find_walled_cells(LocalIndex b);
  void add_separating_cells(LocalIndex b);

  const BlockLayout* layout_ = nullptr;
  std::vector<SolidBody> bodies_;
  std::vector<std::shared_ptr<const Shape>> shapes_;  ///< the bodies' shapes at time_
  std::vector<BoundingBall> balls_;                   ///< about the shapes
  std::vector<Twist> twists_;                         ///< motion of each body in the step; empty: all are at rest
  double time_ = 0.0;
  bool any_no_slip_ = false;
  bool any_moving_ = false;
  bool any_free_fractions_ = false;  ///< whether the liquid moves bodies of open fractions
  bool any_fractions_ = false;
  bool any_voxels_ = false;
  bool any_separating_fractions_ = false;
  CellField<std::uint8_t> is_solid_;
  FaceField<float> open_fraction_;
  FaceField<float> velocity_;  ///< uniform while nothing moves walls
  FaceField<std::uint8_t> wall_;
  std::vector<std::vector<CutCell>> cut_cells_;              ///< by owned block
  std::vector<std::vector<std::int16_t>> separating_cells_;  ///< by owned block
  std::vector<std::vector<CoveredFace>> covered_faces_;      ///< by owned block
  std::vector<std::vector<WalledCell>> walled_cells_;        ///< by owned block
  std::vector<std::vector<SolidSide>> solid_sides_;          ///< by owned block
  std::vector<std::vector<BodyFlow>> body_flows_;            ///< by owned block
  std::vector<std::vector<TakenPart>> taken_parts_;          ///< by owned block
  std::vector<CenterDistances> center_distances_;            ///< by block
  std::vector<FaceBodies> face_bodies_;                      ///< by block: see body_at_face(); empty far from bodies
  CellPlanes open_cells_;                                    ///< those that are not solid, in blocks near bodies
  std::vector<std::uint8_t> may_be_walled_;                  ///< by slot: whether it may store a face at a thin wall
  std::vector<std::uint8_t> is_near_thin_wall_;              ///< by owned block
  std::vector<double> slack_;                                ///< Shape::slack() of each body [m]
  std::vector<ListedBodies> listed_;                         ///< by block
  std::vector<float> nearest_;
  std::vector<float> nearest_moving_;  ///< nearest_ of moving bodies alone
  std::vector<std::uint8_t> has_closed_face_;
};

}  // namespace freshet
