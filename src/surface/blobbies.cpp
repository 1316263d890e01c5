// SPDX-License-Identifier: Apache-2.0
// Blobbies and improved blobbies. Every particle adds to the rows of cells within its reach, 8 cells at a time.
#include "method.hpp"

namespace freshet::surface {
namespace {

/// Call f(row, z, y, squared distance in the plane of y and z) for the wanted rows of a block that a particle reaches.
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

/// psi = |x - X| - r with X and r the means of the particles' positions and radii, weighted by k(s) = (1 - s^2)^3.
class ImprovedBlobbies : public Method {
 public:
  using Method::Method;
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
    const float nothing = reach;
    for (int c = 0; c < block_cells; ++c) {
      const float w = w_sum[c];
      const float length = std::sqrt(x_sum[c] * x_sum[c] + y_sum[c] * y_sum[c] + z_sum[c] * z_sum[c]);
      psi[c] = w > 1e-12F ? (length - r_sum[c]) / w : nothing;
    }
  }
};

/// psi = (tau - sum k(s)) * r with tau = k(r/h).
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

}  // namespace freshet::surface
