// SPDX-License-Identifier: Apache-2.0
// Still water beside walls thinner than a cell, beside walls that move in themselves, and beside bodies across a
// periodic side.
// ranks: 1 2 3
// nightly: 2 3
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/folder.hpp"
#include "support/meshes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace freshet::test {
namespace {

constexpr double g = 9.81;
constexpr double rho = 1000.0;

/// Mean of the particles' places [m]. Collective
Vec3 mean_place(const Simulation& simulation) {
  double sums[4] = {};
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId) {
    for (int d = 0; d < 3; ++d) sums[d] += x[d];
    sums[3] += 1.0;
  });
  world().sum_in_place(sums);
  return Vec3(sums[0], sums[1], sums[2]) / sums[3];
}

/// Root of the mean squared speed [m/s]. Collective
double mean_speed(const Simulation& simulation) {
  double sums[2] = {};
  for_each_particle(simulation, [&](const Vec3&, const Vec3& u, ParticleId) {
    sums[0] += u.squaredNorm();
    sums[1] += 1.0;
  });
  world().sum_in_place(sums);
  return std::sqrt(sums[0] / sums[1]);
}

constexpr double level_bound = 0.1;  ///< by which a level may be off [cells]

/// A shelf from side to side, some cells above the floor, with water on it.
TEST(ThinWalls, water_rests_on_a_shelf_wherever_it_lies_in_a_cell) {
  constexpr double dx = 0.02;
  for (const char* surface : {"fractions", "voxels"})
    for (const char* labels : {"level_set", "voxels"})
      for (const double thickness : {0.5, 0.125})
        for (const double offset : {0.0, 0.25, 0.5, 0.75}) {
          const double low = (5.0 + offset) * dx, high = low + thickness * dx;
          // the density correction would stir cells that are full or empty only
          const std::string plain = std::string(labels) == "voxels" ? uncorrected + sticky_walls : "";
          Simulation simulation(
              world(), make_case(case_text({16, 24}, dx) + plain +
                                 fmt::format("[labels]\nsurface = '{}'\n[[liquid]]\nshape = 'box'\nlower = [0, {}]\n"
                                             "upper = [1, {}]\n[[solid]]\nshape = 'box'\nsurface = '{}'\n"
                                             "lower = [-1, {}]\nupper = [2, {}]\n",
                                             labels, high, high + 0.2, surface, low, high)));
          const double start = mean_place(simulation).y();
          run_until(simulation, 0.5);
          const double fall = 2.0 * (mean_place(simulation).y() - start) / dx;  // of the level; 10 cells without a wall
          EXPECT_LT(std::abs(fall), level_bound) << surface << ", " << labels << ", " << thickness << ", " << offset;
        }
}

/// A plank of whole cells from side to side whose upper side passes through a place, with water on it, as a part of a
/// case. \param[in] thickness, place [cells] \param[in] angle [degrees]
std::string plank(double thickness, double angle, const Vec3& place, double dx) {
  const double x = place.x() * dx, y = place.y() * dx, turn = angle * std::numbers::pi / 180.0;
  return fmt::format(
             "[[liquid]]\nshape = 'intersection'\nparts = [{{ shape = 'box', lower = [-1, -1], upper = [2, {}] }}, "
             "{{ shape = 'half_space', point = [{}, {}], normal = [{}, {}] }}]\n",
             25.0 * dx, x, y, std::sin(turn), -std::cos(turn)) +
         fmt::format(
             "[[solid]]\nshape = 'box'\nsurface = 'voxels'\nlower = [{}, {}]\nupper = [{}, {}]\n"
             "rotate = {{ axis = [0.0, 0.0, 1.0], angle = {}, center = [{}, {}, 0.0] }}\n",
             x - 5.0, y - thickness * dx, x + 5.0, y, angle, x, y);
}

/// Cells of such a wall touch each other at corners only, with water on one side and air on the other.
TEST(ThinWalls, planks_that_lean_hold_water_that_may_leave_them) {
  constexpr double dx = 0.02;
  for (const char* labels : {"level_set", "voxels"})
    for (const double angle : {27.0, 45.0, 63.0})
      for (const double thickness : {0.5, 0.25, 0.125})
        for (const double offset : {0.0, 0.17}) {  // from a cell's centre to the upper side
          const std::string plain = std::string(labels) == "voxels" ? uncorrected : "";  // as on shelves
          Simulation simulation(
              world(), make_case(case_text({24, 32}, dx) + plain + fmt::format("[labels]\nsurface = '{}'\n", labels) +
                                 plank(thickness, angle, {12.5, 11.5 + offset, 0.0}, dx)));
          const double start = mean_place(simulation).y();
          run_until(simulation, 1.0);
          const double fall = (start - mean_place(simulation).y()) / dx;  // 0.8 if images make air behind it liquid
          EXPECT_LT(std::abs(fall), level_bound) << labels << ", " << angle << ", " << thickness << ", " << offset;
        }
}

/// The same in 3-D, where the wall leans along two axes.
TEST(ThinWalls, a_plank_that_leans_along_two_axes_holds_water_that_may_leave_it) {
  constexpr double dx = 0.03;
  for (const double thickness : {0.25, 0.125}) {
    const double half = 0.5 * thickness * dx;
    const std::string turn = "rotate = { axis = [1.0, 0.0, -1.0], angle = 35.264, center = [0.255, 0.209, 0.255] }\n";
    Simulation simulation(
        world(),
        make_case(
            case_text({16, 20, 16}, dx) +
            fmt::format("[[liquid]]\nshape = 'intersection'\nparts = [{{ shape = 'box', lower = [-1, -1, -1], "
                        "upper = [2, 0.4, 2] }}, {{ shape = 'box', lower = [-5, {}, -5], upper = [5, 5, 5], {} }}]"
                        "\n[[solid]]\nshape = 'box'\nsurface = 'voxels'\nlower = [-5, {}, -5]\n"
                        "upper = [5, {}, 5]\n{}",
                        0.209 + half, turn.substr(0, turn.size() - 1), 0.209 - half, 0.209 + half, turn)));
    const double start = mean_place(simulation).y();
    run_until(simulation, 0.5);
    const double fall = (start - mean_place(simulation).y()) / dx;
    report("plank that leans along two axes: thickness, fall of the level [cells]", {thickness, fall});
    EXPECT_LT(std::abs(fall), level_bound) << thickness;
  }
}

/// The force on a ball of 14 cells, half full, is the weight of its water.
TEST(ThinWalls, a_shell_feels_the_whole_weight_of_the_water_in_it) {
  constexpr double dx = 0.05, radius = 7.0 * dx;
  constexpr double weight = 2.0 / 3.0 * 3.14159265358979 * radius * radius * radius * rho * g;
  const std::string center = "[0.5065, 0.5185, 0.4905]";
  for (const double thickness : {1.0, 0.5, 0.25, 0.125}) {
    Simulation simulation(
        world(),
        make_case(
            case_text({20, 20, 20}, dx) +
            fmt::format("[[liquid]]\nshape = 'intersection'\nparts = [{{ shape = 'sphere', center = {0}, radius = {1} "
                        "}}, {{ shape = 'half_space', point = {0}, normal = [0, 1, 0] }}]\n[[solid]]\n"
                        "shape = 'difference'\nparts = [{{ shape = 'sphere', center = {0}, radius = {2} }}, "
                        "{{ shape = 'sphere', center = {0}, radius = {1} }}]\n[[gauge]]\nname = 'force'\n"
                        "type = 'force'\nsolid = 0\n",
                        center, radius, radius + thickness * dx)));
    for (int step = 0; step < 5; ++step) simulation.advance(2e-3);
    const double force = -simulation.gauges().values(0)[1];
    report("shell: thickness [cells], force over the weight", {thickness, force / weight});
    EXPECT_NEAR(force / weight, 1.0, 0.02) << thickness;  // 0.94 if the pressure is that of the nearest surface
  }
}

/// The force on a gate between two depths of water is rho g (h_1^2 - h_2^2) / 2 for each metre of its width.
TEST(ThinWalls, a_gate_feels_the_whole_force_of_the_water_on_both_sides) {
  constexpr double dx = 0.025;
  constexpr double exact = 0.5 * rho * g * (0.6 * 0.6 - 0.3 * 0.3) * dx;  // 33.1 N in a layer of one cell
  double worst = 0.0;
  struct Method {
    std::string surface, keys;
    double bound;  // of the force
  };
  // A hundredth is a tenth of a cell of either level. With the density correction levels beside the gate are off by
  // more.
  for (const auto& [surface, method, bound] : {Method{"fractions", uncorrected + sticky_walls, 0.02},
                                               {"voxels", uncorrected + sticky_walls, 0.02},
                                               {"fractions", "", 0.03},
                                               {"voxels", "", 0.03}})
    for (const double offset : {0.0, 0.125, 0.375, 0.625, 0.875}) {
      const double low = (10.0 + offset) * dx, high = low + 0.25 * dx;
      Simulation simulation(
          world(), make_case(case_text({24, 32}, dx) + method +
                             fmt::format("[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [{0}, 0.6]\n[[liquid]]\n"
                                         "shape = 'box'\nlower = [{1}, 0]\nupper = [1, 0.3]\n[[solid]]\nshape = 'box'\n"
                                         "surface = '{2}'\nlower = [{0}, -1]\nupper = [{1}, 2]\n[[gauge]]\n"
                                         "name = 'force'\ntype = 'force'\nsolid = 0\n",
                                         low, high, surface)));
      double force = 0.0;
      int n = 0;
      while (simulation.time() < 0.5) {
        simulation.advance(simulation.largest_dt());
        if (simulation.time() < 0.25) continue;
        force += simulation.gauges().values(0)[0];
        ++n;
      }
      worst = std::max(worst, std::abs(force / n / exact - 1.0));
      EXPECT_NEAR(force / n, exact, bound * exact) << surface << ", " << offset << method;
    }
  report("gate of a quarter of a cell: largest error of the force", {worst});
}

/// A pool beside a wall that cuts cells and leans, away from the water above where the angle is positive.
struct PoolBesideWall {
  std::string surface;
  double angle;   ///< from the vertical [degrees]
  double offset;  ///< of its place at the level in a cell [cells]
};

/// By how much the level of such a pool is above the right one: mean and largest value after a while. [cells]
std::pair<double, double> rise_of_level(const PoolBesideWall& pool, const std::string& keys) {
  constexpr double dx = 0.025;
  const double turn = pool.angle * std::numbers::pi / 180.0;
  Simulation simulation(
      world(), make_case(case_text({32, 32}, dx) + keys +
                         fmt::format("[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [1, 0.6]\n[[solid]]\n"
                                     "shape = 'half_space'\nsurface = '{}'\npoint = [{}, 0.6]\nnormal = [{}, {}]\n"
                                     "[[gauge]]\nname = 'level'\ntype = 'height'\nstart = [0.125, 0.4]\n"
                                     "end = [0.125, 0.8]\n",
                                     pool.surface, (16.0 + pool.offset) * dx, -std::cos(turn), std::sin(turn))));
  double sum = 0.0, largest = 0.0;
  int n = 0;
  while (simulation.time() < 0.6) {
    simulation.advance(simulation.largest_dt());
    if (simulation.time() < 0.2) continue;
    const double rise = (simulation.gauges().values(0)[0] - 0.2) / dx;  // above the line's start
    sum += rise;
    largest = std::max(largest, std::abs(rise));
    ++n;
  }
  return {sum / n, largest};
}

/// The density correction counts the room that walls leave in the cells that they cut: if it took too little, it would
/// push water away from them, and the level would rise by a quarter of a cell.
TEST(ThinWalls, a_pool_beside_walls_that_cut_cells_keeps_its_level) {
  double worst = 0.0;
  for (const char* surface : {"fractions", "voxels"})
    for (const double angle : {0.0, 45.0, -45.0})
      for (const double offset : {0.25, 0.5, 0.75}) {
        const double rise = rise_of_level({surface, angle, offset}, "").first;
        worst = std::max(worst, std::abs(rise));
        EXPECT_LT(std::abs(rise), level_bound) << surface << ", " << angle << ", " << offset;
      }
  report("pool beside a wall that cuts cells: largest error of the level [cells]", {worst});
}

/// Where a wall leans, the surface goes on straight into the cells that it cuts. If it bent to meet the wall at a right
/// angle, pressure would drive a wave of 0.3 cells.
TEST(ThinWalls, a_pool_beside_walls_that_lean_stays_at_rest) {
  double worst = 0.0;
  for (const double angle : {30.0, 45.0, -30.0})
    for (const double offset : {0.25, 0.5, 0.75}) {
      const double rise = rise_of_level({"fractions", angle, offset}, uncorrected).second;
      worst = std::max(worst, rise);
      EXPECT_LT(rise, level_bound) << angle << ", " << offset;
    }
  report("pool beside a wall that leans: largest rise or fall of its level [cells]", {worst});
}

/// A cup of boxes turned about the middle of its inside, as a part of a case.
std::string cup(double thickness, double angle, const std::string& surface, const std::string& motion) {
  constexpr double x = 0.2031, y = 0.2071, width = 0.12, height = 0.12;  // of half the inside [m]
  const std::string turn =
      fmt::format("rotate = {{ axis = [0.0, 0.0, 1.0], angle = {}, center = [{}, {}, 0.0] }}", angle, x, y);
  const auto box = [](double x_low, double y_low, double x_high, double y_high) {
    return fmt::format("shape = 'box', lower = [{}, {}], upper = [{}, {}]", x_low, y_low, x_high, y_high);
  };
  return fmt::format("[[liquid]]\nshape = 'intersection'\nparts = [{{ {} }}, {{ {}, {} }}]\n", box(-9, -9, 9, y + 0.01),
                     box(x - width, y - height, x + width, y + height), turn) +
         fmt::format("[[solid]]\nsurface = '{}'\n{}shape = 'difference'\n{}\nparts = [{{ {} }}, {{ {} }}]\n", surface,
                     motion, turn,
                     box(x - width - thickness, y - height - thickness, x + width + thickness, y + height),
                     box(x - width, y - height, x + width, y + height + 1.0));
}

TEST(ThinWalls, cups_keep_their_level_still_tilted_and_moving) {
  constexpr double dx = 0.02, speed = 0.15, end = 0.6;
  for (const bool moves : {false, true})
    for (const double angle : {0.0, 10.0})
      for (const double thickness : {0.5, 0.25, 0.125}) {
        const std::string motion = moves ? fmt::format("velocity = [0.0, {}]\n", speed) : "";
        Simulation simulation(world(),
                              make_case(case_text({20, 24}, dx) + cup(thickness * dx, angle, "fractions", motion)));
        const double start = mean_place(simulation).y();
        run_until(simulation, end);
        const double way = moves ? speed * end : 0.0;
        const double fall = 2.0 * (mean_place(simulation).y() - start - way) / dx;
        EXPECT_LT(std::abs(fall), level_bound) << angle << " degrees, " << thickness << (moves ? ", moving" : "");
      }
}

/// In the corner of such a cup a cell's centre may lie inside and the larger part of the cell outside.
TEST(ThinWalls, tilted_cups_keep_the_level_of_water_in_whole_cells) {
  constexpr double dx = 0.02;
  for (const char* surface : {"fractions", "voxels"})
    for (const double angle : {10.0, 12.0, 30.0})
      for (const double thickness : {0.5, 0.25, 0.125}) {
        Simulation simulation(world(), make_case(case_text({20, 24}, dx) + uncorrected + at_voxels +
                                                 cup(thickness * dx, angle, surface, "")));
        const double start = mean_place(simulation).y();
        run_until(simulation, 0.6);
        const double fall = 2.0 * (start - mean_place(simulation).y()) / dx;  // 0.7 if the larger part counts
        EXPECT_LT(std::abs(fall), level_bound) << surface << ", " << angle << " degrees, " << thickness;
      }
}

/// A cup whose walls are thin boxes that overlap, open at the top.
TriangleMesh cup_mesh(double low, double high, double floor, double rim, double t) {
  TriangleMesh mesh = box_mesh({low - t, floor - t, low - t}, {high + t, floor, high + t});
  append(mesh, box_mesh({low - t, floor - t, low - t}, {low, rim, high + t}));
  append(mesh, box_mesh({high, floor - t, low - t}, {high + t, rim, high + t}));
  append(mesh, box_mesh({low - t, floor - t, low - t}, {high + t, rim, low}));
  append(mesh, box_mesh({low - t, floor - t, high}, {high + t, rim, high + t}));
  return mesh;
}

TEST(ThinWalls, cups_that_are_meshes_keep_their_level) {
  constexpr double dx = 0.05, low = 0.2031, high = 0.6131, floor = 0.1571, rim = 0.6, end = 0.3;
  struct Cup {
    double thickness;  ///< [cells]
    double angle;      ///< [degrees]
    double speed;      ///< upwards [m/s]
  };
  const Folder folder("thin_walls");
  for (const Cup& cup :
       {Cup{0.5, 0.0, 0.0}, {0.25, 0.0, 0.0}, {0.125, 0.0, 0.0}, {0.25, 10.0, 0.0}, {0.125, 10.0, 0.15}}) {
    folder.write("cup.obj", obj_text(cup_mesh(low, high, floor, rim, cup.thickness * dx)));
    const std::string turn =
        fmt::format("rotate = {{ axis = [0.0, 0.0, 1.0], angle = {}, center = [0.4081, 0.4, 0.4081] }}", cup.angle);
    const std::string motion = cup.speed > 0.0 ? fmt::format("velocity = [0.0, {}, 0.0]\n", cup.speed) : "";
    const std::string liquid = fmt::format(
        "[[liquid]]\nshape = 'intersection'\nparts = [{{ shape = 'box', lower = [-9, -9, -9], upper = [9, 0.41, 9] }}, "
        "{{ shape = 'box', lower = [{0}, {1}, {0}], upper = [{2}, 0.8, {2}], {3} }}]\n",
        low, floor, high, turn);
    Simulation simulation(world(), make_case(case_text({16, 16, 16}, dx) + liquid +
                                                 "[[solid]]\nshape = 'mesh'\nfile = 'cup.obj'\n" + turn + "\n" + motion,
                                             folder.path("case.toml")));
    const double start = mean_place(simulation).y();
    run_until(simulation, end);
    const double fall = 2.0 * (mean_place(simulation).y() - start - cup.speed * end) / dx;
    report("cup that is a mesh: thickness, fall of the level [cells]", {cup.thickness, fall});
    EXPECT_LT(std::abs(fall), level_bound) << cup.thickness << ", " << cup.angle << " degrees, " << cup.speed << " m/s";
  }
}

constexpr double share_of_wall = 0.01;  ///< of the wall's speed that still water may take on at 64 cells

/// Water at rest without gravity beside a body of whole cells that moves in its own surface. [m/s] Collective
double dragged(const std::string& scene) {
  Simulation simulation(
      world(), make_case(case_text({64, 64}, 0.02) + "[fluid]\ngravity = [0.0, 0.0]\n[time]\nmax_dt = 0.01\n" + scene));
  run_until(simulation, 0.2);
  return mean_speed(simulation);
}

TEST(SlidingWalls, a_body_that_moves_in_its_own_surface_leaves_still_water_at_rest) {
  const std::string turns = "surface = 'voxels'\nangular_velocity = [0.0, 0.0, 360.0]\npivot = [0.64, 0.64, 0.0]\n";
  const double omega = 2.0 * 3.14159265358979;
  const double in_drum =
      dragged("[[liquid]]\nshape = 'sphere'\ncenter = [0.64, 0.64]\nradius = 0.5\n[[solid]]\n" + turns +
              "shape = 'difference'\nparts = [{ shape = 'box', lower = [-1, -1], upper = [3, 3] }, { shape = 'sphere', "
              "center = "
              "[0.64, 0.64], radius = 0.5 }]\n");
  const double about_cylinder = dragged("[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [1.28, 1.0]\n[[solid]]\n" +
                                        turns + "shape = 'sphere'\ncenter = [0.64, 0.64]\nradius = 0.3\n");
  const double on_belt = dragged(
      "[[liquid]]\nshape = 'half_space'\npoint = [0.64, 1.1]\nnormal = [-1, 1]\n[[solid]]\nsurface = 'voxels'\n"
      "velocity = [0.5, 0.5]\nshape = 'half_space'\npoint = [0.64, 0.64]\nnormal = [-1, 1]\n");
  report("drum, cylinder, belt at 45 degrees: rms speed over that of the wall",
         {in_drum / (0.5 * omega), about_cylinder / (0.3 * omega), on_belt / std::sqrt(0.5)});
  EXPECT_LT(in_drum, share_of_wall * 0.5 * omega);  // 0.31 if faces take the body's whole velocity
  EXPECT_LT(about_cylinder, share_of_wall * 0.3 * omega);
  EXPECT_LT(on_belt, share_of_wall * std::sqrt(0.5));
}

/// Surfaces that cut cells. What such a body carries through a face that it covers in part is that of the middle of
/// this part; a belt leaves the domain through its sides.
TEST(SlidingWalls, a_body_that_cuts_cells_and_moves_in_its_own_surface_leaves_still_water_at_rest) {
  const std::string turns = "angular_velocity = [0.0, 0.0, 360.0]\npivot = [0.6437, 0.6391, 0.0]\n";
  const double omega = 2.0 * 3.14159265358979;
  const double in_drum =
      dragged("[[liquid]]\nshape = 'sphere'\ncenter = [0.6437, 0.6391]\nradius = 0.5\n[[solid]]\n" + turns +
              "shape = 'difference'\nparts = [{ shape = 'box', lower = [-1, -1], upper = [3, 3] }, { shape = 'sphere', "
              "center = [0.6437, 0.6391], radius = 0.5 }]\n");
  EXPECT_LT(in_drum, share_of_wall * 0.5 * omega);
  const double about_cylinder = dragged("[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [1.28, 1.0]\n[[solid]]\n" +
                                        turns + "shape = 'sphere'\ncenter = [0.6437, 0.6391]\nradius = 0.3\n");
  EXPECT_LT(about_cylinder, share_of_wall * 0.3 * omega);
  report("cut cells: drum, cylinder: rms speed over that of the wall",
         {in_drum / (0.5 * omega), about_cylinder / (0.3 * omega)});
  for (const double angle : {27.0, 45.0, 63.0}) {
    const double x = std::cos(angle * 3.14159265358979 / 180.0), y = std::sin(angle * 3.14159265358979 / 180.0);
    const double on_belt = dragged(fmt::format(
        "[[liquid]]\nshape = 'half_space'\npoint = [0.64, 1.1]\nnormal = [{0}, {1}]\n[[solid]]\nvelocity = [{1}, {2}]\n"
        "shape = 'half_space'\npoint = [0.64, 0.64]\nnormal = [{0}, {1}]\n",
        -y, x, y));
    report("cut cells: belt: angle [degrees], rms speed over that of the wall", {angle, on_belt});
    EXPECT_LT(on_belt, share_of_wall) << angle;
  }
}

const std::string periodic_in_x = "boundary.x_low = 'periodic'\nboundary.x_high = 'periodic'\n";

TEST(PeriodicBodies, water_at_rest_holds_up_a_body_across_a_periodic_side) {
  constexpr double dx = 0.05;
  const double exact = rho * g * 3.14159265358979 * 0.2 * 0.2 * dx;  // 61.6 N
  for (const char* surface : {"fractions", "voxels"}) {
    Simulation simulation(
        world(),
        make_case(case_text({32, 32}, dx) + periodic_in_x +
                  "[density]\ncorrection = 'implicit'\n[[liquid]]\n"
                  "shape = 'box'\nlower = [0, 0]\nupper = [1.6, 0.8]\n[[solid]]\nshape = 'sphere'\nsurface = '" +
                  surface +
                  "'\ncenter = [1.6, 0.4]\nradius = 0.2\n[[gauge]]\nname = 'force'\ntype = 'force'\n"
                  "solid = 0\n"));
    run_until(simulation, 0.5);
    const std::vector<double> force = simulation.gauges().values(0);
    report("body across a periodic side: force, rms speed", {force[0], force[1], mean_speed(simulation)});
    EXPECT_NEAR(force[0], 0.0, 0.02 * exact) << surface;
    const bool is_whole = std::string(surface) == "voxels";  // its area is that of whole cells
    EXPECT_NEAR(force[1], exact, (is_whole ? 0.1 : 0.02) * exact) << surface;
    EXPECT_LT(mean_speed(simulation), 5e-3) << surface;
  }
}

/// Water and a body that move alike stay at rest to each other, also where the body passes through the side. Stairs of
/// whole cells that moved with the normal velocity alone would hold the water back.
TEST(PeriodicBodies, a_body_moves_through_a_periodic_side_with_the_water_around_it) {
  const double speed = 1.0;
  for (const char* surface : {"fractions", "voxels"}) {
    Simulation simulation(
        world(),
        make_case(case_text({32, 16}, 0.05) + periodic_in_x +
                  "[fluid]\ngravity = [0.0, 0.0]\n[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [1.6, 0.6]\n"
                  "velocity = [1.0, 0.0]\n[[solid]]\nshape = 'sphere'\nsurface = '" +
                  surface + "'\ncenter = [1.2, 0.3]\nradius = 0.15\nvelocity = [1.0, 0.0]\n"));
    const GlobalIndex n = simulation.report().particles;
    run_until(simulation, 2.0);  // 1.25 periods
    double worst = 0.0;
    for_each_particle(simulation, [&](const Vec3&, const Vec3& u, ParticleId) {
      worst = std::max(worst, (u - speed * Vec3::UnitX()).norm());
    });
    report("moved through a periodic side: largest difference of a velocity", {world().max(worst)});
    EXPECT_LT(world().max(worst), 1e-3 * speed) << surface;
    EXPECT_EQ(simulation.report().particles, n);
  }
}

}  // namespace
}  // namespace freshet::test
