// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/geometry/surface_features.hpp"
#include "freshet/geometry/volume_moments.hpp"
#include "freshet/parallel/communicator.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// Makes the shapes of a case, including meshes. Each file is read once.
///
/// A mesh is sampled on the lattice of the grid's corners (SampledShape); in 2-D it is cut by the middle plane.
class ShapeMaker {
 public:
  /// \param[in] case_file  relative paths of files start from its directory
  /// \param[in] corners    lattice of the corners of the grid's cells
  ShapeMaker(const Communicator& comm, const std::string& case_file, const SampleLattice& corners);
  ~ShapeMaker();
  ShapeMaker(const ShapeMaker&) = delete;
  ShapeMaker& operator=(const ShapeMaker&) = delete;

  /// Parallel: collective, with the same parameters on all ranks
  /// Errors: InputError "<case file>:<line>: <mesh file>:<line or byte>: <problem> (<why>). <what to do>" on all ranks
  std::shared_ptr<const Shape> operator()(const ShapeParameters& parameters);
  /// volume_moments() of a shape; in 2-D of its section with the middle plane. Parallel and errors: as above
  std::optional<VolumeMoments> moments(const ShapeParameters& parameters);
  /// surface_features() of a shape, half a cell apart. Parallel and errors: as above
  SurfaceFeatures features(const ShapeParameters& parameters);

  /// What was read from the files, one line each.
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Doubts about the files, one line each.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct File;
  const File& file_of(const ShapeParameters& parameters);

  const Communicator& comm_;
  const std::string case_file_;
  const SampleLattice corners_;
  std::map<std::string, File> files_;  ///< path -> file
  std::vector<std::string> remarks_;
  std::vector<std::string> warnings_;
};

}  // namespace freshet
