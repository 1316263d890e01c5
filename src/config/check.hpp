// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/keys/key.hpp"

#include <set>
#include <string>
#include <vector>

/// Checks between options of several modules: values that are legal alone and have no meaning together. What concerns
/// the options of one module is checked beside them.
namespace freshet::config {

using keys::Table;

/// The viscosities that particles of the case can have, each once; without liquids and sources that of the case, which
/// those that a program adds have. fluid.viscosity counts only for tags that have it. [Pa s]
std::set<double> viscosities_of(const Parameters& parameters);

/// Check the whole case. Errors: InputError
void check_parameters(const Parameters& parameters, const Table& table);
/// Check liquids and sources, whose particles have some properties by their tags. Errors: InputError
void check_tags(const Parameters& parameters, const Table& table);
/// Check that numbers of particles and masses, and what the pressure solve scales, are neither too large nor too small.
/// Errors: InputError
void check_amounts(const Parameters& parameters, const Table& table);
/// Check that energies are finite, outputs can be counted and no step is lost in rounding. Errors: InputError
void check_extremes(const Parameters& parameters, const Table& table);
/// Check what must hold between bodies that the liquid moves and the methods of the case.
void check_bodies(const Parameters& parameters, const Table& table);
/// Check that what needs particles everywhere is absent from a case with a narrow band. Errors: InputError
void check_narrow_band(const Parameters& parameters, const Table& table);
/// Check the eddy viscosity and the walls with a wall law. Errors: InputError
void check_turbulent(const Parameters& parameters, const Table& table);
/// Check the scene and its particles. Errors: InputError
void check_scene(const Parameters& parameters, const Table& table);
/// Check what snapshots and surfaces hold. Errors: InputError
void check_output(const Parameters& parameters, const Table& table);

}  // namespace freshet::config
