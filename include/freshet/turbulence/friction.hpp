// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// The friction velocity u_tau = sqrt(stress / density) of a turbulent boundary layer, from the velocity at one place.
///
/// It solves the law of Spalding (1961, eq. 6) for smooth walls, with u+ = u / u_tau, y+ = y u_tau / nu, k = kappa u+:
///   y+ = u+ + e^(-kappa B) (e^k - 1 - k - k^2/2 - k^3/6),   kappa = 0.4, B = 5.5,
/// which holds from the wall through the viscous layer and the logarithmic one. Roughness adds (k_s+ / 30) (e^k - 1) on
/// the right-hand side. Without viscosity this leaves Nikuradse's law u+ = ln(1 + 30 y / k_s) / kappa (1933); in
/// between, e^(-kappa B) + k_s+ / 30 is the transition of Colebrook (1939).
///
/// The unknown is ln u+. There the equation is a sum of exponentials, whose logarithm is convex, so that Newton's steps
/// from above fall to the root without overshooting. Roots for smooth walls stand in a table, to 1e-9 of the root.
/// \param[in] speed      tangential velocity relative to the wall, >= 0 [m/s]
/// \param[in] distance   of that velocity from the wall, > 0 [m]
/// \param[in] viscosity  kinematic, >= 0 [m^2/s]
/// \param[in] roughness  equivalent diameter of sand grains k_s, >= 0 [m]
/// \pre viscosity and roughness are not both 0
/// \return u_tau [m/s]; 0 at rest. Parallel: local
double friction_velocity(double speed, double distance, double viscosity, double roughness);

}  // namespace freshet
