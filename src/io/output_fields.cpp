// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/output_fields.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/io/snapshot.hpp"
#include "io/derived_fields.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr UnitPowers no_unit{};
constexpr UnitPowers metres_per_second{1, 0, -1};
constexpr UnitPowers pascals{-1, 1, -2};
constexpr UnitPowers metres{1};
constexpr UnitPowers per_metre{-1};
constexpr UnitPowers per_second{0, 0, -1};
constexpr UnitPowers square_metres_per_second{2, 0, -1};

/// Copy the values of a field unchanged. \pre the field outlives the function
template <class T>
BlockFunction copy_of(const CellField<T>& field) {
  const int n = field.layout().cells_per_block();
  return [&field, n](LocalIndex block, double* values) {
    std::transform(field.block(block), field.block(block) + n, values,
                   [](T value) { return static_cast<double>(value); });
  };
}

/// Give 0 for a component that a field in 2-D does not have.
BlockFunction zeros(const BlockLayout& layout) {
  const int n = layout.cells_per_block();
  return [n](LocalIndex, double* values) { std::fill_n(values, n, 0.0); };
}

/// Give component d of the velocity at cell centres: the mean of the cell's two faces normal to axis d. The high face
/// of a block's last cells belongs to the next block. [m/s] \pre ghosts are valid to width 1
BlockFunction centred_velocity(const FaceField<double>& velocity, int d) {
  const BlockLayout& layout = velocity.layout();
  if (d >= velocity.dimension()) return zeros(layout);
  const int n = layout.cells_per_block();
  const int stride = BlockShape<3>::stride(d);
  const Vec3i offset = Vec3i::Unit(d);
  const int direction = direction_index(offset.x(), offset.y(), offset.z());
  return [&field = velocity[d], &layout, n, stride, direction](LocalIndex block, double* values) {
    const double* u = field.block(block);
    const double* next = field.block(layout.neighbours(block)[direction]);
    for (int c = 0; c < n; ++c) {
      const bool last = c / stride % block_width == block_width - 1;
      const double high = last ? next[c - (block_width - 1) * stride] : u[c + stride];
      values[c] = 0.5 * (u[c] + high);
    }
  };
}

BlockFunction pressure(const SnapshotState& state, int) {
  FRESHET_EXPECT(state.pressure != nullptr && state.pressure->is_bound_to(*state.layout));
  return copy_of(*state.pressure);
}

BlockFunction label(const SnapshotState& state, int) {
  FRESHET_EXPECT(state.labels != nullptr && state.labels->is_bound_to(*state.layout));
  return copy_of(*state.labels);
}

const FaceField<double>& faces_of(const SnapshotState& state) {
  FRESHET_EXPECT(state.velocity != nullptr && &state.velocity->layout() == state.layout);
  return *state.velocity;
}

BlockFunction velocity(const SnapshotState& state, int d) {
  return centred_velocity(faces_of(state), d);
}

BlockFunction face_velocity(const SnapshotState& state, int d) {
  const FaceField<double>& faces = faces_of(state);
  return d < faces.dimension() ? copy_of(faces[d]) : zeros(*state.layout);
}

/// Give the bubble's id in cells of trapped air, and -1 elsewhere.
BlockFunction bubble(const SnapshotState& state, int) {
  const int n = state.layout->cells_per_block();
  if (state.air == nullptr || !state.air->is_on())
    return [n](LocalIndex, double* values) { std::fill_n(values, n, -1.0); };
  FRESHET_EXPECT(state.air->number().is_bound_to(*state.layout));
  return [&air = *state.air, n](LocalIndex block, double* values) {
    std::transform(air.number().block(block), air.number().block(block) + n, values, [&air](std::int32_t of_cell) {
      return of_cell < 0 ? -1.0 : static_cast<double>(air.bubbles()[static_cast<std::size_t>(of_cell)].id);
    });
  };
}

BlockFunction copy_or_zeros(const CellField<float>* field, const SnapshotState& state) {
  return field != nullptr && field->is_bound_to(*state.layout) ? copy_of(*field) : zeros(*state.layout);
}

BlockFunction eddy_viscosity(const SnapshotState& state, int) {
  return copy_or_zeros(state.eddy_viscosity, state);
}

BlockFunction y_plus(const SnapshotState& state, int) {
  return copy_or_zeros(state.y_plus, state);
}

BlockFunction wall_stress(const SnapshotState& state, int) {
  return copy_or_zeros(state.wall_stress, state);
}

using enum AttributeType;

constexpr std::array table{
    FieldRecord{"pressure", "pressure [Pa]", pascals, 1, Centring::cell, float64, pressure,
                &SnapshotState::pressure_lead},
    FieldRecord{"velocity", "velocity at cell centres [m/s]", metres_per_second, 3, Centring::cell, float64, velocity,
                &SnapshotState::velocity_lead},
    FieldRecord{"label", "0 air, 1 liquid, 2 solid", no_unit, 1, Centring::cell, uint8, label},
    FieldRecord{"face_velocity", "velocity on cell faces [m/s]", metres_per_second, 3, Centring::low_face, float64,
                face_velocity, &SnapshotState::velocity_lead},
    FieldRecord{"distance", "signed distance to the liquid's surface, below 0 in the liquid; exact beside it [m]",
                metres, 1, Centring::cell, float64, surface_distance},
    FieldRecord{"curvature", "curvature of the surface beside it, with fluid.surface_tension [1/m]", per_metre, 1,
                Centring::cell, float64, surface_curvature},
    FieldRecord{"divergence", "net outflow of liquid cells, which the next projection removes [1/s]", per_second, 1,
                Centring::cell, float64, velocity_divergence, &SnapshotState::velocity_lead},
    FieldRecord{"vorticity", "curl of the velocity at the centres of liquid cells [1/s]", per_second, 3, Centring::cell,
                float64, velocity_curl, &SnapshotState::velocity_lead},
    FieldRecord{
        "density_error",
        "error that the density correction finds: particles over those that there is room for, less 1, within 0.5",
        no_unit, 1, Centring::cell, float64, density_error},
    FieldRecord{"open_fraction", "part of a cell outside solids", no_unit, 1, Centring::cell, float64, open_part},
    FieldRecord{"bubble", "number of the bubble of trapped air that the cell belongs to; -1: none", no_unit, 1,
                Centring::cell, float64, bubble},
    FieldRecord{"eddy_viscosity", "kinematic viscosity of unresolved eddies, with turbulence.model [m^2/s]",
                square_metres_per_second, 1, Centring::cell, float64, eddy_viscosity, &SnapshotState::velocity_lead},
    FieldRecord{"y_plus", "dimensionless distance of the first velocity from a wall with a wall law", no_unit, 1,
                Centring::cell, float64, y_plus, &SnapshotState::velocity_lead},
    FieldRecord{"wall_stress", "shear stress on a wall with a wall law, in the cells beside it [Pa]", pascals, 1,
                Centring::cell, float64, wall_stress, &SnapshotState::velocity_lead},
    FieldRecord{"rank", "rank that owns the cell", no_unit, 1, Centring::cell, float64, owner_rank},
};

}  // namespace

std::span<const FieldRecord> output_fields() {
  return table;
}

const FieldRecord* find_output_field(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const FieldRecord& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace freshet
