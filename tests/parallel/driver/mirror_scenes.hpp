// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/image.hpp"

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace freshet::test {

/// A splash that touches all sides of a box: a dam, drops thrown at a wall and at the ceiling, a shallow pool. Tables
/// of keys come to it, which may differ between the scene and its images.
struct MirrorScene {
  using Keys = std::map<std::string, std::string>;  ///< lines, by table
  std::string name;
  std::function<void(const Image& image, Keys& keys)> add = [](const Image&, Keys&) {};
  std::function<std::string(const Image& image)> things = [](const Image&) {
    return std::string();
  };  ///< arrays of tables

  bool in_3d_by_day = false;
  /// Bound of the distance between a particle and its image in 3-D [cells]. Particles hold 32-bit numbers: their places
  /// are rounded to 5e-7 cells, and phi to 5e-6. Some scenes magnify that, and have a bound of their own.
  double largest_difference_in_3d = 1e-5;

  /// Bound of the distance between a particle and its image. [cells]
  double largest_difference(int dimension) const { return dimension == 3 ? largest_difference_in_3d : 1e-5; }

  friend void PrintTo(const MirrorScene& scene, std::ostream* stream) { *stream << scene.name; }

  std::string text(const Image& image) const {
    const Vec3 size = image.size();
    const double dx = image.dx();
    const bool is_flat = image.dimension() == 2;
    const double depth = is_flat ? 0.0 : size.z();
    const Vec3i n = image.cells_of_image();
    Keys keys;
    keys["run"] = "end_time = 10\n";
    keys["domain"] = fmt::format("dimension = {}\ncells = [{}, {}, {}]\ncell_size = {}\n", image.dimension(), n.x(),
                                 n.y(), n.z(), dx);
    keys["pressure"] = "tolerance = 1e-12\n";
    keys["fluid"] = image.vector_line("gravity", {2.0, -9.81, is_flat ? 0.0 : 1.0});
    add(image, keys);
    // The correction's solve must be far more exact than by default, so that only scenes that say so have it.
    if (!keys.contains("density")) keys["density"] = "correction = \"off\"\n";
    if (std::string& walls = keys["pressure.walls"]; walls.find("condition") == std::string::npos)
      walls += "condition = \"sticky\"\n";
    std::string text;
    for (const auto& [table, lines] : keys) text += "[" + table + "]\n" + lines;
    const auto box = [&](const Vec3& lower, const Vec3& upper) {
      text += "[[liquid]]\nshape = \"box\"\n" + image.box(lower, upper);
    };
    const auto drop = [&](const Vec3& center, double radius, const Vec3& velocity) {
      text += "[[liquid]]\nshape = \"sphere\"\n" + image.point_line("center", center) +
              fmt::format("radius = {}\n", radius) + image.vector_line("velocity", velocity);
    };
    box({0, 0, 0}, {6.25 * dx, 0.6 * size.y(), depth});
    drop({size.x() - 4.5 * dx, 0.4 * size.y(), 0.5 * depth}, 3 * dx, {3.0, 1.0, 0.0});
    drop({0.5 * size.x(), size.y() - 3.25 * dx, 0.5 * depth}, 2.5 * dx, {-2.0, 3.0, is_flat ? 0.0 : 1.0});
    box({size.x() - 6 * dx, 0, 0}, {size.x(), 1.5 * dx, depth});
    return text + things(image);
  }
};

inline std::vector<MirrorScene> mirror_scenes() {
  using Keys = MirrorScene::Keys;
  std::vector<MirrorScene> scenes;
  const auto add = [&](const std::string& name, const Keys& lines) {
    scenes.push_back({name, [lines](const Image&, Keys& keys) {
                        for (const auto& [table, text] : lines) keys[table] += text;
                      }});
  };
  const auto add_sides = [&](const std::string& name, const std::string& table, const std::string& value,
                             const std::vector<std::pair<int, int>>& sides, const Keys& lines = {}) {
    scenes.push_back({name, [=](const Image& image, Keys& keys) {
                        for (const auto& [d, end] : sides) keys[table] += image.side(d, end) + " = \"" + value + "\"\n";
                        for (const auto& [other, text] : lines) keys[other] += text;
                      }});
  };
  const std::vector<std::pair<int, int>> all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  add("level_set", {});
  add("voxels", {{"labels", "surface = \"voxels\"\n"}});
  add("labels_by_density", {{"labels", "method = \"density\"\n"}});
  add("apic", {{"transfer", "method = \"apic\"\n"}});
  add("pic", {{"transfer", "flip_fraction = 0\n"}});
  add("separating", {{"pressure.walls", "condition = \"separating\"\n"}});
  add_sides("one_side_separating", "pressure.walls", "separating", {{0, 0}});
  add("iop", {{"pressure.walls", "condition = \"separating\"\nmethod = \"iop\"\n"}});
  add("admm", {{"pressure.walls", "condition = \"separating\"\nmethod = \"admm\"\n"}});
  add("iop_bc", {{"pressure.walls", "condition = \"separating\"\nmethod = \"iop_bc\"\n"}});
  add("cg", {{"pressure.walls", "condition = \"separating\"\nmethod = \"cg\"\n"}});
  add("velocity_by_distance", {{"extrapolation", "method = \"distance\"\n"}});
  add("density", {{"density", "correction = \"implicit\"\ntolerance = 1e-10\n"}});
  add("density_separating", {{"density", "correction = \"implicit\"\ntolerance = 1e-10\n"},
                             {"pressure.walls", "condition = \"separating\"\n"}});
  add("distribution", {{"particles.distribution", "enabled = true\n"}});
  add("strang", {{"time", "splitting = \"strang\"\n"}});
  add("reflection", {{"time", "splitting = \"reflection\"\n"}});
  add("confinement", {{"vortex", "boost = 5\n"}});
  add("vortex_by_weights", {{"vortex", "boost = 0.1\nmethod = \"weights\"\n"}});
  add("long_steps", {{"time", "cfl = 3\n"}});
  const Keys viscous{{"fluid", "viscosity = 50\n"}, {"viscosity", "tolerance = 1e-10\n"}};
  add("viscosity", viscous);
  add("viscosity_split", {{"fluid", "viscosity = 50\n"}, {"viscosity", "tolerance = 1e-10\ncoupling = \"split\"\n"}});
  add_sides("viscosity_no_slip", "domain.boundary", "no_slip", all, viscous);
  add_sides("no_slip", "domain.boundary", "no_slip", all);
  const Keys tense{{"fluid", "surface_tension = 5\n"}};
  add("tension", tense);
  add("tension_at_an_angle", {{"fluid", "surface_tension = 5\ncontact_angle = 60\n"}});
  add_sides("open", "domain.boundary", "open", {{0, 1}, {1, 1}});
  add_sides("open_and_tension", "domain.boundary", "open", {{0, 0}, {0, 1}}, tense);
  scenes.push_back({"outside_pressure", [](const Image& image, Keys& keys) {
                      for (const int end : {0, 1}) {
                        keys["domain.boundary"] += image.side(0, end) + " = \"open\"\n";
                        keys["fluid.outside_pressure"] += image.side(0, end) + " = 4000\n";
                      }
                    }});
  const auto with = [&](const std::string& name, const Keys& lines, std::function<std::string(const Image&)> things) {
    add(name, lines);
    scenes.back().things = std::move(things);
  };
  const auto ball = [](const std::string& more) {
    return [more](const Image& image) {
      const Vec3 size = image.size();
      return "[[solid]]\nshape = \"sphere\"\n" +
             image.point_line("center", {8.3 * image.dx(), 0.3 * size.y(), 0.5 * size.z()}) +
             fmt::format("radius = {}\n", 2.7 * image.dx()) + more;
    };
  };
  with("ball_of_fractions", {}, ball(""));
  with("ball_of_fractions_separating", {}, ball("wall = \"separating\"\nsurface = \"fractions\"\n"));
  with("ball_of_voxels", {}, ball("surface = \"voxels\"\n"));
  with("ball_of_voxels_separating", {}, ball("surface = \"voxels\"\nwall = \"separating\"\n"));
  // a drop one cell thick at the ball: with particles moved by 5e-7 cells it parts as far from itself
  scenes.back().largest_difference_in_3d = 5e-5;
  with("ball_no_slip", viscous, ball("slip = \"no_slip\"\n"));
  with("ball_of_voxels_no_slip", viscous, ball("slip = \"no_slip\"\nsurface = \"voxels\"\n"));
  with("moving_ball_beside_a_ball", {}, [ball](const Image& image) {
    const double dx = image.dx(), z = 0.5 * image.size().z();
    return ball(image.vector_line("velocity", {1.0, 0.5, 0.0}))(image) + "[[solid]]\nshape = \"sphere\"\n" +
           image.point_line("center", {3.1 * dx, 3.3 * dx, z}) + fmt::format("radius = {}\n", 1.7 * dx);
  });
  with("ball_and_density", {{"density", "correction = \"implicit\"\ntolerance = 1e-10\n"}}, ball(""));
  with("moving_ball", {}, [ball](const Image& image) {
    return ball(image.vector_line("velocity", {1.0, 0.5, 0.0}))(image);
  });
  with("turning_box", {}, [](const Image& image) {
    const double dx = image.dx(), z = image.size().z();
    return "[[solid]]\nshape = \"box\"\n" + image.box({7.3 * dx, 2.3 * dx, 0}, {13.7 * dx, 4.6 * dx, z}) +
           image.axial_line("angular_velocity", {0, 0, 90}) + image.point_line("pivot", {10.3 * dx, 3.2 * dx, 0.5 * z});
  });
  scenes.back().largest_difference_in_3d = 1e-4;  // a face at the surface makes 1e-6 of phi 1e-4 of its velocity
  // slabs that end between the faces of the first and of the last cells
  const auto slabs = [](const Image& image) {
    const Vec3 size = image.size();
    const double dx = image.dx();
    const auto slab = [&](const Vec3& lower, const Vec3& upper) {
      return "[[solid]]\nshape = \"box\"\nsurface = \"fractions\"\n" + image.box(lower, upper);
    };
    const Vec3 low = Vec3::Constant(-1.0), high = size + Vec3::Ones();
    return slab(low, {0.4 * dx, 6.3 * dx, high.z()}) +
           slab({size.x() - 0.7 * dx, -1, -1}, {high.x(), 5.6 * dx, high.z()}) +
           slab(low, {0.7 * size.x(), 0.3 * dx, high.z()}) + slab({-1, size.y() - 0.6 * dx, -1}, high);
  };
  with("cut_cells_at_the_sides", {}, slabs);
  with("cut_cells_at_the_sides_separating", {{"pressure.walls", "condition = \"separating\"\n"}}, slabs);
  with("absorber", {}, [](const Image& image) {
    const Vec3 size = image.size();
    return "[[absorber]]\n" + image.box({0.5 * size.x(), 0, 0}, size) + image.vector_line("direction", {1, 0, 0}) +
           "strength = 20\n" + image.vector_line("velocity", {0.5, 0, 0});
  });
  with("sink", {}, [](const Image& image) {
    const double dx = image.dx();
    return "[[sink]]\nshape = \"box\"\n" + image.box({0, 0, 0}, {2.3 * dx, 2.6 * dx, image.size().z()});
  });
  scenes.push_back({"wind", [](const Image& image, Keys& keys) {
                      keys["fluid"] += image.vector_line("wind.velocity", {20, 0, 0});
                    }});
  scenes.push_back({"rotation", [](const Image& image, Keys& keys) {
                      keys["fluid"] += image.axial_line("rotation", {0, 0, 2.0});
                    }});
  scenes.push_back({"turning_frame", [](const Image& image, Keys& keys) {
                      keys["frame"] = image.axial_line("angular_velocity", {0, 0, 60.0}) +
                                      image.point_line("pivot", {5 * image.dx(), 0, 0});
                    }});
  for (MirrorScene& scene : scenes) scene.in_3d_by_day = scene.name == "level_set" || scene.name == "separating";
  return scenes;
}

}  // namespace freshet::test
