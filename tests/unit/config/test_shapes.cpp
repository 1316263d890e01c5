// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace freshet::test {
namespace {

const std::string head_3d = "[run]\nend_time = 1.0\n[domain]\ncells = [8, 8, 8]\ncell_size = 0.25\n";
const std::string head_2d =
    "[run]\nend_time = 1.0\n[domain]\ndimension = 2\ncells = [8, 8]\ncell_size = 0.25\norigin = [0, 0, 10]\n";

ShapeParameters shape_of(const std::string& head, const std::string& lines) {
  const Parameters p = parse(head + "[[liquid]]\n" + lines);
  return p.liquids.at(0).shape;
}

TEST(Shapes, box) {
  const auto s = shape_of(head_3d, "shape = \"box\"\nlower = [0, 1, 2]\nupper = [3, 4, 5]\n");
  EXPECT_EQ(s.kind, ShapeKind::box);
  EXPECT_EQ(s.lower, Vec3(0, 1, 2));
  EXPECT_EQ(s.upper, Vec3(3, 4, 5));
}

TEST(Shapes, sphere) {
  const auto s = shape_of(head_3d, "shape = \"sphere\"\ncenter = [0, 1, 2]\nradius = 0.5\n");
  EXPECT_EQ(s.kind, ShapeKind::sphere);
  EXPECT_EQ(s.center, Vec3(0, 1, 2));
  EXPECT_EQ(s.radius, 0.5);
}

TEST(Shapes, cylinder) {
  const auto s = shape_of(head_3d, "shape = \"cylinder\"\nstart = [0, 1, 2]\nend = [0, 1, 3]\nradius = 0.5\n");
  EXPECT_EQ(s.kind, ShapeKind::cylinder);
  EXPECT_EQ(s.start, Vec3(0, 1, 2));
  EXPECT_EQ(s.end, Vec3(0, 1, 3));
  EXPECT_EQ(s.radius, 0.5);
}

TEST(Shapes, half_space) {
  const auto s = shape_of(head_3d, "shape = \"half_space\"\npoint = [0, 1, 2]\nnormal = [0, 3, 0]\n");
  EXPECT_EQ(s.kind, ShapeKind::half_space);
  EXPECT_EQ(s.point, Vec3(0, 1, 2));
  EXPECT_EQ(s.normal, Vec3(0, 3, 0));
}

TEST(Shapes, capsule_and_torus) {
  const auto c = shape_of(head_3d, "shape = \"capsule\"\nstart = [0, 1, 2]\nend = [0, 1, 2]\nradius = 0.5\n");
  EXPECT_EQ(c.kind, ShapeKind::capsule);
  EXPECT_EQ(c.end, Vec3(0, 1, 2));  // without length it is a sphere
  const auto t = shape_of(
      head_3d, "shape = \"torus\"\ncenter = [0, 1, 2]\naxis = [0, 0, 2]\nmajor_radius = 0.5\nminor_radius = 0.1\n");
  EXPECT_EQ(t.kind, ShapeKind::torus);
  EXPECT_EQ(t.axis, Vec3(0, 0, 2));
  EXPECT_EQ(t.major_radius, 0.5);
  EXPECT_EQ(t.minor_radius, 0.1);
}

TEST(Shapes, mesh) {
  const auto s = shape_of(head_3d, "shape = \"mesh\"\nfile = \"a/b.obj\"\nfile_hash = \"0123456789abcdef\"\n");
  EXPECT_EQ(s.kind, ShapeKind::mesh);
  EXPECT_EQ(s.file, "a/b.obj");
  EXPECT_EQ(s.file_hash, "0123456789abcdef");
  EXPECT_EQ(s.where, "case.toml:8");
}

TEST(Shapes, every_shape_and_part_has_a_transform) {
  const auto s = shape_of(head_3d, R"(
shape = "difference"
translate = [1, 2, 3]
parts = [
  { shape = "sphere", center = [0, 1, 2], radius = 0.5, scale = 2.0 },
  { shape = "intersection", rotate = { axis = [0, 1, 0], angle = 30, center = [1, 1, 1] }, parts = [
    { shape = "box", lower = [0, 0, 0], upper = [1, 1, 1] } ] },
]
)");
  EXPECT_EQ(s.kind, ShapeKind::difference_of);
  EXPECT_EQ(s.transform.translate, Vec3(1, 2, 3));
  EXPECT_EQ(s.transform.scale, 1.0);
  EXPECT_EQ(s.parts.at(0).transform.scale, 2.0);
  EXPECT_EQ(s.parts.at(1).kind, ShapeKind::intersection_of);
  EXPECT_EQ(s.parts.at(1).transform.axis, Vec3(0, 1, 0));
  EXPECT_EQ(s.parts.at(1).transform.angle, 30.0);
  EXPECT_EQ(s.parts.at(1).transform.center, Vec3(1, 1, 1));
}

TEST(Shapes, in_2d_they_turn_in_the_plane) {
  const std::string box = "shape = \"box\"\nlower = [0, 1]\nupper = [3, 4]\n";
  EXPECT_EQ(shape_of(head_2d, box + "rotate.angle = 30\n").transform.axis, Vec3(0, 0, 1));
  EXPECT_NO_THROW(shape_of(head_2d, box + "rotate.angle = 30\nrotate.axis = [0, 0, -2]\n"));
  EXPECT_TRUE(contains(error_of(head_2d + "[[liquid]]\n" + box + "rotate.angle = 30\nrotate.axis = [0, 1]\n"),
                       "does not point along z"));
}

TEST(Shapes, unions_may_hold_unions) {
  const auto s = shape_of(head_3d, R"(
shape = "union"
parts = [
  { shape = "sphere", center = [0, 1, 2], radius = 0.5 },
  { shape = "union", parts = [{ shape = "box", lower = [0, 0, 0], upper = [1, 1, 1] }] },
]
)");
  EXPECT_EQ(s.kind, ShapeKind::union_of);
  ASSERT_EQ(s.parts.size(), 2u);
  EXPECT_EQ(s.parts[0].kind, ShapeKind::sphere);
  EXPECT_EQ(s.parts[1].kind, ShapeKind::union_of);
  ASSERT_EQ(s.parts[1].parts.size(), 1u);
  EXPECT_EQ(s.parts[1].parts[0].upper, Vec3(1, 1, 1));
}

TEST(Shapes, unions_nest_sixteen_deep) {
  const auto nested = [](int depth) {
    std::string open;
    std::string close;
    for (int i = 0; i < depth; ++i) {
      open += "shape = \"union\", parts = [{ ";
      close += " }]";
    }
    return minimal_case + "[[solid]]\nshape = \"union\"\nparts = [{ " + open +
           "shape = \"sphere\", center = [1, 1, 1], radius = 1" + close + " }]\n";
  };
  EXPECT_NO_THROW(parse(nested(15)));
  EXPECT_TRUE(contains(error_of(nested(16)), "at most 16 levels"));
}

TEST(Shapes, solids_have_the_same_ones) {
  const Parameters p = parse(minimal_case + R"(
[[solid]]
shape = "cylinder"
start = [0, 1, 2]
end = [0, 1, 3]
radius = 0.5
slip = "no_slip"
)");
  EXPECT_EQ(p.solids.at(0).shape.kind, ShapeKind::cylinder);
  EXPECT_EQ(p.solids.at(0).slip, Slip::no_slip);
}

TEST(Shapes, a_box_left_open_along_z_covers_the_layer_of_a_2d_case) {
  const auto s = shape_of(head_2d, "shape = \"box\"\nlower = [0, 1]\nupper = [3, 4]\n");
  EXPECT_EQ(s.lower, Vec3(0, 1, 9.75));   // a cell below the layer
  EXPECT_EQ(s.upper, Vec3(3, 4, 10.50));  // a cell above it
}

TEST(Shapes, points_left_open_along_z_lie_in_the_middle_of_the_layer_of_a_2d_case) {
  EXPECT_EQ(shape_of(head_2d, "shape = \"sphere\"\ncenter = [0, 1]\nradius = 0.5\n").center, Vec3(0, 1, 10.125));
  const auto cylinder = shape_of(head_2d, "shape = \"cylinder\"\nstart = [0, 1]\nend = [1, 1]\nradius = 0.5\n");
  EXPECT_EQ(cylinder.start, Vec3(0, 1, 10.125));
  EXPECT_EQ(cylinder.end, Vec3(1, 1, 10.125));
  const auto half_space = shape_of(head_2d, "shape = \"half_space\"\npoint = [0, 1]\nnormal = [1, 1]\n");
  EXPECT_EQ(half_space.point, Vec3(0, 1, 10.125));
  EXPECT_EQ(half_space.normal, Vec3(1, 1, 0));
}

TEST(Shapes, a_2d_case_may_still_give_three_entries) {
  const Parameters p = parse(minimal_case_2d, {"domain.cells=[16,24,1]", "liquid.0.lower=[0,0,-5]",
                                               "liquid.0.velocity=[1,2,0]", "fluid.gravity=[0,-1,0]"});
  EXPECT_EQ(p.domain.cells, Vec3i(16, 24, 1));
  EXPECT_EQ(p.liquids[0].shape.lower, Vec3(0, 0, -5));
  EXPECT_EQ(p.liquids[0].velocity, Vec3(1, 2, 0));
}

TEST(Shapes, nothing_points_along_z_in_2d) {
  EXPECT_EQ(parse(minimal_case_2d, {"fluid.gravity=[1,-9]"}).fluid.gravity, Vec3(1, -9, 0));
  EXPECT_EQ(parse(minimal_case_2d, {"liquid.0.velocity=[1,-9]"}).liquids[0].velocity, Vec3(1, -9, 0));
  for (const char* override : {"fluid.gravity=[0,0,1]", "liquid.0.velocity=[0,0,1]"}) {
    EXPECT_TRUE(contains(error_of(minimal_case_2d, {override}), "has a z entry of 1.0 (domain.dimension is 2)"));
  }
}

TEST(Shapes, those_that_enclose_nothing_are_refused) {
  const auto refused = [](const std::string& lines, const std::string& why) {
    const std::string message = error_of(head_3d + "[[liquid]]\n" + lines);
    EXPECT_TRUE(contains(message, why)) << message;
  };
  for (const char* upper : {"[-1, 1, 1]", "[1, 0, 1]", "[1, 1, -0.0]"}) {
    refused("shape = \"box\"\nlower = [0, 0, 0]\nupper = " + std::string(upper) + "\n", "is not above");
  }
  refused("shape = \"sphere\"\ncenter = [0, 0, 0]\nradius = -1\n", "out of range");
  refused("shape = \"cylinder\"\nstart = [1, 1, 1]\nend = [1, 1, 1]\nradius = 1\n", "no length");
  refused("shape = \"cylinder\"\nstart = [1, 1, 1]\nend = [1, 1, 2]\nradius = 0\n", "out of range");
  refused("shape = \"half_space\"\npoint = [1, 1, 1]\nnormal = [0, 0, 0]\n", "no direction");
  refused("shape = \"union\"\nparts = []\n", "has no entry");
  refused("shape = \"difference\"\nparts = []\n", "has no entry");
  refused("shape = \"torus\"\ncenter = [1, 1, 1]\naxis = [0, 0, 0]\nmajor_radius = 1\nminor_radius = 1\n",
          "no direction");
  refused("shape = \"mesh\"\nfile = \"\"\n", "is empty");
  refused("shape = \"mesh\"\nfile = \"a.obj\"\nfile_hash = \"0123\"\n", "is not a hash");
  refused("shape = \"sphere\"\ncenter = [1, 1, 1]\nradius = 1\nscale = 0\n", "out of range");
  refused("shape = \"sphere\"\ncenter = [1, 1, 1]\nradius = 1\nrotate.axis = [0, 0, 0]\n", "no direction");
  refused("shape = \"sphere\"\ncenter = [1, 1, 1]\nradius = 1\ntranslate = [0, 1e200, 0]\n", "is out of range");
}

TEST(Shapes, keys_of_other_kinds_are_unknown) {
  for (const char* key : {"center=[1,1,1]", "radius=1", "start=[0,0,0]", "normal=[0,1,0]", "parts=[]"}) {
    const std::string message = error_of(minimal_case, {std::string("liquid.0.") + key});
    EXPECT_TRUE(contains(message, "unknown key 'liquid.0.")) << message;
    EXPECT_TRUE(contains(message,
                         "the keys here are shape, lower, upper, scale, rotate.axis, rotate.angle, "
                         "rotate.center, translate, velocity, tag"))
        << message;
  }
}

TEST(Shapes, a_part_has_neither_velocity_nor_tag) {
  const std::string message = error_of(
      head_3d +
      "[[liquid]]\nshape = \"union\"\nparts = [{ shape = \"sphere\", center = [0, 0, 0], radius = 1, tag = 1 }]");
  EXPECT_TRUE(contains(message, "unknown key 'liquid.0.parts.0.tag'")) << message;
}

}  // namespace
}  // namespace freshet::test
