// SPDX-License-Identifier: Apache-2.0
// Anisotropic kernels (Yu & Turk 2013, ACM Trans. Graph. 32, 5): each particle becomes an ellipsoid that is as flat as
// its neighbourhood, so that flat surfaces are flat and thin sheets stay thin.
//
// x_i <- (1 - lambda) x_i + lambda X,   C = sum_j w_ij (x_j - X)(x_j - X)^T / sum_j w_ij,
// w_ij = 1 - (|x_i - x_j| / h)^3
//
// X is the mean of the x_j with the same weights. The longest axis of the kernel is h; the axes relate as the
// eigenvalues of C, and none is shorter than the longest one divided by options.stretch.
#include "freshet/core/parallel_for.hpp"
#include "method.hpp"
#include "neighbours.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace freshet::meshing {
namespace {

constexpr double isolated_axis = 0.35;  ///< axis over h of a kernel with few neighbours, about a particle's size

class Anisotropic : public Method {
 public:
  Anisotropic(const Lattice& lattice, const SurfaceOptions& options)
      : Method(lattice, options),
        kernel_(lattice.kernel),
        // a tenth of the particles that a ball of radius h holds inside a lattice of particles
        few_(0.1 * 4.19 * std::pow(options.kernel * options.per_axis, 3)),
        volume_(std::pow(double(options.resolution) / options.per_axis, 3)) {
    reach_ = 1.0 * kernel_ + shift();
  }

  void prepare(const ParticleBins& bins) override {
    shapes_.resize(bins.items().size());
    std::vector<Vec3i> occupied;
    bins.for_each_occupied([&](const Vec3i& bin) { occupied.push_back(bin); });
    parallel_for_blocks(static_cast<LocalIndex>(occupied.size()),
                        [&](LocalIndex m) { prepare_bin(bins, occupied[static_cast<std::size_t>(m)]); });
  }

  void evaluate(const NearParticles& near, const RowMask& wanted, float* psi) const override {
    alignas(64) float sum[block_cells] = {};
    for (std::size_t p = 0; p < near.size(); ++p) {
      const Ellipsoid& e = shapes_[near.item[p]];
      const float x = near.x[p] + e.shift[0], y = near.y[p] + e.shift[1], z = near.z[p] + e.shift[2];
      const int k0 = std::max(0, static_cast<int>(std::floor(z - e.half_z + 0.5F)));
      const int k1 = std::min(7, static_cast<int>(std::ceil(z + e.half_z - 0.5F)));
      const int j0 = std::max(0, static_cast<int>(std::floor(y - e.half_y + 0.5F)));
      const int j1 = std::min(7, static_cast<int>(std::ceil(y + e.half_y - 0.5F)));
      for (int k = k0; k <= k1; ++k)
        for (int j = j0; j <= j1; ++j) {
          const int row = j + 8 * k;
          if (!wanted[static_cast<std::size_t>(row)]) continue;
          const float dz = z - (static_cast<float>(k) + 0.5F), dy = y - (static_cast<float>(j) + 0.5F);
          const float plane = e.q[1] * dy * dy + e.q[2] * dz * dz + 2.0F * e.q[5] * dy * dz;
          const float mixed = 2.0F * (e.q[3] * dy + e.q[4] * dz);
          if (4.0F * e.q[0] * (plane - 1.0F) >= mixed * mixed) continue;  // the row does not meet the ellipsoid
          for (int i = 0; i < 8; ++i) {
            const float dx = x - (static_cast<float>(i) + 0.5F);
            const float u = std::max(0.0F, 1.0F - (plane + dx * (mixed + e.q[0] * dx)));
            sum[8 * row + i] += e.weight * (u * u * u);
          }
        }
    }
    for (int c = 0; c < block_cells; ++c) psi[c] = 0.5F - sum[c];
  }

 private:
  struct Ellipsoid {
    float shift[3];  ///< from the particle to the centre [lattice cells]
    float q[6];      ///< |G d|^2 = q . (xx, yy, zz, xy, xz, yz); the mixed terms count twice
    float weight;
    float half_y, half_z;  ///< half of the extents along y and z [lattice cells]
  };

  double shift() const { return options_.center_smoothing * 0.5 * kernel_; }

  void prepare_bin(const ParticleBins& bins, const Vec3i& bin) {
    const Lattice& lattice = bins.lattice();
    const Vec3i low = bin.unaryExpr([&](int b) { return lattice.bin_edge(b); });
    // kernels deep in the liquid are round: they do not affect the surface
    const bool deep = bins.all_occupied(low, low, lattice.ring + 2);
    const std::span<const Item> here = bins.bin(bin);
    const std::uint32_t first = bins.first_of(bin);
    if (deep) {
      std::fill_n(shapes_.begin() + first, here.size(), round(1.0));
      return;
    }
    static thread_local Neighbours near;
    gather(bins, bin, near);
    for (std::size_t p = 0; p < here.size(); ++p) shapes_[first + p] = fit(near, here[p]);
  }

  /// Find the particles within h of a bin; positions are relative to the bin's low corner.
  void gather(const ParticleBins& bins, const Vec3i& bin, Neighbours& near) const {
    const Lattice& lattice = bins.lattice();
    const auto width = static_cast<float>(lattice.resolution);
    const auto reach2 = static_cast<float>(kernel_ * kernel_);
    const auto beyond = [width](float x) { return std::max({0.0F, -x, x - width}); };
    near.clear();
    for (int k = -lattice.ring; k <= lattice.ring; ++k)
      for (int j = -lattice.ring; j <= lattice.ring; ++j)
        for (int i = -lattice.ring; i <= lattice.ring; ++i)
          for (const Item& other : bins.bin(bin + Vec3i(i, j, k))) {
            const float x = static_cast<float>(i) * width + other.x[0], y = static_cast<float>(j) * width + other.x[1],
                        z = static_cast<float>(k) * width + other.x[2];
            const float dx = beyond(x), dy = beyond(y), dz = beyond(z);
            if (dx * dx + dy * dy + dz * dz < reach2) near.add(x, y, z);
          }
    near.fill_up();
  }

  Ellipsoid round(double axis) const { return make(Vec3::Zero(), Vec3::Constant(axis), Eigen::Matrix3d::Identity()); }

  /// \param[in] axes  half axes divided by h
  Ellipsoid make(const Vec3& shift, const Vec3& axes, const Eigen::Matrix3d& directions) const {
    constexpr double unit_kernel = 315.0 / 64.0 / 3.14159265358979323846;  // integral over the unit ball: 1
    const Vec3 inverse = (axes * kernel_).cwiseInverse();
    const Eigen::Matrix3d q = directions * inverse.cwiseAbs2().asDiagonal() * directions.transpose();
    Ellipsoid e{};
    for (int d = 0; d < 3; ++d) e.shift[d] = static_cast<float>(shift[d]);
    const double values[6] = {q(0, 0), q(1, 1), q(2, 2), q(0, 1), q(0, 2), q(1, 2)};
    for (int m = 0; m < 6; ++m) e.q[m] = static_cast<float>(values[m]);
    e.weight = static_cast<float>(volume_ * unit_kernel * inverse.prod());
    const Vec3 half = (directions.cwiseAbs2() * (axes * kernel_).cwiseAbs2()).cwiseSqrt();
    e.half_y = static_cast<float>(half.y());
    e.half_z = static_cast<float>(half.z());
    return e;
  }

  Ellipsoid fit(const Neighbours& near, const Item& particle) const {
    constexpr int group_size = Neighbours::group_size;
    using Group = Neighbours::Group;
    Group weights = Group::Zero(), count = weights, x_sum = weights, y_sum = weights, z_sum = weights;
    Group xx = weights, yy = weights, zz = weights, xy = weights, xz = weights, yz = weights;
    const auto scale = static_cast<float>(1.0 / (kernel_ * kernel_));
    for (std::size_t group = 0; group < near.x.size(); group += group_size) {
      const Group x = Eigen::Map<const Group>(near.x.data() + group) - particle.x[0];
      const Group y = Eigen::Map<const Group>(near.y.data() + group) - particle.x[1];
      const Group z = Eigen::Map<const Group>(near.z.data() + group) - particle.x[2];
      const Group s2 = (x * x + y * y + z * z) * scale;
      const Group w = weights_of(s2);
      const Group wx = w * x, wy = w * y, wz = w * z;
      weights += w;
      count += reached(s2);
      x_sum += wx;
      y_sum += wy;
      z_sum += wz;
      xx += wx * x;
      yy += wy * y;
      zz += wz * z;
      xy += wx * y;
      xz += wx * z;
      yz += wy * z;
    }
    const auto sum = [](const Group& values) {
      return std::accumulate(values.data(), values.data() + group_size, 0.0);  // sums the lanes in a fixed order
    };
    const double weight = sum(weights);
    Vec3 mean(sum(x_sum), sum(y_sum), sum(z_sum));
    Eigen::Matrix3d square;
    square << sum(xx), sum(xy), sum(xz), sum(xy), sum(yy), sum(yz), sum(xz), sum(yz), sum(zz);
    mean /= weight;
    const Vec3 shift = options_.center_smoothing * mean;
    if (sum(count) < few_) return round(isolated_axis);
    const Eigen::Matrix3d covariance = square / weight - mean * mean.transpose();
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(covariance);
    const double longest = solver.eigenvalues()[2];
    if (!(longest > 0.0)) return round(isolated_axis);
    const Vec3 axes = (solver.eigenvalues() / longest).cwiseMax(1.0 / options_.stretch).cwiseMin(1.0);
    return make(shift, axes, solver.eigenvectors());
  }

  double kernel_;                  ///< h [lattice cells]
  double few_;                     ///< least number of neighbours with which the particle gets an ellipsoid
  double volume_;                  ///< volume of a particle [lattice cells]
  std::vector<Ellipsoid> shapes_;  ///< one ellipsoid for each item of the bins
};

}  // namespace

std::unique_ptr<Method> make_anisotropic(const Lattice& lattice, const SurfaceOptions& options) {
  return std::make_unique<Anisotropic>(lattice, options);
}

}  // namespace freshet::meshing
