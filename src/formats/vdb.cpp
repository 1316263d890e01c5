// SPDX-License-Identifier: Apache-2.0
#include "formats/vdb.hpp"

#include "formats/point_formats.hpp"

#if FRESHET_OPENVDB

#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"

#include <fmt/format.h>
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <streambuf>

namespace freshet::formats {
namespace {

namespace vdb = openvdb;

/// Forwards OpenVDB's output to a file and keeps the file's error, because streams swallow exceptions.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(AtomicFile& file) : file_(file) {}
  std::optional<std::string> failure;

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize n) override {
    return keep({bytes, static_cast<std::size_t>(n)}) ? n : 0;
  }
  int overflow(int c) override {
    const char byte = static_cast<char>(c);
    return keep({&byte, 1}) ? c : traits_type::eof();
  }
  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode) override {  // supports tellp() only
    return offset == 0 && from == std::ios::cur ? pos_type(written_) : pos_type(off_type(-1));
  }
  bool keep(std::string_view bytes) {
    if (failure) return false;
    try {
      file_.write(bytes);
    } catch (const FileError& error) {
      failure = error.what();
    }
    written_ += static_cast<off_type>(bytes.size());
    return !failure;
  }

  AtomicFile& file_;
  off_type written_ = 0;
};

/// Write grids to a file. Errors: FileError
void write_grids(const vdb::GridPtrVec& grids, AtomicFile& file) {
  FileBuffer buffer(file);
  std::ostream stream(&buffer);
  std::string problem = "the stream failed";
  bool failed = false;
  try {
    vdb::io::Stream archive(stream);
    vdb::MetaMap metadata;
    metadata.insertMeta("creator", vdb::StringMetadata("freshet"));
    archive.write(grids, metadata);
  } catch (const std::exception& error) {
    problem = error.what();
    failed = true;
  }
  if (buffer.failure) throw FileError(*buffer.failure);
  if (failed || !stream) throw FileError(fmt::format("OpenVDB cannot write the file ({}).", problem));
}

vdb::math::Transform::Ptr lattice_of(double dx, const Vec3& origin) {
  auto transform = vdb::math::Transform::createLinearTransform(dx);
  transform->postTranslate({origin.x(), origin.y(), origin.z()});
  return transform;
}

/// Initializes OpenVDB and turns traps of floating point off, because its half floats set flags.
struct Session {
  Session() { vdb::initialize(); }
  WithoutTraps suspended;
};

/// An attribute of points in the form that OpenVDB takes: values in the order of the points.
template <class T>
class Values {
 public:
  using ValueType = T;
  using value_type = T;
  using PosType = T;
  template <class Get>
  Values(std::size_t n, Get&& get) {
    for (std::size_t p = 0; p < n; ++p) values_.push_back(get(p));
  }
  std::size_t size() const { return values_.size(); }
  template <class U>
  void getPos(std::size_t n, U& x) const {
    x = values_[n];
  }
  template <class U>
  void get(U& value, std::size_t n) const {
    value = values_[n];
  }
  template <class U>
  void get(U& value, std::size_t n, vdb::Index) const {
    value = values_[n];
  }

 private:
  std::vector<T> values_;
};

template <class T>
void add_attribute(vdb::points::PointDataGrid& grid, const vdb::tools::PointIndexGrid& index, const std::string& name,
                   const Values<T>& values) {
  vdb::points::appendAttribute<T>(grid.tree(), name);
  vdb::points::populateAttribute(grid.tree(), index.tree(), name, values);
}

void add_attribute(vdb::points::PointDataGrid& grid, const vdb::tools::PointIndexGrid& index, std::size_t n,
                   const PointAttribute& attribute) {
  const std::string name = attribute.name == "velocity" ? "v" : attribute.name == "color" ? "Cd" : attribute.name;
  if (attribute.integer) {
    add_attribute(grid, index, name, Values<std::int64_t>(n, [&](std::size_t p) { return attribute.integers[p]; }));
  } else if (attribute.components == 1) {
    add_attribute(grid, index, name, Values<float>(n, [&](std::size_t p) { return attribute.reals[p]; }));
  } else {
    add_attribute(grid, index, name, Values<vdb::Vec3s>(n, [&](std::size_t p) {
                    return vdb::Vec3s(attribute.reals[3 * p], attribute.reals[3 * p + 1], attribute.reals[3 * p + 2]);
                  }));
  }
}

/// Call use(x, y, z, component values) for each cell of a field, layer by layer.
template <class Use>
void for_each_cell(const FrameFile& frame, const FrameField& field, Use&& use) {
  const auto width = static_cast<std::size_t>(field.n_components());
  std::vector<std::vector<double>> layer(width, std::vector<double>(static_cast<std::size_t>(field.cells.x()) *
                                                                    static_cast<std::size_t>(field.cells.y())));
  std::vector<double> values(width);
  for (int z = 0; z < field.cells.z(); ++z) {
    for (std::size_t c = 0; c < width; ++c) frame.read(field, static_cast<int>(c), z, z + 1, layer[c]);
    for (int y = 0; y < field.cells.y(); ++y)
      for (int x = 0; x < field.cells.x(); ++x) {
        const std::size_t at =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(field.cells.x()) + static_cast<std::size_t>(x);
        for (std::size_t c = 0; c < width; ++c) values[c] = layer[c][at];
        use(vdb::Coord(x, y, z), values);
      }
  }
}

template <class Grid, class Convert>
vdb::GridBase::Ptr grid_of(const FrameFile& frame, const FrameField& field, Convert&& convert) {
  auto grid = Grid::create();
  auto accessor = grid->getAccessor();
  for_each_cell(frame, field, [&](const vdb::Coord& at, const std::vector<double>& values) {
    const auto value = convert(values);
    if (value != grid->background()) accessor.setValue(at, value);
  });
  grid->setName(field.name);
  grid->setTransform(lattice_of(field.dx, field.corner + Vec3::Constant(0.5 * field.dx)));
  if (field.on_faces) grid->setGridClass(vdb::GRID_STAGGERED);
  return grid;
}

}  // namespace

std::string version_of_openvdb() {
  return vdb::getLibraryVersionString();
}

void write_point_vdb(const PointCloud& given, AtomicFile& file) {
  const Session session;
  const PointCloud cloud = with_narrow_attributes(given);
  const auto n = static_cast<std::size_t>(cloud.size());
  const Values<vdb::Vec3s> positions(n, [&](std::size_t p) {
    return vdb::Vec3s(cloud.positions[3 * p], cloud.positions[3 * p + 1], cloud.positions[3 * p + 2]);
  });
  const double voxel = cloud.radius > 0.0F ? 4.0 * double{cloud.radius} : 1.0;
  const auto transform = vdb::math::Transform::createLinearTransform(voxel);
  const auto index = vdb::tools::createPointIndexGrid<vdb::tools::PointIndexGrid>(positions, *transform);
  const auto grid = vdb::points::createPointDataGrid<vdb::points::NullCodec, vdb::points::PointDataGrid>(
      *index, positions, *transform);
  for (const PointAttribute& attribute : cloud.attributes) add_attribute(*grid, *index, n, attribute);
  grid->setName("particles");
  write_grids({grid}, file);
}

void write_field_vdb(const FrameFile& frame, const std::vector<FrameField>& fields, AtomicFile& file) {
  const Session session;
  vdb::GridPtrVec grids;
  for (const FrameField& field : fields) {
    if (field.n_components() == 3) {
      grids.push_back(grid_of<vdb::Vec3SGrid>(frame, field, [](const std::vector<double>& u) {
        return vdb::Vec3s(static_cast<float>(u[0]), static_cast<float>(u[1]), static_cast<float>(u[2]));
      }));
    } else if (field.type == AttributeType::uint8) {
      grids.push_back(grid_of<vdb::Int32Grid>(
          frame, field, [](const std::vector<double>& x) { return static_cast<std::int32_t>(x[0]); }));
    } else {
      grids.push_back(
          grid_of<vdb::FloatGrid>(frame, field, [](const std::vector<double>& x) { return static_cast<float>(x[0]); }));
    }
  }
  write_grids(grids, file);
}

void write_level_set(const std::vector<ReceivedBlock>& blocks, const LevelSetLattice& lattice, AtomicFile& file) {
  const Session session;
  const auto grid = vdb::FloatGrid::create(lattice.band);
  auto accessor = grid->getAccessor();
  for (const ReceivedBlock& block : blocks)
    for (std::size_t i = 0; i < block.phi.size(); ++i) {
      const float phi = block.phi[i];
      const int at = static_cast<int>(i), w = lattice.width;
      const vdb::Coord place(block.first.x() + at % w, block.first.y() + at / w % w, block.first.z() + at / (w * w));
      if (std::abs(phi) < lattice.band) {
        accessor.setValue(place, phi);
      } else {
        accessor.setValueOff(place, std::copysign(lattice.band, phi));
      }
    }
  vdb::tools::signedFloodFill(grid->tree());
  grid->pruneGrid();
  grid->setName("surface");
  grid->setGridClass(vdb::GRID_LEVEL_SET);
  grid->setTransform(lattice_of(lattice.dx, lattice.origin));
  write_grids({grid}, file);
}

}  // namespace freshet::formats

#endif
