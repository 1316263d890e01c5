// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/particles/particle_store.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace freshet {

/// The runs that have an array.
enum class ArrayNeed {
  always,
  apic,   ///< runs with transfer.method = "apic"
  color,  ///< runs in which a liquid or a source has a colour
};

/// How an array's value is found for a particle that the solver makes inside the liquid (reseeding) or displaces (stuck
/// particles, evenly spread particles).
enum class ArrayUpkeep {
  kept,           ///< a new particle copies the nearest one, but for place and id; a moved one keeps its value
  grid_velocity,  ///< the grid's velocity at the particle's place [m/s]
  grid_gradient,  ///< the gradient of the grid's velocity at the particle's place [1/s]; row d is that of component d
};

/// An array of numbers that the solver keeps for every particle.
struct ParticleArray {
  const char* name;
  AttributeType type;
  int width;                     ///< numbers for each particle
  std::array<float, 3> initial;  ///< value of new particles; numbers beyond the third are 0
  ArrayUpkeep upkeep;
  ArrayNeed need;
  std::array<double, 7> unit = {};  ///< powers of m, kg, s, A, K, mol, cd, as openPMD orders them
};

constexpr AttributeType particle_real = attribute_type<ParticleReal>();

/// Row d of APIC's velocity gradient is du_d/dx, du_d/dy, du_d/dz [1/s]; in 2-D row z and column z are 0.
constexpr int affine_width = 9;
constexpr const char* affine_name = "affine";
constexpr const char* color_name = "color";

/// All arrays that the solver owns. Arrays of [[attribute]] come beside them: a new particle copies the nearest one's.
inline constexpr std::array particle_arrays = {
    ParticleArray{
        "position", particle_real, 3, {}, ArrayUpkeep::kept, ArrayNeed::always, {1}},  // [cells]; [m] in files
    ParticleArray{"velocity", particle_real, 3, {}, ArrayUpkeep::grid_velocity, ArrayNeed::always, {1, 0, -1}},
    ParticleArray{"id", AttributeType::uint64, 1, {}, ArrayUpkeep::kept, ArrayNeed::always},
    ParticleArray{"tag", AttributeType::uint8, 1, {}, ArrayUpkeep::kept, ArrayNeed::always},
    ParticleArray{
        affine_name, particle_real, affine_width, {}, ArrayUpkeep::grid_gradient, ArrayNeed::apic, {0, 0, -1}},
    ParticleArray{color_name, AttributeType::float32, 3, {0.2F, 0.4F, 0.8F}, ArrayUpkeep::kept, ArrayNeed::color},
};

/// Names of the arrays with this need that snapshots may hold beside the position.
std::vector<std::string> array_names(ArrayNeed need);
/// Those names of arrays with any need, which a case file may name.
std::vector<std::string> array_names();

/// Names that no [[attribute]] may have: those of the arrays, and of the records that files hold beside them.
std::vector<std::string> reserved_array_names();

/// Add the arrays with this need that the store lacks. To be called on every rank alike.
void add_arrays(ParticleStore& particles, ArrayNeed need);
/// Remove the arrays with this need, on every rank alike. \pre need is not ArrayNeed::always
void remove_arrays(ParticleStore& particles, ArrayNeed need);
/// Whether the store has every array with this need, each with its type and width.
bool has_arrays(const ParticleStore& particles, ArrayNeed need);

/// Whether particles hold the gradient of the grid's velocity. A displaced particle then takes its velocity and
/// gradient from the grid; otherwise it takes its velocity from the particles around it.
bool follow_grid(const ParticleStore& particles);

/// The velocity gradients of APIC: the nine numbers of particle p start at affine_width * p.
/// \pre has_arrays(particles, ArrayNeed::apic)
ParticleReal* affine_rows(ParticleStore& particles);
const ParticleReal* affine_rows(const ParticleStore& particles);

}  // namespace freshet
