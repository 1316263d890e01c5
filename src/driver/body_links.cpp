// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/body_links.hpp"

#include <fmt/format.h>

namespace freshet {
BodyLinks make_links(const Parameters& parameters, const std::vector<FreeBody>& bodies) {
  const double thickness = parameters.domain.thickness();
  std::vector<int> of_solid(parameters.solids.size(), -1);
  std::vector<Vec3> centers;
  for (const FreeBody& body : bodies) {
    of_solid[static_cast<std::size_t>(body.solid)] = static_cast<int>(centers.size());
    centers.push_back(body.mass.center);
  }
  BodyLinks links;
  for (const JointParameters& joint : parameters.joints)
    links.joints.push_back(make_joint(joint, of_solid, centers, thickness));
  for (const MooringParameters& mooring : parameters.moorings) {
    const int body = of_solid[static_cast<std::size_t>(mooring.solid)];
    links.moorings.push_back(
        make_mooring(mooring, body, centers[static_cast<std::size_t>(body)], parameters.fluid.gravity, thickness));
  }
  return links;
}

std::vector<std::string> remarks_on_links(const Parameters& parameters) {
  std::vector<std::string> remarks;
  for (const JointParameters& joint : parameters.joints)
    remarks.push_back(fmt::format("joint {}: a {} between solid.{} and {}", joint.name, record_of(joint.kind).noun,
                                  joint.solids[0],
                                  joint.solids.size() > 1 ? fmt::format("solid.{}", joint.solids[1]) : "the ground"));
  for (const MooringParameters& mooring : parameters.moorings)
    remarks.push_back(fmt::format("mooring {}: a {} that holds solid.{}", mooring.name,
                                  mooring.kind == MooringKind::tether ? "tether" : "catenary", mooring.solid));
  return remarks;
}

}  // namespace freshet
