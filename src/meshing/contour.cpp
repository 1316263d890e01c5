// SPDX-License-Identifier: Apache-2.0
// The surface phi = 0 as triangles: marching cubes that cannot leave a crack.
//
// Cubes have their corners at cell centres. Every edge of the lattice whose ends differ in sign has one vertex; the
// block of the edge's low cell owns it. Why the mesh is closed and manifold:
// 1. On each face of a cube, segments join the vertices on the face's edges, each vertex to exactly one other one.
//    Which ones depends on the four values of the face alone, by an exact comparison (cube_table.hpp). So both cubes at
//    a face draw the same segments.
// 2. An edge of a cube lies on two of its faces, so that each vertex has exactly two segments in the cube: the segments
//    form closed loops, and each vertex of the cube lies on one loop.
// 3. Each loop is filled by triangles that form a disc with the loop as its rim. Diagonals of the disc never join two
//    vertices on one face of the cube: where that is not possible, a vertex in the middle of the loop is added. So a
//    diagonal lies inside its cube, belongs to its disc only, and has two triangles.
// 4. A segment has one triangle in each of the two cubes at its face, and these run along it in opposite directions.
//    So every edge of the mesh has two triangles, of the same orientation.
// 5. Around a vertex, each of the four cubes at its lattice edge has one piece of a disc, and neighbours among them
//    share a segment: the pieces form one cycle, so that the surface around a vertex is one disc.
//
// The rule for ambiguous cubes. On a face whose liquid corners are the ends of one diagonal, the sign of the bilinear
// interpolation at its saddle decides which diagonal is joined (Nielson & Hamann 1991); the cube's trilinear
// interpolation is the same on the face. Inside a cube each loop gets a disc of its own, so that liquid, and air, is
// joined across edges and faces only. In Chernyaev's (1995) cases 4, 6, 7, 10, 12 and 13 the trilinear interpolation
// may also join two loops by a tunnel, narrower than the cube; the rule leaves the tunnel out. This decides which
// pieces of liquid are joined in one cube; it never opens the mesh, because points 1 to 5 hold whichever loops get
// discs. tests/unit/meshing/test_cube_table.cpp compares the rule with the interpolation for all signs.
#include "block_cells.hpp"
#include "cube_table.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/meshing/level_set.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "lattice.hpp"
#include "particle_bins.hpp"
#include "walls.hpp"

namespace freshet {

using namespace meshing;

namespace {

constexpr int two_pad_strides[3] = {1, TwoPads::extents.nx, TwoPads::extents.nx* TwoPads::extents.nx};

/// Vertices and triangles that lie in one block.
struct BlockMesh {
  std::vector<Vec3> positions;  ///< positions relative to the lattice's low corner [lattice cells]
  std::vector<Vec3> normals;
  std::vector<std::array<std::int64_t, 3>> triangles;
};

class Contour {
 public:
  explicit Contour(const LevelSet& level_set)
      : level_set_(level_set),
        layout_(level_set.layout()),
        walls_(level_set.walls()),
        open_(level_set.options().solids == SurfaceSolids::open),
        number_(layout_, std::int64_t{-1}) {}

  SurfaceMesh make() {
    number_vertices();
    std::vector<BlockMesh> blocks(static_cast<std::size_t>(layout_.n_owned()));
    parallel_for_blocks(layout_.n_owned(), [&](LocalIndex b) {
      if (crossed_[static_cast<std::size_t>(b)] != 0) fill_block(b, blocks[static_cast<std::size_t>(b)]);
    });
    return join(blocks);
  }

 private:
  /// Call f(cell, axis) for each vertex on an edge of an owned block, in the order of the vertices' numbers.
  template <class Function>
  static void for_each_edge(const TwoPads& phi, Function&& f) {
    for (int c = 0; c < block_cells; ++c) {
      const float* here = phi.data() + TwoPads::extents.at(c & 7, c >> 3 & 7, c >> 6);
      for (int axis = 0; axis < 3; ++axis)
        if ((here[0] < 0.0F) != (here[two_pad_strides[axis]] < 0.0F)) f(c, axis);
    }
  }

  static std::array<float, 8> corners(const float* here) {
    std::array<float, 8> values{};
    for (std::size_t c = 0; c < 8; ++c)
      values[c] =
          here[(c & 1) * two_pad_strides[0] + (c >> 1 & 1) * two_pad_strides[1] + (c >> 2) * two_pad_strides[2]];
    return values;
  }

  template <class Function>
  static void for_each_cube(const TwoPads& phi, Function&& f) {
    for (int c = 0; c < block_cells; ++c) {
      const std::array<float, 8> values = corners(phi.data() + TwoPads::extents.at(c & 7, c >> 3 & 7, c >> 6));
      const auto is_negative = [](float v) { return v < 0.0F; };
      if (std::none_of(values.begin(), values.end(), is_negative) ||
          std::all_of(values.begin(), values.end(), is_negative))
        continue;
      f(c, cube_triangles(values));
    }
  }

  /// Number the vertices: blocks in key order, and in a block vertices on edges before those in the middles of loops.
  void number_vertices() {
    const auto n = static_cast<std::size_t>(layout_.n_owned());
    std::vector<std::int64_t> first(n + 1, 0);
    crossed_.assign(n, 0);
    number_.fill(-1);
    parallel_for_blocks(layout_.n_owned(), [&](LocalIndex b) {
      TwoPads phi;
      fill_with_nearest(level_set_.phi(), b, phi);
      std::int64_t count = 0;
      std::int64_t* number = number_.block(b);
      for_each_edge(phi, [&](int c, int) {
        if (number[c] < 0) number[c] = count;
        ++count;
      });
      for_each_cube(phi, [&](int, const CubeTriangles& cube) {
        count += static_cast<std::int64_t>(cube.centers.size());
        crossed_[static_cast<std::size_t>(b)] = 1;
      });
      first[static_cast<std::size_t>(b) + 1] = count;
    });
    for (std::size_t b = 0; b < n; ++b) first[b + 1] += first[b];
    mesh_.first_vertex = layout_.comm().exclusive_sum(GlobalIndex{first[n]});
    mesh_.n_vertices = layout_.comm().sum(GlobalIndex{first[n]});
    mesh_.positions.resize(static_cast<std::size_t>(first[n]));
    mesh_.normals.resize(static_cast<std::size_t>(first[n]));
    parallel_for_blocks(layout_.n_owned(), [&](LocalIndex b) {
      std::int64_t* number = number_.block(b);
      for (int c = 0; c < block_cells; ++c)
        if (number[c] >= 0) number[c] += mesh_.first_vertex + first[static_cast<std::size_t>(b)];
    });
    first_ = std::move(first);
    layout_.halo().gather(number_, 1);
  }

  /// The point where the surface crosses the edge from a cell along an axis, relative to the block's low corner.
  Vec3 crossing(const TwoPads& phi, const Vec3i& cell, int axis) const {
    const float* here = phi.data() + TwoPads::extents.at(cell.x(), cell.y(), cell.z());
    Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
    x[axis] += part(here, axis);
    return x;
  }
  double part(const float* here, int axis) const {
    const double weld = level_set_.options().weld;
    const double low = here[0], high = here[two_pad_strides[axis]];
    return std::clamp(low / (low - high), weld, 1.0 - weld);
  }
  Vec3 normal(const TwoPads& phi, const Vec3i& cell, int axis) const {
    const float* here = phi.data() + TwoPads::extents.at(cell.x(), cell.y(), cell.z());
    const double t = part(here, axis);
    Vec3 gradient;
    for (int d = 0; d < 3; ++d) {
      const float* there = here + two_pad_strides[axis];
      gradient[d] = (1.0 - t) * (here[two_pad_strides[d]] - here[-two_pad_strides[d]]) +
                    t * (there[two_pad_strides[d]] - there[-two_pad_strides[d]]);
    }
    const double length = gradient.norm();
    return length > 0.0 ? Vec3(gradient / length) : Vec3(Vec3::Unit(axis));
  }

  /// Find the number of the vertex on the edge from a cell along an axis. The cell may lie one cell beyond the block.
  std::int64_t vertex(const TwoPads& phi, LocalIndex block, const Vec3i& cell, int axis) const {
    const int direction = direction_index(cell.x() > 7 ? 1 : 0, cell.y() > 7 ? 1 : 0, cell.z() > 7 ? 1 : 0);
    const LocalIndex slot = layout_.neighbours(block)[direction];
    std::int64_t number = number_.block(slot)[Block3::cell(cell.x() & 7, cell.y() & 7, cell.z() & 7)];
    const float* here = phi.data() + TwoPads::extents.at(cell.x(), cell.y(), cell.z());
    for (int d = 0; d < axis; ++d)
      if ((here[0] < 0.0F) != (here[two_pad_strides[d]] < 0.0F)) ++number;
    return number;
  }

  void fill_block(LocalIndex b, BlockMesh& out) {
    TwoPads phi;
    fill_with_nearest(level_set_.phi(), b, phi);
    const Vec3 corner = layout_.first_cell(b).cast<double>();
    for_each_edge(phi, [&](int c, int axis) {
      const Vec3i cell(c & 7, c >> 3 & 7, c >> 6);
      out.positions.push_back(corner + crossing(phi, cell, axis));
      out.normals.push_back(normal(phi, cell, axis));
    });
    const bool cuts = open_ && walls_.near_block(layout_.first_cell(b), 1.0);
    std::int64_t own =
        mesh_.first_vertex + first_[static_cast<std::size_t>(b)] + static_cast<std::int64_t>(out.positions.size());
    for_each_cube(phi, [&](int c, const CubeTriangles& cube) {
      const Vec3i cell(c & 7, c >> 3 & 7, c >> 6);
      std::array<std::int64_t, n_cube_edges + 4> numbers{};
      std::array<Vec3, n_cube_edges + 4> places;
      const auto cell_of = [&](int edge) {
        const int low = edge_corner[static_cast<std::size_t>(edge)];
        return Vec3i(cell + Vec3i(low & 1, low >> 1 & 1, low >> 2));
      };
      for (std::size_t m = 0; m < cube.centers.size(); ++m) {
        Vec3 sum = Vec3::Zero(), normals = Vec3::Zero();
        for (const int edge : cube.centers[m]) {
          sum += crossing(phi, cell_of(edge), edge / 4);
          normals += normal(phi, cell_of(edge), edge / 4);
        }
        places[n_cube_edges + m] = corner + sum / static_cast<double>(cube.centers[m].size());
        numbers[n_cube_edges + m] = own++;
        out.positions.push_back(places[n_cube_edges + m]);
        const double length = normals.norm();
        out.normals.push_back(length > 0.0 ? Vec3(normals / length) : Vec3(Vec3::UnitX()));
      }
      if (cuts && lies_beyond_walls(corner + cell.cast<double>())) return;
      for (const auto& triangle : cube.triangles) {
        std::array<std::int64_t, 3> ids{};
        bool beyond = cuts;
        for (std::size_t v = 0; v < 3; ++v) {
          const int edge = triangle[v];
          ids[v] =
              edge < n_cube_edges ? vertex(phi, b, cell_of(edge), edge / 4) : numbers[static_cast<std::size_t>(edge)];
          if (beyond)
            beyond = walls_.distance(edge < n_cube_edges ? Vec3(corner + crossing(phi, cell_of(edge), edge / 4))
                                                         : places[static_cast<std::size_t>(edge)]) > 0.0;
        }
        if (!beyond) out.triangles.push_back(ids);
      }
    });
    if (cuts)
      for (Vec3& x : out.positions)
        if (walls_.distance(x) > 0.0) x = walls_.project(x);
  }

  bool lies_beyond_walls(const Vec3& low_cell) const {
    for (int c = 0; c < 8; ++c)
      if (walls_.distance(low_cell + Vec3(c & 1, c >> 1 & 1, c >> 2) + Vec3::Constant(0.5)) <= 0.0) return false;
    return true;
  }

  SurfaceMesh join(std::vector<BlockMesh>& blocks) {
    std::vector<std::size_t> first_triangle(blocks.size() + 1, 0);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      first_triangle[b + 1] = first_triangle[b] + blocks[b].triangles.size();
    mesh_.triangles.resize(first_triangle.back());
    const std::vector<SurfaceParticles::Attribute>& attributes = level_set_.bins().attribute_list();
    for (const SurfaceParticles::Attribute& a : attributes)
      mesh_.attributes.push_back({a.name, a.components, a.integer,
                                  std::vector<float>(mesh_.positions.size() * static_cast<std::size_t>(a.components))});
    parallel_for_blocks(layout_.n_owned(), [&](LocalIndex b) {
      const auto m = static_cast<std::size_t>(b);
      const BlockMesh& block = blocks[m];
      std::copy(block.triangles.begin(), block.triangles.end(),
                mesh_.triangles.begin() + static_cast<std::ptrdiff_t>(first_triangle[m]));
      for (std::size_t v = 0; v < block.positions.size(); ++v) {
        const std::size_t target = static_cast<std::size_t>(first_[m]) + v;
        const Vec3 x = walls_.position(block.positions[v]);
        for (std::size_t d = 0; d < 3; ++d) {
          mesh_.positions[target][d] = static_cast<float>(x[static_cast<int>(d)]);
          mesh_.normals[target][d] = static_cast<float>(block.normals[v][static_cast<int>(d)]);
        }
        if (!attributes.empty()) interpolate(block.positions[v], target);
      }
      blocks[m] = {};
    });
    mesh_.n_triangles = layout_.comm().sum(static_cast<GlobalIndex>(mesh_.triangles.size()));
    if (open_) remove_unused_vertices(layout_.comm(), mesh_);
    return std::move(mesh_);
  }

  /// Give a vertex the attributes of the particles around it, weighted by (1 - s^2)^3.
  void interpolate(const Vec3& x, std::size_t vertex) {
    const ParticleBins& bins = level_set_.bins();
    const Lattice& lattice = bins.lattice();
    const double reach = lattice.kernel;
    Vec3i first, last;
    for (int d = 0; d < 3; ++d) {
      first[d] = lattice.bin_of(static_cast<int>(std::floor(x[d] - reach)));
      last[d] = lattice.bin_of(static_cast<int>(std::floor(x[d] + reach)));
    }
    std::size_t width = 0;
    for (const auto& a : mesh_.attributes) width += static_cast<std::size_t>(a.components);
    std::vector<double> sums(width, 0.0);
    std::vector<std::pair<float, double>> votes;  // value and summed weight of an integer attribute
    double weight = 0.0;
    std::vector<std::vector<std::pair<float, double>>> tallies(width);
    for (int k = first.z(); k <= last.z(); ++k)
      for (int j = first.y(); j <= last.y(); ++j)
        for (int i = first.x(); i <= last.x(); ++i)
          for (const Item& item : bins.bin({i, j, k})) {
            const Vec3 d = Vec3(lattice.bin_edge(i) + item.x[0], lattice.bin_edge(j) + item.x[1],
                                lattice.bin_edge(k) + item.x[2]) -
                           x;
            const double u = 1.0 - d.squaredNorm() / (reach * reach);
            if (u <= 0.0) continue;
            const double w = u * u * u;
            weight += w;
            const float* values = bins.attributes(item);
            std::size_t m = 0;
            for (const auto& a : mesh_.attributes)
              for (int c = 0; c < a.components; ++c, ++m) {
                if (!a.integer) {
                  sums[m] += w * values[m];
                  continue;
                }
                auto& tally = tallies[m];
                auto found =
                    std::find_if(tally.begin(), tally.end(), [&](const auto& t) { return t.first == values[m]; });
                if (found == tally.end()) found = tally.insert(tally.end(), {values[m], 0.0});
                found->second += w;
              }
          }
    if (weight <= 0.0) return;
    std::size_t m = 0;
    for (auto& a : mesh_.attributes)
      for (int c = 0; c < a.components; ++c, ++m) {
        float& target = a.values[vertex * static_cast<std::size_t>(a.components) + static_cast<std::size_t>(c)];
        target = static_cast<float>(sums[m] / weight);
        if (a.integer)
          target = std::max_element(tallies[m].begin(), tallies[m].end(), [](const auto& p, const auto& q) {
                     return p.second != q.second ? p.second < q.second : p.first > q.first;
                   })->first;
      }
  }

  const LevelSet& level_set_;
  const BlockLayout& layout_;
  const Walls& walls_;
  bool open_;
  CellField<std::int64_t> number_;  ///< number of the first vertex on the edges of a cell; -1: there is none
  std::vector<std::uint8_t> crossed_;
  std::vector<std::int64_t> first_;  ///< number of each block's first vertex on this rank
  SurfaceMesh mesh_;
};

}  // namespace

SurfaceMesh LevelSet::contour() const {
  return Contour(*this).make();
}

}  // namespace freshet
