// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/solids/solids.hpp"

#include <vector>

namespace freshet {

/// The fields of the flow on the blocks of one layout.
///
/// The velocity and the pressure are kept from step to step and from layout to layout; the other fields are computed
/// anew in each step.
struct FlowFields {
  FaceField<double> velocity;      ///< u^n, u*, u^{n+1} in the course of a step [m/s]
  FaceField<double> velocity_old;  ///< u^n as the deposit gave it [m/s]
  FaceField<double> weight;        ///< sum of the particles' weights on each face, if the step reads it [1]
  CellField<double> pressure;      ///< result of the last projection [Pa]
  SolidFields solids;

  /// The displacement of particles by a correction of their positions [cells]. It takes the memory of `weight`, which
  /// no phase reads between the forces and the next deposit.
  FaceField<double>& displacement() { return weight; }

  /// Move over to the next layout: velocity and pressure keep their values, the other fields start empty.
  /// Parallel: collective. \pre the layout that the fields are bound to still exists
  void carry_to(const BlockLayout& next, const std::vector<SolidBody>& bodies, double time);
};

/// p *= factor, owned cells and ghosts. Parallel: local; OpenMP
void scale_field(CellField<double>& field, double factor);
/// p += q, owned cells and ghosts. Parallel: local; OpenMP
void add_field(const CellField<double>& q, CellField<double>& p);

/// Call f(from, to) with the values of two fields on every owned face. Parallel: local; OpenMP
template <class Function>
void for_each_face(const FaceField<double>& from, FaceField<double>& to, Function&& f) {
  const BlockLayout& layout = to.layout();
  for (int d = 0; d < to.dimension(); ++d)
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const double* a = from[d].block(b);
      double* u = to[d].block(b);
      for (int c = 0; c < layout.cells_per_block(); ++c) f(a[c], u[c]);
    });
}

}  // namespace freshet
