// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lattice.hpp"
#include "walls.hpp"

#include <array>

namespace freshet::meshing {

/// Call f(x) for a particle and all its images behind faces of the domain, in lattice coordinates.
template <class Function>
void for_each_image(const Walls& walls, const Vec3& x, double reach, Function&& f) {
  std::array<std::array<double, 3>, 3> coordinates{};
  int n[3];
  for (int d = 0; d < 3; ++d) n[d] = walls.images(d, x[d], reach, coordinates[static_cast<std::size_t>(d)]);
  for (int c = 0; c < n[2]; ++c)
    for (int b = 0; b < n[1]; ++b)
      for (int a = 0; a < n[0]; ++a)
        f(Vec3(coordinates[0][static_cast<std::size_t>(a)], coordinates[1][static_cast<std::size_t>(b)],
               coordinates[2][static_cast<std::size_t>(c)]));
}

/// Finds images behind solids of particles near them. Each thread has its own, as it remembers the last bin.
class SolidImages {
 public:
  SolidImages(const Walls& walls, const Lattice& lattice, double reach)
      : walls_(walls), lattice_(lattice), reach_(reach) {}

  /// Find the image of a particle. \return false if it has none: it is far from solids, it lies in one, or the solid is
  /// too thin to hold the image.
  bool image(const Vec3& x, Vec3& image) {
    if (!walls_.has_solids() || !near(x)) return false;
    const double depth = walls_.solid(x);
    if (depth > 0.0 || depth < -reach_) return false;
    image = x - 2.0 * depth * walls_.solid_normal(x);
    return walls_.solid(image) > -0.5 * depth;
  }

 private:
  bool near(const Vec3& x) {
    const double width = lattice_.resolution;
    const Vec3i bin = (x / width).array().floor().cast<int>();
    if (bin != bin_) {
      bin_ = bin;
      near_ = walls_.solid((bin.cast<double>() + Vec3::Constant(0.5)) * width) > -reach_ - 0.87 * width;
    }
    return near_;
  }
  const Walls& walls_;
  const Lattice& lattice_;
  double reach_;
  Vec3i bin_ = Vec3i::Constant(-1000000);
  bool near_ = false;
};

/// Call f(x) for a particle, its images behind walls and solids and its shifted copies, in lattice coordinates. A
/// particle outside the domain gets no call.
template <class Function>
void for_each_copy(const Walls& walls, const Vec3& x, double reach, SolidImages& solid_images, Function&& f) {
  if (!x.allFinite() || walls.box(x) > 1.0) return;
  for_each_image(walls, x, reach, f);
  Vec3 image;
  if (solid_images.image(x, image)) for_each_image(walls, image, reach, f);
}

}  // namespace freshet::meshing
