// SPDX-License-Identifier: Apache-2.0
#include "freshet/formats/field_file.hpp"

#include "formats/vdb.hpp"
#include "formats/vtk_arrays.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/suggest.hpp"
#include "freshet/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace freshet {
namespace {

using formats::put;
using formats::VtkArrays;

bool is_byte(const FrameField& field) {
  return field.type == AttributeType::uint8;
}

/// Write image data of VTK without cells. Its extents end at -1: one that begins and ends at 0 is a point. It has no
/// arrays, because VTK would take them for arrays of -1 values and fail to copy them.
void write_empty_vti(const FrameField& box, AtomicFile& file) {
  const std::string body = fmt::format(
      "<ImageData WholeExtent=\"0 -1 0 -1 0 -1\" Origin=\"{0} {1} {2}\" Spacing=\"{3} {3} {3}\">\n"
      "<Piece Extent=\"0 -1 0 -1 0 -1\">\n<CellData>\n</CellData>\n</Piece>\n</ImageData>\n",
      box.corner.x(), box.corner.y(), box.corner.z(), box.dx);
  file.write(VtkArrays::head("ImageData", body));
  file.write(VtkArrays::tail);
}

/// Write image data of VTK. A field on faces is stored like one at cells, under its own name.
void write_vti(const FrameFile& frame, const std::vector<FrameField>& fields, AtomicFile& file) {
  const FrameField& box = fields.front();
  const std::int64_t n = box.cells.cast<std::int64_t>().prod();
  if (n == 0) {
    write_empty_vti(box, file);
    return;
  }
  VtkArrays arrays;
  std::string body = fmt::format(
      "<ImageData WholeExtent=\"0 {0} 0 {1} 0 {2}\" Origin=\"{3} {4} {5}\" Spacing=\"{6} {6} {6}\">\n"
      "<Piece Extent=\"0 {0} 0 {1} 0 {2}\">\n<CellData>\n",
      box.cells.x(), box.cells.y(), box.cells.z(), box.corner.x(), box.corner.y(), box.corner.z(), box.dx);
  for (const FrameField& field : fields)
    body +=
        arrays.add(field.name, is_byte(field) ? "UInt8" : "Float64", is_byte(field) ? 1 : 8, field.n_components(), n);
  file.write(VtkArrays::head("ImageData", body + "</CellData>\n</Piece>\n</ImageData>\n"));
  for (const FrameField& field : fields) {
    const auto width = static_cast<std::size_t>(field.n_components());
    file.write(VtkArrays::prefix(is_byte(field) ? 1 : 8, field.n_components(), n));
    std::vector<std::vector<double>> layer(width, std::vector<double>(static_cast<std::size_t>(n / field.cells.z())));
    for (int z = 0; z < field.cells.z(); ++z) {
      for (std::size_t c = 0; c < width; ++c) frame.read(field, static_cast<int>(c), z, z + 1, layer[c]);
      std::string bytes;
      for (std::size_t i = 0; i < layer[0].size(); ++i)
        for (std::size_t c = 0; c < width; ++c)
          is_byte(field) ? put(bytes, static_cast<std::uint8_t>(layer[c][i])) : put(bytes, layer[c][i]);
      file.write(bytes);
    }
  }
  file.write(VtkArrays::tail);
}

constexpr std::array field_formats_table{
    FieldFormat{"vti", "VTK image data for ParaView", write_vti},
    FieldFormat{"vdb", "OpenVDB grids", formats::vdb_fields_writer},
};

}  // namespace

std::span<const FieldFormat> field_formats() {
  return field_formats_table;
}

const FieldFormat& find_field_format(std::string_view ending) {
  if (ending.starts_with('.')) ending.remove_prefix(1);
  const std::string name = lower_case(ending);
  std::vector<std::string> known;
  for (const FieldFormat& format : field_formats_table) {
    known.emplace_back(format.ending);
    if (name != format.ending) continue;
    if (format.write == nullptr)
      throw InputError(
          fmt::format("this freshet cannot write .{} (it was built without OpenVDB). Install "
                      "libopenvdb-dev and libboost-dev, build again, or choose vti",
                      name));
    return format;
  }
  throw InputError(fmt::format("no format of fields has the name \"{}\" (there are {}). {}", printable(name),
                               fmt::join(known, ", "), suggest_word(name, known)));
}

void write_fields(const FrameFile& frame, const std::vector<FrameField>& fields, const FieldFormat& format,
                  const std::string& path) {
  FRESHET_EXPECT(!fields.empty());
  AtomicFile file(path);
  format.write(frame, fields, file);
  file.commit();
}

}  // namespace freshet
