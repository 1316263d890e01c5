// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/particles/particle_store.hpp"

#include <array>
#include <functional>
#include <span>
#include <string_view>

namespace freshet {

struct SnapshotState;

/// Powers of the SI units m, kg, s, A, K, mol and cd, in the order of openPMD's unitDimension.
using UnitPowers = std::array<double, 7>;

/// The points of a cell at which a field has its values.
enum class Centring {
  cell,
  low_face  ///< component d on the cell's low face normal to axis d
};

/// Writes one component's values in an owned block to `values`: one for each cell of the block, x fastest. Threads call
/// it for different blocks at the same time. It does not throw.
using BlockFunction = std::function<void(LocalIndex block, double* values)>;

/// A grid field that snapshots can hold.
struct FieldRecord {
  const char* name;  ///< name in output.fields, and of the record in files
  const char* text;  ///< description with the unit, for `freshet schema`
  UnitPowers unit;
  int n_components;  ///< 1, or 3: x, y and z, in 2-D as well
  Centring centring;
  AttributeType type;  ///< type of the numbers in the file
  /// Returns the function that computes component d. All ranks call `get` before they write a component, so it may
  /// communicate. The state outlives the function that it returns.
  BlockFunction (*get)(const SnapshotState& state, int d);
  double SnapshotState::*lead = nullptr;  ///< time of the field minus time of the snapshot [s]; null: 0
};

/// The table of output fields, which the key output.fields, snapshots, their XDMF file and `freshet schema` read. To
/// add a field, add a row.
std::span<const FieldRecord> output_fields();

/// Find the row with a name; nullptr if there is none.
const FieldRecord* find_output_field(std::string_view name);

}  // namespace freshet
