// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/gauges/gauge.hpp"

#include <memory>

namespace freshet {

std::unique_ptr<Gauge> make_height_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);
std::unique_ptr<Gauge> make_pressure_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);
std::unique_ptr<Gauge> make_velocity_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);
std::unique_ptr<Gauge> make_force_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);
std::unique_ptr<Gauge> make_flow_rate_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);
std::unique_ptr<Gauge> make_region_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);
std::unique_ptr<Gauge> make_profile_gauge(const GaugeParameters& parameters, const GaugeSetup& setup);

}  // namespace freshet
