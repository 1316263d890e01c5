// SPDX-License-Identifier: Apache-2.0
#include "python/surface.hpp"

#include "freshet/config/read.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/need_same.hpp"
#include "python/session.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace py = pybind11;

namespace freshet::python {
namespace {

/// Name of the attribute that stands for the radii that Python gives.
constexpr const char* own_radius = "radius";

SurfaceParticles particles_of(const GivenSurface& given) {
  SurfaceParticles particles;
  const auto n = static_cast<std::size_t>(given.positions.shape(0));
  const double* x = given.positions.data();
  for (std::size_t p = 0; p < n; ++p) particles.positions.emplace_back(x[3 * p], x[3 * p + 1], x[3 * p + 2]);
  particles.radii.assign(given.radii.data(), given.radii.data() + given.radii.size());
  for (const auto& [key, value] : given.attributes) {
    const auto values = value.cast<py::array_t<float, py::array::c_style>>();
    SurfaceParticles::Attribute& attribute = particles.attributes.emplace_back();
    attribute.name = key.cast<std::string>();
    attribute.components = static_cast<int>(values.shape(1));
    attribute.integer = std::ranges::find(given.integers, attribute.name) != given.integers.end();
    attribute.values.assign(values.data(), values.data() + values.size());
  }
  return particles;
}

/// Let the options say that particles have radii of their own, if they do. Collective. Errors: InputError
void use_radii(const Communicator& comm, const SurfaceParticles& particles, SurfaceOptions& options) {
  if (!comm.any(!particles.radii.empty())) return;
  if (options.method != SurfaceMethod::improved_blobbies)
    throw InputError(
        "radius is given with another method than \"improved_blobbies\" (it alone takes a radius from each particle). "
        "Leave one of them out");
  if (options.radius > 0.0)
    throw InputError("radius is given for each particle and for all (output.surface.radius). Leave one of them out");
  options.radius_from = own_radius;
}

/// Set the domain to a box of whole cells, open on all sides, that holds all particles with a margin for their surface.
/// Cells keep their places whatever the particles are. Collective. Errors: InputError for a box that no lattice covers
void fit_domain(const Communicator& comm, const SurfaceParticles& particles, DomainOptions& domain) {
  constexpr double margin = 6.0;   // the widest kernel reaches four cells [cells]
  constexpr double most = 0x1p36;  // 4096 cells along each axis
  Box box{Vec3::Constant(1e300), Vec3::Constant(-1e300)};
  for (const Vec3& x : particles.positions) {
    box.lower = box.lower.cwiseMin(x);
    box.upper = box.upper.cwiseMax(x);
  }
  std::array<double, 6> ends{};
  for (int d = 0; d < 3; ++d) {
    ends[static_cast<std::size_t>(d)] = -box.lower[d];
    ends[static_cast<std::size_t>(d) + 3] = box.upper[d];
  }
  comm.max_in_place(ends);
  double n_cells = 1.0;
  Vec3 first, n;
  for (int d = 0; d < 3; ++d) {
    const double low = -ends[static_cast<std::size_t>(d)], high = ends[static_cast<std::size_t>(d) + 3];
    first[d] = low <= high ? std::floor(low / domain.cell_size - margin) : 0.0;
    n[d] = low <= high ? std::ceil(high / domain.cell_size + margin) - first[d] : 8.0;
    n_cells *= n[d];
  }
  if (!(n_cells <= most))
    throw InputError(
        fmt::format("the particles are spread over a box of {:.3g} cells of {:g} m (at most {:.3g} are legal). Leave "
                    "out those that "
                    "lie far away, or give a larger cell_size",
                    n_cells, domain.cell_size, most));
  domain.cells = n.cast<int>();
  domain.origin = domain.cell_size * first;
  for (auto& sides : domain.boundary) sides.fill(FaceCondition::open);
}

/// Check that all particles are in the domain. Collective. Errors: InputError on all ranks
void expect_inside(const Communicator& comm, const SurfaceParticles& particles, const Domain& domain) {
  const Box box = domain.box();
  const GlobalIndex n_outside =
      comm.sum(static_cast<GlobalIndex>(std::ranges::count_if(particles.positions, [&](const Vec3& x) {
        return (x.array() < box.lower.array()).any() || (x.array() > box.upper.array()).any();
      })));
  if (n_outside > 0)
    throw InputError(
        fmt::format("{} particles are outside of the domain. Leave them out, or give another domain", n_outside));
}

/// A read-only array of numbers that the surface holds, which it keeps alive.
template <class T>
py::array shown(const py::object& owner, const void* data, std::vector<py::ssize_t> shape) {
  static const T none{};  // numpy would allocate memory of its own for a null pointer
  py::array array(py::dtype::of<T>(), std::move(shape), data != nullptr ? data : &none, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

const MadeSurface& surface_in(const py::object& self) {
  return self.cast<const MadeSurface&>();
}

py::array vertices(const py::object& self) {
  const auto& positions = surface_in(self).mesh().positions;
  return shown<float>(self, positions.data(), {static_cast<py::ssize_t>(positions.size()), 3});
}

py::array normals(const py::object& self) {
  const auto& all = surface_in(self).mesh().normals;
  return shown<float>(self, all.data(), {static_cast<py::ssize_t>(all.size()), 3});
}

py::array triangles(const py::object& self) {
  const auto& all = surface_in(self).mesh().triangles;
  return shown<std::int64_t>(self, all.data(), {static_cast<py::ssize_t>(all.size()), 3});
}

py::dict attributes(const py::object& self) {
  py::dict found;
  for (const SurfaceMesh::Attribute& attribute : surface_in(self).mesh().attributes) {
    const auto width = static_cast<py::ssize_t>(attribute.components);
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(attribute.values.size()) / width};
    if (width > 1) shape.push_back(width);
    found[attribute.name.c_str()] = shown<float>(self, attribute.values.data(), std::move(shape));
  }
  return found;
}

py::array phi(const py::object& self) {
  const LevelSetBlocks& blocks = surface_in(self).level_set();
  return shown<float>(self, blocks.phi.data(), {static_cast<py::ssize_t>(blocks.first_cells.size()), 8, 8, 8});
}

py::array first_cells(const py::object& self) {
  const LevelSetBlocks& blocks = surface_in(self).level_set();
  return shown<int>(self, blocks.first_cells.data(), {static_cast<py::ssize_t>(blocks.first_cells.size()), 3});
}

py::tuple origin(const MadeSurface& surface) {
  const Vec3& x = surface.level_set().origin;
  return py::make_tuple(x[0], x[1], x[2]);
}

void write(const MadeSurface& surface, const std::string& path, std::uintptr_t communicator) {
  const std::shared_ptr<const Communicator> comm = shared_communicator(communicator);
  const py::gil_scoped_release free;
  need_same(*comm, "path", path);
  surface.write(*comm, path);
}

std::unique_ptr<MadeSurface> gathered(const MadeSurface& surface, std::uintptr_t communicator) {
  const std::shared_ptr<const Communicator> comm = shared_communicator(communicator);
  const py::gil_scoped_release free;
  auto copy = std::make_unique<MadeSurface>(surface);
  copy->gather(*comm);
  return copy;
}

}  // namespace

std::unique_ptr<MadeSurface> make_surface(const GivenSurface& given, std::uintptr_t communicator) {
  const std::shared_ptr<const Communicator> comm = shared_communicator(communicator);
  SurfaceParticles particles;
  if (given.problem.empty()) particles = particles_of(given);
  const py::gil_scoped_release free;
  agree(*comm, [&] {
    if (!given.problem.empty()) throw InputError(given.problem);
  });
  need_same(*comm, "surface", given.text);
  Parameters parameters = parse_parameters(given.text, given.name);
  identify_files(*comm, parameters);
  SurfaceOptions options = parameters.surface.surface;
  options.per_axis = parameters.particles.per_axis;
  use_radii(*comm, particles, options);
  if (given.fits) fit_domain(*comm, particles, parameters.domain);
  const Domain domain(parameters.domain);
  expect_inside(*comm, particles, domain);
  ShapeMaker make_shape(*comm, parameters.source_file, shape_lattice(parameters.domain));
  const std::vector<SolidBody> bodies = make_bodies(*comm, parameters, make_shape);
  return std::make_unique<MadeSurface>(*comm, domain, options, particles, solid_distance(bodies, 0.0),
                                       SurfaceParts::both);
}

void bind_surfaces(py::module_& module) {
  using py::arg;
  py::class_<MadeSurface>(module, "Surface", "A surface of particles; freshet.Surface is made on top of it.")
      .def_property_readonly("vertices", &vertices)
      .def_property_readonly("normals", &normals)
      .def_property_readonly("triangles", &triangles)
      .def_property_readonly("attributes", &attributes)
      .def_property_readonly("phi", &phi)
      .def_property_readonly("first_cell", &first_cells)
      .def_property_readonly("origin", &origin)
      .def_property_readonly("cell_size", [](const MadeSurface& surface) { return surface.level_set().cell_size; })
      .def_property_readonly("band", [](const MadeSurface& surface) { return surface.level_set().band; })
      .def_property_readonly("volume", [](const MadeSurface& surface) { return surface.report().volume; })
      .def_property_readonly("area", [](const MadeSurface& surface) { return surface.report().mesh.area; })
      .def_property_readonly("components", [](const MadeSurface& surface) { return surface.report().mesh.components; })
      .def_property_readonly("is_closed", [](const MadeSurface& surface) { return surface.report().mesh.closed(); })
      .def_property_readonly("first_vertex", [](const MadeSurface& surface) { return surface.mesh().first_vertex; })
      .def_property_readonly("n_vertices", [](const MadeSurface& surface) { return surface.mesh().n_vertices; })
      .def_property_readonly("n_triangles", [](const MadeSurface& surface) { return surface.mesh().n_triangles; })
      .def("write", &write, arg("path"), arg("communicator"))
      .def("gathered", &gathered, arg("communicator"));
  module.def(
      "make_surface",
      [](const std::string& name, const std::string& text, bool fits,
         const py::array_t<double, py::array::c_style>& positions, const py::array_t<float, py::array::c_style>& radii,
         const py::dict& attributes, const std::vector<std::string>& integers, const std::string& problem,
         std::uintptr_t communicator) {
        return make_surface({name, text, fits, positions, radii, attributes, integers, problem}, communicator);
      },
      arg("name"), arg("text"), arg("fits"), arg("positions"), arg("radii"), arg("attributes"), arg("integers"),
      arg("problem"), arg("communicator"));
}

}  // namespace freshet::python
