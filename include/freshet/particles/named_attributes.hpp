// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/particles/attribute_parameters.hpp"
#include "freshet/particles/particle_store.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// What the particles of a case carry besides the four attributes that are always there: those of [[attribute]], and
/// "color" (3 float32) where a liquid or a source has one.
class NamedAttributes {
 public:
  /// \param[in] has_color  a liquid or a source has one
  NamedAttributes(const std::vector<AttributeParameters>& attributes, bool has_color, ShapeMaker& make_shape);

  /// Add those that the store does not have yet; on every rank alike.
  void add_to(ParticleStore& particles) const;
  /// Values of the particles [begin, end) by the regions that they stand in. \pre home() is valid. Parallel: local
  void set_by_region(const Domain& domain, ParticleIndex begin, ParticleIndex end, ParticleStore& particles) const;
  bool has_color() const { return has_color_; }
  /// Colour of particle p: that of a liquid or source; empty: leave the initial one. \pre has_color()
  static void set_color(const std::vector<double>& color, ParticleIndex p, ParticleStore& particles);

 private:
  struct Named {
    AttributeParameters parameters;
    std::vector<std::shared_ptr<const Shape>> regions;
  };
  std::vector<Named> named_;
  bool has_color_ = false;
};

}  // namespace freshet
