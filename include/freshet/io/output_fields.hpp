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

/// Where the values of a field stand in a cell.
enum class Centring {
  cell,
  low_face  ///< component d on the cell's low face normal to axis d
};

/// Writes the values of one component in an owned block to `values`, one for each cell of the block, x fastest.
/// Several threads call it at once, for different blocks. It does not throw.
using BlockFunction = std::function<void(LocalIndex block, double* values)>;

/// A grid field that snapshots can hold.
struct FieldRecord {
  const char* name;  ///< the choice in output.fields, and the record's name in files
  const char* text;  ///< what it is, with its unit, for `freshet schema`
  UnitPowers unit;
  int n_components;  ///< 1, or 3: x, y and z, also in 2-D
  Centring centring;
  AttributeType type;  ///< of the numbers in the file
  /// Returns the function that computes component d. All ranks call `get` before they write a component, so that it may
  /// communicate. The state outlives the result.
  BlockFunction (*get)(const SnapshotState& state, int d);
  double SnapshotState::*lead = nullptr;  ///< how much later than the snapshot's time it is [s]; null: not at all
};

/// All output fields. The key output.fields, snapshots, their XDMF file and `freshet schema` read this table: to add a
/// field, add a row.
std::span<const FieldRecord> output_fields();

/// The row of that name; nullptr if there is none.
const FieldRecord* find_output_field(std::string_view name);

}  // namespace freshet
