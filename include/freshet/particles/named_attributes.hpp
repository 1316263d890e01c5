// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/particles/attribute_parameters.hpp"
#include "freshet/particles/particle_store.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// The attributes of particles that a case adds: the [[attribute]] entries, and "color" where a liquid or a source has
/// a colour.
class NamedAttributes {
 public:
  /// \param[in] has_color  whether a liquid or a source has a colour
  NamedAttributes(const std::vector<AttributeParameters>& attributes, bool has_color, ShapeMaker& make_shape);

  /// Add the attributes that the store lacks. To be called on every rank alike.
  void add_to(ParticleStore& particles) const;
  /// Set the values of particles [begin, end) by the regions that contain them. \pre home() is valid. Parallel: local
  void set_by_region(const Domain& domain, ParticleIndex begin, ParticleIndex end, ParticleStore& particles) const;
  /// The shapes of all regions with their names: "attribute.0.region.0", and so on.
  std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> regions() const;
  bool has_color() const { return has_color_; }
  /// Set the colour of particle p; an empty colour leaves the initial one. \pre has_color()
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
