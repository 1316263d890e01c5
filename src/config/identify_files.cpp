// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/geometry/input_files.hpp"

#include <functional>
#include <map>

namespace freshet {
namespace {

/// f(shape) for a shape and all its parts, those from files only.
void for_each_file(ShapeParameters& shape, const std::function<void(ShapeParameters&)>& f) {
  if (shape.kind == ShapeKind::mesh || shape.kind == ShapeKind::particles) f(shape);
  for (ShapeParameters& part : shape.parts) for_each_file(part, f);
}

void for_each_file(Parameters& parameters, const std::function<void(ShapeParameters&)>& f) {
  for (LiquidParameters& liquid : parameters.liquids) for_each_file(liquid.shape, f);
  for (SolidParameters& solid : parameters.solids) for_each_file(solid.shape, f);
  for (SourceParameters& source : parameters.sources) for_each_file(source.shape, f);
  for (SinkParameters& sink : parameters.sinks) for_each_file(sink.shape, f);
  for (AttributeParameters& attribute : parameters.attributes)
    for (AttributeRegionParameters& region : attribute.regions) for_each_file(region.shape, f);
}

}  // namespace

void identify_files(const Communicator& comm, Parameters& parameters) {
  std::map<std::string, std::string> hashes;  // by path
  const auto identify = [&](const std::string& file, std::string& its_hash, const std::string& where,
                            const std::string& what, const std::string& key) {
    const std::string path = input_path(parameters.source_file, file);
    std::string hash;
    on_root(comm, where, [&] {
      if (!hashes.contains(path)) hashes[path] = hash_of_file(path, what);
      hash = hashes[path];
      check_hash(hash, its_hash, path, what, key);
    });
    its_hash = comm.broadcast(hash);
  };
  for_each_file(parameters, [&](ShapeParameters& shape) {
    identify(shape.file, shape.file_hash, shape.where, shape.kind == ShapeKind::mesh ? "mesh" : "file of particles",
             "file_hash");
  });
  const auto identify_motion = [&](MotionParameters& motion) {
    if (!motion.file.empty())
      identify(motion.file, motion.file_hash, motion.where, "table of a motion", "motion_file_hash");
  };
  for (SolidParameters& solid : parameters.solids) identify_motion(solid.motion);
  identify_motion(parameters.frame);
  if (comm.any(!hashes.empty())) set_input_hash(parameters);
}

}  // namespace freshet
