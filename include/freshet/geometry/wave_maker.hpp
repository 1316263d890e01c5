// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/geometry/rigid_motion.hpp"

#include <string>
#include <vector>

namespace freshet {

/// The wave number 2 pi / wave length of small waves, from omega^2 = g k tanh(k h). [1/m]
/// \param[in] omega  angular frequency [rad/s]  \param[in] gravity  g [m/s^2]  \param[in] depth  h [m]
double wave_number(double omega, double gravity, double depth);

/// Displacement of the water by a paddle: s(y) is relative to the displacement at the level of the water at rest, y is
/// the height above the bed [m]. A flap is at rest below its hinge; above it the displacement grows in proportion.
struct PaddleProfile {
  WavePaddle kind = WavePaddle::piston;
  double hinge = 0.0;  ///< height of a flap's hinge above the bed; negative beneath the bed [m]
  double depth = 1.0;  ///< depth of the water at rest [m]

  /// The integral of s(y) cosh(k y) over y = 0 .. top, divided by cosh(k depth). [m]
  double weighted(double k, double top) const;
};

/// The ratio of the paddle's stroke at the water's level to the height of the small waves that it makes.
/// Source: Biesel & Suquet 1951; Dean & Dalrymple 1991, section 6.3
double stroke_of_height(const PaddleProfile& paddle, double k);

/// The paddle of a wave-maker: displacement X(t) at the level of the water at rest, a sum of sines times a ramp.
///
///   linear   X = S/2 sin(omega t), S from the height by Biesel's transfer function
///   stokes2  and the second harmonic of Madsen (1971), which keeps a free wave of twice the frequency from forming
///   stokes5  X' is the mean of the velocity of Fenton's wave (1985) at the paddle's own place, weighted so that small
///            waves have Biesel's stroke; no water is carried on the whole, as in a closed tank
///   jonswap  sines of many frequencies with random phases, each by Biesel's transfer function
///
/// X depends on time alone. It is 0 until time 0, and grows without a kick over the ramp.
class WaveMaker {
 public:
  /// \param[in] gravity  [m/s^2]  \pre  flaw_of() finds nothing
  WaveMaker(const WaveParameters& wave, const Vec3& gravity);

  /// A fault of the waves, as "<problem> (<why>). <remedy>", and the key at fault, which is empty if there is none.
  struct Flaw {
    std::string key, problem, why, remedy;
  };
  static Flaw flaw_of(const WaveParameters& wave, const Vec3& gravity, int dimension);

  double stroke(double time) const;              ///< X [m]
  MotionSample at(double time) const;            ///< displacement of a piston, or rotation of a flap about its hinge
  MotionRates rates(double time) const;          ///< rates of change of at()
  double quickest() const { return quickest_; }  ///< the smaller of the ramp's time and the shortest period [s]
  double length() const { return length_; }      ///< wave length; in a spectrum that at the peak's frequency [m]

  struct Sine {
    double amplitude;  ///< [m]
    double omega;      ///< [rad/s]
    double phase;      ///< [rad]
  };
  const std::vector<Sine>& sines() const { return sines_; }

 private:
  void add_madsen();
  void add_fenton();
  void add_spectrum();

  WaveParameters wave_;
  PaddleProfile profile_;
  double gravity_;  ///< [m/s^2]
  double ramp_;     ///< [s]
  Vec3 direction_;  ///< unit vector
  Vec3 axis_;       ///< axis that a flap turns about
  double length_ = 0.0;
  double quickest_ = 0.0;
  std::vector<Sine> sines_;
};

}  // namespace freshet
