// SPDX-License-Identifier: Apache-2.0
#include "mesh_files.hpp"

#include "freshet/config/read.hpp"
#include "freshet/core/hash.hpp"
#include "freshet/geometry/shape_maker.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

namespace freshet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw InputError("cannot read the mesh '" + path + "' (" + why +
                   "). Give a path that starts from the directory of the case file");
}

/// f(shape) for a shape and all its parts, meshes only.
void for_each_mesh(ShapeParameters& shape, const std::function<void(ShapeParameters&)>& f) {
  if (shape.kind == ShapeKind::mesh) f(shape);
  for (ShapeParameters& part : shape.parts) for_each_mesh(part, f);
}

void for_each_mesh(Parameters& parameters, const std::function<void(ShapeParameters&)>& f) {
  for (LiquidParameters& liquid : parameters.liquids) for_each_mesh(liquid.shape, f);
  for (SolidParameters& solid : parameters.solids) for_each_mesh(solid.shape, f);
  for (SourceParameters& source : parameters.sources) for_each_mesh(source.shape, f);
  for (SinkParameters& sink : parameters.sinks) for_each_mesh(sink.shape, f);
  for (AttributeParameters& attribute : parameters.attributes)
    for (AttributeRegionParameters& region : attribute.regions) for_each_mesh(region.shape, f);
}

/// Elements of a vector as bytes, from rank 0 to all.
template <class T>
void broadcast_vector(const Communicator& comm, std::vector<T>& values) {
  static_assert(std::is_standard_layout_v<T>);
  const std::string bytes =
      comm.broadcast(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  values.resize(bytes.size() / sizeof(T));
  std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
}

}  // namespace

std::string mesh_path(const std::string& case_file, const std::string& file) {
  return (fs::path(case_file).parent_path() / file).string();
}

std::string read_mesh_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse_file(path, "there is no such file");
  if (!fs::is_regular_file(status)) refuse_file(path, "it is no plain file");
  const auto size = fs::file_size(path, error);
  if (error) refuse_file(path, error.message());
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(stream ? static_cast<std::size_t>(size) : 0, '\0');
  if (!stream || !stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse_file(path, errno != 0 ? std::strerror(errno) : "it ends early");
  return bytes;
}

std::string hash_of_mesh(const std::string& bytes) {
  return fmt::format("{:016x}", fnv1a(bytes));
}

void check_mesh_hash(const std::string& bytes, const std::string& expected, const std::string& path) {
  if (expected.empty() || hash_of_mesh(bytes) == expected) return;
  throw InputError(
      fmt::format("the mesh '{}' is another one than file_hash says (its hash is {}, not {}). Give the file "
                  "as it was, or leave out file_hash",
                  path, hash_of_mesh(bytes), expected));
}

void broadcast_mesh(const Communicator& comm, TriangleMesh& mesh) {
  if (comm.size() == 1) return;
  broadcast_vector(comm, mesh.points);
  broadcast_vector(comm, mesh.triangles);
}

void identify_meshes(const Communicator& comm, Parameters& parameters) {
  std::map<std::string, std::string> hashes;  // by path
  for_each_mesh(parameters, [&](ShapeParameters& shape) {
    const std::string path = mesh_path(parameters.source_file, shape.file);
    std::string hash;
    on_root(comm, shape.where, [&] {
      if (!hashes.contains(path)) hashes[path] = hash_of_mesh(read_mesh_file(path));
      hash = hashes[path];
      if (!shape.file_hash.empty() && hash != shape.file_hash)
        check_mesh_hash(read_mesh_file(path), shape.file_hash, path);
    });
    shape.file_hash = comm.broadcast(hash);
  });
  if (comm.any(!hashes.empty())) set_input_hash(parameters);
}

}  // namespace freshet
