// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/output_fields.hpp"

#include "fields/centred_velocity.hpp"
#include "fields/copies.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/io/snapshot.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr UnitPowers no_unit{};
constexpr UnitPowers metres_per_second{1, 0, -1};
constexpr UnitPowers pascals{-1, 1, -2};

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

using enum AttributeType;

constexpr std::array table{
    FieldRecord{"pressure", "pressure [Pa]", pascals, 1, Centring::cell, float64, pressure},
    FieldRecord{"velocity", "velocity at cell centres [m/s]", metres_per_second, 3, Centring::cell, float64, velocity},
    FieldRecord{"label", "0 air, 1 liquid, 2 solid", no_unit, 1, Centring::cell, uint8, label},
    FieldRecord{"face_velocity", "velocity on cell faces [m/s]", metres_per_second, 3, Centring::low_face, float64,
                face_velocity},
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
