// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/gauges/gauge.hpp"

namespace freshet {

/// The rows of gauge_types(), each of which stands beside its class.
GaugeTypeRecord height_gauge();
GaugeTypeRecord pressure_gauge();
GaugeTypeRecord velocity_gauge();
GaugeTypeRecord force_gauge();
GaugeTypeRecord flow_rate_gauge();
GaugeTypeRecord region_gauge();
GaugeTypeRecord profile_gauge();
GaugeTypeRecord wall_stress_gauge();
GaugeTypeRecord bubbles_gauge();

}  // namespace freshet
