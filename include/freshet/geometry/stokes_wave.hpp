// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace freshet {

/// A periodic wave of permanent form in water of constant depth, to the fifth order of its steepness, with no mean flow
/// of mass. y is measured from the bed, theta = k x - omega t from the crest.
/// Source: Fenton 1985, J. Waterway, Port, Coastal and Ocean Engineering 111, 216-234, table 1 and equations 20-25
class StokesWave {
 public:
  /// \param[in] height  from trough to crest [m]  \param[in] period  [s]  \param[in] depth  mean depth [m]
  StokesWave(double height, double period, double depth, double gravity);

  double wave_number() const { return k_; }    ///< [1/m]
  double current() const { return current_; }  ///< mean velocity at a point that is always in the water [m/s]
  /// Amplitude of cosh(j k y) cos(j theta) in the horizontal velocity, j = 1 .. 5. [m/s]
  double velocity_harmonic(int j) const { return velocity_[static_cast<std::size_t>(j)]; }
  double surface(double theta) const;                        ///< height of the surface above the bed [m]
  double horizontal_velocity(double theta, double y) const;  ///< [m/s]
  double vertical_velocity(double theta, double y) const;    ///< [m/s]

 private:
  double depth_;
  double k_ = 0.0;
  double current_ = 0.0;
  std::array<double, 6> velocity_{};
  std::array<double, 6> surface_{};
};

}  // namespace freshet
