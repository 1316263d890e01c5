// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace freshet {
namespace {

constexpr GlobalIndex cells_at_a_time = 1 << 20;  ///< largest number of cells that a rank assembles
constexpr int largest_block = BlockShape<3>::cells;
constexpr std::size_t batch = 256;  ///< number of blocks whose values are computed together
using BlockValues = std::array<double, largest_block>;

/// A part of a row of the box in one block, as it is sent to the rank that writes the row.
struct CellRow {
  GlobalIndex row = 0;  ///< number of the row: y + ny z in the box
  std::int32_t x = 0;   ///< x of its first cell in the box
  std::int32_t count = 0;
  std::array<double, block_width> values{};
};

/// Assembles rows of a box from blocks and writes them.
class BoxWriter {
 public:
  BoxWriter(ParallelFile& file, const BlockLayout& layout, const openpmd::Mesh& mesh)
      : file_(file), comm_(file.comm()), layout_(layout), cells_(mesh.cells), extents_(mesh.extents()) {
    n_rows_ = static_cast<GlobalIndex>(extents_[0] * extents_[1]);
    const GlobalIndex rows_at_a_time = std::max<GlobalIndex>(1, cells_at_a_time / nx());
    share_ = std::min((n_rows_ + comm_.size() - 1) / comm_.size(), rows_at_a_time);
  }

  /// Fill one dataset from a function of blocks. Collective.
  template <class T>
  void write(const std::string& path, const BlockFunction& values) {
    std::vector<T> rows;
    file_.together([&] { rows.reserve(static_cast<std::size_t>(share_ * nx())); });
    const ParallelFile::Dataset dataset = file_.open_dataset(path, h5::type_of<T>());
    for (GlobalIndex first = 0; first < n_rows_; first += share_ * comm_.size()) {
      const GlobalIndex n_rows = std::min(n_rows_ - first, share_ * comm_.size());
      const GlobalIndex begin = std::min(first + share_ * comm_.rank(), first + n_rows);
      const GlobalIndex end = std::min(begin + share_, first + n_rows);
      rows.assign(static_cast<std::size_t>((end - begin) * nx()), T{});
      place(exchange(comm_, collect(values, first, n_rows)), begin, rows);
      file_.write(dataset, static_cast<hsize_t>(begin * nx()), rows.size(),
                  [&](hsize_t first_value, hsize_t n, std::byte* to) {
                    std::memcpy(to, rows.data() + first_value, n * sizeof(T));
                  });
    }
  }

 private:
  GlobalIndex nx() const { return static_cast<GlobalIndex>(extents_[2]); }
  GlobalIndex ny() const { return static_cast<GlobalIndex>(extents_[1]); }

  /// Whether a block holds cells in any of the rows.
  bool meets(const Vec3i& first_cell, GlobalIndex first_row, GlobalIndex n_rows) const {
    const Vec3i low = (first_cell - cells_.lower);
    const Vec3i n = layout_.domain().block_cells();
    const GlobalIndex first = low.y() + ny() * low.z();
    const GlobalIndex last = low.y() + n.y() - 1 + ny() * (low.z() + n.z() - 1);
    return first < first_row + n_rows && last >= first_row;
  }

  /// Call f(row) for each row of a block that lies in the box and in [first_row, first_row + n_rows).
  template <class Function>
  void for_each_row(LocalIndex block, GlobalIndex first_row, GlobalIndex n_rows, const BlockValues& values,
                    Function&& f) const {
    const Vec3i first_cell = layout_.first_cell(block);
    const Vec3i n = layout_.domain().block_cells();
    CellRow row;
    const int x = std::max(first_cell.x(), cells_.lower.x());  // the box may begin and end inside a block
    row.x = x - cells_.lower.x();
    row.count = std::min(first_cell.x() + n.x(), cells_.upper.x()) - x;
    if (row.count <= 0) return;
    for (int k = 0; k < n.z(); ++k) {
      for (int j = 0; j < n.y(); ++j) {
        const int y = first_cell.y() + j;
        const int z = first_cell.z() + k;
        if (y < cells_.lower.y() || z < cells_.lower.z()) continue;
        if (y >= cells_.upper.y() || z >= cells_.upper.z()) continue;
        row.row = (y - cells_.lower.y()) + ny() * (z - cells_.lower.z());
        if (row.row < first_row || row.row >= first_row + n_rows) continue;
        std::copy_n(values.begin() + n.x() * (j + n.y() * k) + (x - first_cell.x()), row.count, row.values.begin());
        f(row);
      }
    }
  }

  /// Collect the rows of this rank's blocks for one round, sorted by the rank that writes them.
  std::vector<Parcel<CellRow>> collect(const BlockFunction& values, GlobalIndex first_row, GlobalIndex n_rows) const {
    std::vector<LocalIndex> blocks;
    for (LocalIndex b = 0; b < layout_.n_owned(); ++b)
      if (meets(layout_.first_cell(b), first_row, n_rows)) blocks.push_back(b);
    std::map<int, std::vector<CellRow>> by_rank;
    std::vector<BlockValues> block_values(std::min(batch, blocks.size()));
    for (std::size_t first = 0; first < blocks.size(); first += batch) {
      const std::size_t count = std::min(batch, blocks.size() - first);
#pragma omp parallel for schedule(dynamic, 4)
      for (std::size_t i = 0; i < count; ++i) values(blocks[first + i], block_values[i].data());
      for (std::size_t i = 0; i < count; ++i)
        for_each_row(blocks[first + i], first_row, n_rows, block_values[i], [&](const CellRow& row) {
          by_rank[static_cast<int>((row.row - first_row) / share_)].push_back(row);
        });
    }
    std::vector<Parcel<CellRow>> parcels;
    for (auto& [rank, rows] : by_rank) parcels.push_back({rank, std::move(rows)});
    return parcels;
  }

  template <class T>
  void place(const std::vector<Parcel<CellRow>>& parcels, GlobalIndex first_row, std::vector<T>& rows) const {
    for (const Parcel<CellRow>& parcel : parcels) {
      for (const CellRow& row : parcel.items) {
        T* target = rows.data() + (row.row - first_row) * nx() + row.x;
        for (std::int32_t i = 0; i < row.count; ++i)
          target[i] = static_cast<T>(row.values[static_cast<std::size_t>(i)]);
      }
    }
  }

  ParallelFile& file_;
  const Communicator& comm_;
  const BlockLayout& layout_;
  CellBox cells_;
  std::array<hsize_t, 3> extents_;
  GlobalIndex n_rows_ = 0;
  GlobalIndex share_ = 1;  ///< number of rows that a rank writes at a time
};

/// Write the attributes of an openPMD record; openPMD's axis order is z, y, x.
void write_mesh_record(hid_t record, const openpmd::Mesh& mesh, const UnitPowers& unit, double lead) {
  using h5::write_attribute;
  const Vec3 corner = mesh.low_corner();
  openpmd::write_record(record, unit, lead);
  write_attribute(record, "geometry", "cartesian");
  write_attribute(record, "dataOrder", "C");
  write_attribute(record, "axisLabels", std::vector<std::string>{"z", "y", "x"});
  write_attribute(record, "gridSpacing", std::vector<double>(3, mesh.dx));
  write_attribute(record, "gridGlobalOffset", std::vector<double>{corner.z(), corner.y(), corner.x()});
  write_attribute(record, "gridUnitSI", 1.0);
}

void create_record(hid_t parent, const FieldRecord& field, const openpmd::Mesh& mesh, double lead) {
  h5::Handle group;
  if (field.n_components > 1) {
    group = h5::create_group(parent, field.name);
    write_mesh_record(group.id(), mesh, field.unit, lead);
  }
  for (int d = 0; d < field.n_components; ++d) {
    const h5::Handle dataset =
        h5::create_dataset(parent, component_path(field, d), h5_type(field.type), mesh.extents());
    if (field.n_components == 1) write_mesh_record(dataset.id(), mesh, field.unit, lead);
    openpmd::write_component(dataset.id());
    std::vector<double> position(3, 0.5);  // place in the cell: its centre, or a low face's middle
    if (field.centring == Centring::low_face) position[static_cast<std::size_t>(2 - d)] = 0.0;
    h5::write_attribute(dataset.id(), "position", position);
  }
}

}  // namespace

std::string component_path(const FieldRecord& field, int d) {
  return field.n_components == 1 ? field.name : fmt::format("{}/{}", field.name, openpmd::axis_names[d]);
}

MeshRecords plan_meshes(const std::vector<std::string>& names) {
  MeshRecords records;
  for (const std::string& name : names) {
    records.push_back(find_output_field(name));
    FRESHET_EXPECT(records.back() != nullptr);
  }
  return records;
}

std::int64_t bytes_of(const MeshRecords& records, const openpmd::Mesh& mesh) {
  std::size_t a_cell = 0;
  for (const FieldRecord* field : records)
    a_cell += size_of(field->type) * static_cast<std::size_t>(field->n_components);
  return static_cast<std::int64_t>(a_cell * mesh.n_cells());
}

openpmd::Mesh mesh_in_box(const BlockLayout& layout, const Vec3& lower, const Vec3& upper) {
  const Domain& domain = layout.domain();
  openpmd::Mesh mesh{{}, domain.dx(), domain.origin()};
  constexpr double rounding = 1e-9;  // cells that the box touches within rounding are left out
  for (int d = 0; d < 3; ++d) {
    const double low = (lower[d] - domain.origin()[d]) / domain.dx() + rounding;
    const double high = (upper[d] - domain.origin()[d]) / domain.dx() - rounding;
    const auto last = static_cast<double>(domain.cells()[d] - 1);
    mesh.cells.lower[d] = static_cast<int>(std::clamp(std::floor(low), 0.0, last));
    mesh.cells.upper[d] =
        std::max(mesh.cells.lower[d] + 1, static_cast<int>(std::clamp(std::ceil(high), 1.0, last + 1)));
  }
  return mesh;
}

openpmd::Mesh mesh_of(const BlockLayout& layout) {
  const Domain& domain = layout.domain();
  constexpr double none = -1e18;
  std::array<double, 6> extremes;  // -lower, then upper
  extremes.fill(none);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3i lower = layout.first_cell(b);
    const Vec3i upper = (lower + domain.block_cells()).cwiseMin(domain.cells());
    if ((upper.array() <= lower.array()).any()) continue;  // the layer of blocks beyond an open face
    for (int d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(d);
      extremes[i] = std::max(extremes[i], -static_cast<double>(lower[d]));
      extremes[i + 3] = std::max(extremes[i + 3], static_cast<double>(upper[d]));
    }
  }
  layout.comm().max_in_place(extremes);
  openpmd::Mesh mesh{{}, domain.dx(), domain.origin()};
  if (extremes[3] == none) return mesh;
  for (int d = 0; d < 3; ++d) {
    const auto i = static_cast<std::size_t>(d);
    mesh.cells.lower[d] = static_cast<int>(-extremes[i]);
    mesh.cells.upper[d] = static_cast<int>(extremes[i + 3]);
  }
  return mesh;
}

void create_meshes(hid_t parent, const MeshRecords& records, const openpmd::Mesh& mesh, const SnapshotState& state) {
  for (const FieldRecord* field : records)
    create_record(parent, *field, mesh, field->lead != nullptr ? state.*(field->lead) : 0.0);
}

void write_meshes(ParallelFile& file, const std::string& path, const MeshRecords& records, const openpmd::Mesh& mesh,
                  const SnapshotState& state) {
  if (records.empty()) return;
  BoxWriter box(file, *state.layout, mesh);
  for (const FieldRecord* field : records)
    for (int d = 0; d < field->n_components; ++d) {
      const std::string name = path + "/" + component_path(*field, d);
      const BlockFunction values = field->get(state, d);
      FRESHET_EXPECT(field->type == AttributeType::uint8 || field->type == AttributeType::float64);
      if (field->type == AttributeType::uint8) {
        box.write<std::uint8_t>(name, values);
      } else {
        box.write<double>(name, values);
      }
    }
}

}  // namespace freshet
