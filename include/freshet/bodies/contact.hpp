// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/free_bodies.hpp"
#include "freshet/geometry/surface_features.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/solids/solids.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace freshet {

/// What a solid of the case is to others that touch it.
struct ContactSurface {
  SurfaceFeatures features;  ///< at its place in the case file
  double restitution = 0.0;  ///< speed of parting over speed of approach
  double friction = 0.0;     ///< Coulomb's coefficient
  bool touches = true;       ///< false: it passes through others
  std::vector<int> passes;   ///< solids that it passes through all the same, such as one that a joint connects it to
};

/// A point of one shape that is near another shape.
struct TouchingPoint {
  Vec3 x;       ///< in the middle between both shapes [m]
  Vec3 normal;  ///< out of the other shape
  double gap;   ///< signed distance to the other shape [m]
};

/// A place where a free body touches another solid, or may do so within a step.
struct Contact {
  int body = 0;                   ///< number of the free body
  int other = -1;                 ///< number of the other one; -1: a wall, or a solid that the liquid does not move
  Vec3 normal = Vec3::Zero();     ///< out of the other solid
  double gap = 0.0;               ///< distance between both; below 0: they overlap [m]
  Vec3 arm = Vec3::Zero();        ///< from the body's centre of mass to the place [m]
  Vec3 other_arm = Vec3::Zero();  ///< from the other body's [m]
  Vec3 carried = Vec3::Zero();    ///< velocity of the other solid there, if it is no free body [m/s]
  double restitution = 0.0;
  double friction = 0.0;
};

/// Finds the contacts of free bodies with each other, with other solids, and with the domain's sides that are walls.
///
/// The features of one shape (SurfaceFeatures) are looked up in the signed distance of the other, and the other way
/// round: edges are searched for the nearest point between their ends, round parts for the point whose normal is
/// opposite. The normal is that of the distance a little inside the touching body, so that corners that meet have the
/// normal of the face between them. Of a pair of solids, up to eight contacts of like normals are kept, spread wide.
/// Solids that overlap by more than a cell are taken to do so on purpose, and do not touch there.
/// Source: Guendelman, Bridson & Fedkiw 2003, section 5 (points in signed distances); Macklin et al. 2020 (nearest
/// points of edges). Parallel: local; every rank finds the same contacts in the same order
class ContactSearch {
 public:
  /// \param[in] surfaces  one for each solid of the case
  ContactSearch(const Domain& domain, std::vector<ContactSurface> surfaces);

  /// Find the contacts at the poses of the solids. \param[in] dt  length of the step, for the way that bodies move [s]
  /// \param[in] farthest  largest way of a body along an axis with which a step is accepted [m]
  /// \pre FreeBodies::predict(). \return valid until the next call
  std::span<const Contact> find(const FreeBodies& bodies, const SolidFields& solids, double dt, double farthest);

 private:
  /// One side of a pair of solids, or a wall of the domain.
  struct Side {
    const Shape* shape = nullptr;
    const ContactSurface* surface = nullptr;  ///< null: a wall of the domain
    int number = -1;                          ///< index of the solid in the case
    int body = -1;                            ///< number of the free body; -1: none
    PeriodicCopy copy;                        ///< what it copies on periodic axes
    Pose pose;
    Vec3 center = Vec3::Zero();  ///< centre of mass of a free body [m]
    double reach = 0.0;          ///< distance of its farthest point from there [m]
    double way = 0.0;            ///< bound of the way of its points in the step [m]
    Twist twist;                 ///< motion of a solid that the liquid does not move
  };
  Side side_of(const FreeBodies& bodies, const SolidFields& solids, std::size_t solid, double dt) const;
  bool stands_below_all_copies(const Side& side) const;
  void search_pair(const Side& mine, const Side& other, double dt, double farthest);

  Domain domain_;
  std::vector<ContactSurface> surfaces_;
  std::vector<std::shared_ptr<const Shape>> walls_;
  std::vector<Side> sides_;           ///< the solids of the grid
  std::vector<TouchingPoint> found_;  ///< buffer: points of one pair
  std::vector<Contact> contacts_;
};

}  // namespace freshet
