// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/motion_options.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace freshet {

/// Extrapolates face velocities from the liquid into air and solids; keeps its buffers.
///
/// A face is known if one of its two cells is liquid, unless a body covers it or it lies on a side at rest (see
/// is_at_rest()), where the velocity is 0 but not that of the liquid. By layers: each layer gives every unknown face
/// with a known neighbour (of the 26 around it of the same component, 8 in 2-D) their mean, and then counts it as
/// known. Neighbours include corners, so n layers suffice for a displacement of n cells along every axis.
/// Source: Bridson 2008, section 6.3 (as layers instead of fast marching); Guendelman et al. 2005
///
/// By distance: each component has a distance phi to the liquid on its faces, -1/2 cell between two liquid cells and 0
/// at the other known faces. Elsewhere |grad phi| = 1 and grad phi . grad u = 0 hold. Both equations are discretised by
/// upwind differences and iterated on all faces at once until no value changes. A face's values depend only on faces of
/// smaller phi, so the iteration converges from the liquid outwards to the result of fast marching, without its
/// sequential order. The faces that the layers do not reach stay unknown. Of those that they reach, the outermost
/// follow when the others have converged: their neighbours may lie in blocks that do not exist.
/// Source: Adalsteinsson & Sethian 1999 (extension velocities); Zhao 2005 (the upwind scheme for |grad phi| = 1)
class Extrapolation {
 public:
  explicit Extrapolation(ExtrapolationMethod method = ExtrapolationMethod::layers) : method_(method) {}

  /// \param[in,out] labels   owned cells; ghosts are refreshed to width layers + 1 at least
  /// \param[in,out] velocity owned faces [m/s]; faces that are not reached, and those on sides at rest, become 0
  /// \param[in]     solids   faces that bodies cover (see CoveredFace) are unknown
  /// \param[in]     layers   0 .. 7
  /// \param[in]     rim      width to which ghosts of the velocity are valid afterwards, 0 or 1 [cells]
  /// Parallel: collective; OpenMP; the same bits for any number of ranks and threads. Layers: one exchange of the
  /// labels and the velocity together, for ranks compute the layers of their ghosts themselves (a rim beyond 7 layers
  /// takes another). By distance: one gather of the labels, then two of every component and one reduction for each of
  /// about dimension * layers rounds, and one for the rim.
  void operator()(LabelField& labels, const SolidFields& solids, int layers, FaceField<double>& velocity, int rim = 0);

  /// phi on owned faces, of the method by distance [cells]; unknown_distance on faces that were not reached.
  const FaceField<double>& distance() const { return distance_; }
  static constexpr double unknown_distance = 1e30;

 private:
  /// A layer's changes, which are written when all threads have read their neighbours.
  struct PlaneUpdate {
    std::uint64_t* plane;  ///< plane of the known faces
    std::uint64_t faces;   ///< bits of the faces that become known
  };
  struct RowUpdate {
    double* row;
    std::uint64_t faces;  ///< bits of the row whose faces get a value
    double mean[block_width];
  };
  struct Updates {
    std::vector<PlaneUpdate> planes;
    std::vector<RowUpdate> rows;
  };
  struct Update {
    double* face;
    double value;
  };

  using FacePlanes = std::array<std::vector<std::uint64_t>, 3>;  ///< by component, of each slot's faces: face_bits.hpp

  void link_ghosts(const BlockLayout& layout);
  const LocalIndex* neighbours(LocalIndex block) const;
  template <class Shape>
  std::uint64_t reachable(LocalIndex block, int width, int k) const;
  template <class Shape>
  bool is_complete(LocalIndex block) const;
  template <class Shape>
  void find_known(const LabelField& labels, const SolidFields& solids, int width);
  template <class Shape>
  struct FacesOfBlock;
  template <class Shape>
  void find_faces(const FaceField<double>& velocity, LocalIndex block, int width, Updates& updates,
                  FacesOfBlock<Shape>& found);
  template <class Shape>
  void extrapolate_layers(int layers, int rim, FaceField<double>& velocity);
  template <class Shape>
  void clear_unknown(int rim, FaceField<double>& velocity) const;
  template <class Shape>
  void grow_known(int layers, const FaceField<double>& velocity);
  template <class Shape>
  void grow_liquid(int layers);
  template <class Shape>
  std::uint64_t between_liquid(LocalIndex b, int d, int k) const;
  template <class Shape>
  bool follow_distances(const FacePlanes& kept, double farthest, FaceField<double>& velocity);
  template <class Shape>
  void extrapolate_by_distance(const LabelField& labels, const SolidFields& solids, int layers,
                               FaceField<double>& velocity);

  ExtrapolationMethod method_;
  const BlockLayout* layout_ = nullptr;
  std::uint64_t layout_id_ = 0;               ///< layout whose ghosts are linked
  std::vector<LocalIndex> ghost_neighbours_;  ///< 27 a ghost block, as BlockLayout::neighbours()
  std::vector<std::uint64_t> liquid_;         ///< planes of each slot's cells, see face_bits.hpp
  std::vector<std::uint64_t> grown_;          ///< the next liquid_
  FacePlanes known_;
  FacePlanes kept_, kept_last_;  ///< faces whose values by distance stay, while most and while the outermost follow
  std::vector<LocalIndex> incomplete_;  ///< blocks with unknown faces, owned ones first
  std::size_t n_incomplete_owned_ = 0;
  FaceField<double> distance_;
  std::vector<Updates> updates_of_layer_;     ///< by thread
  std::vector<std::vector<Update>> updates_;  ///< by thread
};

}  // namespace freshet
