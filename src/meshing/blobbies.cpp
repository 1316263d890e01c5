// SPDX-License-Identifier: Apache-2.0
// Blobbies and improved blobbies. Every particle adds to the rows of 8 cells that lie within its reach.
#include "method.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace freshet::meshing {
namespace {

/// Call f(row, dy, dz, dy^2 + dz^2) for the wanted rows of a block that a particle reaches.
template <class Function>
void for_each_row(float y, float z, float reach, const RowMask& wanted, Function&& f) {
  const int k0 = std::max(0, static_cast<int>(std::floor(z - reach + 0.5F)));
  const int k1 = std::min(7, static_cast<int>(std::ceil(z + reach - 0.5F)));
  const int j0 = std::max(0, static_cast<int>(std::floor(y - reach + 0.5F)));
  const int j1 = std::min(7, static_cast<int>(std::ceil(y + reach - 0.5F)));
  for (int k = k0; k <= k1; ++k) {
    const float dz = z - (static_cast<float>(k) + 0.5F);
    for (int j = j0; j <= j1; ++j) {
      const float dy = y - (static_cast<float>(j) + 0.5F);
      const float d2 = dy * dy + dz * dz;
      if (d2 < reach * reach && wanted[static_cast<std::size_t>(j + 8 * k)]) f(8 * (j + 8 * k), dy, dz, d2);
    }
  }
}

/// The radius of a particle as a function of the sum of weights at a point of the surface. It is exact for four bodies
/// of particles at the lattice's spacing: a lone particle, a row, a layer and a half space enclose their volumes.
/// Between these the radius is interpolated. A lone particle, a row and a layer are at least so thick that the lattice
/// of the surface cannot miss them. Lengths are over the kernel's reach.
class RadiusOfWeight {
 public:
  /// \param[in] spacing  distance between particles
  /// \param[in] cell     cell size of the lattice
  RadiusOfWeight(double spacing, double cell) {
    constexpr double pi = 3.14159265358979323846;
    // The least radii, 0.87, 0.71 and 0.5 cells, are the largest distance of a point from the nearest cell centre in
    // space, across a line and across a plane. The corners of a drop's few triangles lie on a sphere with a larger
    // volume than the triangles enclose.
    const double drop = std::hypot(spacing * std::cbrt(0.75 / pi), std::sqrt(0.15) * cell);
    add(spacing, {0, 0, 0}, Vec3(0.0, 0.0, std::max(drop, 0.87 * cell)));
    add(spacing, {1, 0, 0}, Vec3(0.0, 0.0, std::max(spacing / std::sqrt(pi), 0.71 * cell)));
    add(spacing, {1, 1, 0}, Vec3(0.0, 0.0, 0.5 * std::max(spacing, cell)));
    add(spacing, {1, 1, 1}, Vec3(0.0, 0.0, 0.5 * spacing));
    scale_ = static_cast<float>(n_bins / weight_.back());
    for (std::size_t m = 0; m <= n_bins; ++m) {
      const double w = weight_.back() * static_cast<double>(m) / n_bins;
      std::size_t n = 1;
      while (n < 3 && w > weight_[n]) ++n;
      const double part = std::clamp((w - weight_[n - 1]) / (weight_[n] - weight_[n - 1]), 0.0, 1.0);
      table_[m] = static_cast<float>(radius_[n - 1] + part * (radius_[n] - radius_[n - 1]));
    }
  }

  float operator()(float weight) const {
    const float at = std::min(weight * scale_, n_bins - 0.001F);
    const auto m = static_cast<std::size_t>(at);
    const float part = at - static_cast<float>(m);
    return table_[m] + part * (table_[m + 1] - table_[m]);
  }

 private:
  static constexpr std::size_t n_bins = 64;

  /// Add a body of particles in the plane z = 0 and, with extent.z(), below it. Means are over places in one spacing.
  void add(double spacing, const Vec3i& extent, const Vec3& surface) {
    const int n = static_cast<int>(std::ceil(1.0 / spacing)) + 1;
    constexpr int places = 4;
    double weights = 0.0, radii = 0.0;
    for (int place = 0; place < places * places; ++place) {
      Vec3 x = surface;
      x.x() = extent.x() * spacing * ((place % places + 0.5) / places);
      x.y() = extent.y() * spacing * ((place / places + 0.5) / places);
      double sum = 0.0;
      Vec3 mean = Vec3::Zero();
      for (int k = -n * extent.z(); k <= 0; ++k)
        for (int j = -n * extent.y(); j <= n * extent.y(); ++j)
          for (int i = -n * extent.x(); i <= n * extent.x(); ++i) {
            const Vec3 d = spacing * Vec3(i, j, k) - x;
            const double w = std::pow(std::max(0.0, 1.0 - d.squaredNorm()), 3);
            sum += w;
            mean += w * d;
          }
      weights += sum / (places * places);
      radii += sum > 0.0 ? (mean / sum).norm() / (places * places) : 0.0;
    }
    weight_.push_back(weights);
    radius_.push_back(radii);
  }

  std::vector<double> weight_, radius_;  ///< weight and radius of the four bodies
  std::array<float, n_bins + 1> table_{};
  float scale_ = 1.0F;
};

/// psi = |x - X| - r, where X and r are means of the particles' positions and radii with weights k(s) = (1 - s^2)^3.
class ImprovedBlobbies : public Method {
 public:
  ImprovedBlobbies(const Lattice& lattice, const SurfaceOptions& options)
      : Method(lattice, options),
        own_radii_(options.radius > 0.0 || !options.radius_from.empty()),
        radius_(1.0 / (options.per_axis * options.kernel), 1.0 / lattice.kernel) {}
  void evaluate(const NearParticles& near, const RowMask& wanted, float* psi) const override {
    alignas(64) float w_sum[block_cells] = {}, x_sum[block_cells] = {}, y_sum[block_cells] = {},
                      z_sum[block_cells] = {}, r_sum[block_cells] = {};
    const auto reach = static_cast<float>(reach_);
    const float scale = 1.0F / (reach * reach);
    for (std::size_t p = 0; p < near.size(); ++p) {
      const float x = near.x[p], r = near.r[p];
      for_each_row(near.y[p], near.z[p], reach, wanted, [&](int row, float dy, float dz, float d2) {
        for (int i = 0; i < 8; ++i) {
          const float dx = x - (static_cast<float>(i) + 0.5F);
          const float u = std::max(0.0F, 1.0F - (d2 + dx * dx) * scale);
          const float w = u * u * u;
          w_sum[row + i] += w;
          x_sum[row + i] += w * dx;
          y_sum[row + i] += w * dy;
          z_sum[row + i] += w * dz;
          r_sum[row + i] += w * r;
        }
      });
    }
    for (int c = 0; c < block_cells; ++c) {
      const float w = w_sum[c];
      const float length = std::sqrt(x_sum[c] * x_sum[c] + y_sum[c] * y_sum[c] + z_sum[c] * z_sum[c]);
      const float radius = own_radii_ ? r_sum[c] / std::max(w, 1e-12F) : reach * radius_(w);
      psi[c] = w > 1e-12F ? length / w - radius : reach;
    }
  }

 private:
  bool own_radii_;  ///< the radii are given, by the particles or the options; otherwise radius_ gives them
  RadiusOfWeight radius_;
};

/// psi = tau - sum k(s) with tau = k(r/h).
class Blobbies : public Method {
 public:
  Blobbies(const Lattice& lattice, const SurfaceOptions& options)
      : Method(lattice, options), radius_((options.radius > 0.0 ? options.radius : 0.5) * lattice.resolution) {}
  void evaluate(const NearParticles& near, const RowMask& wanted, float* psi) const override {
    alignas(64) float sum[block_cells] = {};
    const auto reach = static_cast<float>(reach_);
    const float scale = 1.0F / (reach * reach);
    for (std::size_t p = 0; p < near.size(); ++p) {
      const float x = near.x[p];
      for_each_row(near.y[p], near.z[p], reach, wanted, [&](int row, float, float, float d2) {
        for (int i = 0; i < 8; ++i) {
          const float dx = x - (static_cast<float>(i) + 0.5F);
          const float u = std::max(0.0F, 1.0F - (d2 + dx * dx) * scale);
          sum[row + i] += u * u * u;
        }
      });
    }
    const double s = radius_ / reach_;
    const auto tau = static_cast<float>(std::pow(std::max(0.0, 1.0 - s * s), 3));
    for (int c = 0; c < block_cells; ++c) psi[c] = tau - sum[c];
  }

 private:
  double radius_;
};

}  // namespace

std::unique_ptr<Method> make_improved_blobbies(const Lattice& lattice, const SurfaceOptions& options) {
  return std::make_unique<ImprovedBlobbies>(lattice, options);
}

std::unique_ptr<Method> make_blobbies(const Lattice& lattice, const SurfaceOptions& options) {
  return std::make_unique<Blobbies>(lattice, options);
}

}  // namespace freshet::meshing
