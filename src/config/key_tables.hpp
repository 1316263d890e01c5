// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keys.hpp"

#include <string>
#include <vector>

/// The pieces that the keys of a case file are put together from; targets point into the arguments.
namespace freshet::config {

std::vector<Key> run_keys(Parameters::Run& run);
std::vector<Key> domain_keys(DomainOptions& domain);
/// Of fluid, particles, transfer, vortex, extrapolation, time and motion.
std::vector<Key> method_keys(Parameters& parameters);
std::vector<Key> reseeding_keys(ReseedingOptions& reseeding);
std::vector<Key> distribution_keys(DistributionOptions& distribution, LabelOptions& labels);
std::vector<Key> pressure_keys(PressureOptions& pressure);
std::vector<Key> wall_keys(WallOptions& walls);
std::vector<Key> density_keys(DensityOptions& density);
std::vector<Key> service_keys(BalanceOptions& balance, OutputOptions& output);
std::vector<Key> checkpoint_keys(CheckpointOptions& checkpoint);

/// How a body or the tank moves. \param[in] base  of the names, with a dot at its end if it is not empty
std::vector<Key> motion_keys(MotionParameters& motion, const std::string& base);
Key color_key(std::vector<double>& color);

}  // namespace freshet::config
