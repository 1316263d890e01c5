// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/solids/solids.hpp"

#include <string>
#include <vector>

namespace freshet {

/// The bodies, and behind them their copies on periodic axes.
///
/// A body that is shorter than the domain along a periodic axis is copied if it moves, or if it reaches across a side
/// of that axis or nearly to it. A longer one has no copies: its sections at the two sides must fit together, those of
/// a moving body at all times.
/// \param[in] end_time  end of the bodies' motion [s]
/// \param[in] where     place of each body in the case file, for messages; may be shorter
/// Errors: InputError for a body whose two ends do not fit together. Parallel: local, the same on all ranks
std::vector<SolidBody> with_periodic_copies(const Domain& domain, std::vector<SolidBody> bodies, double end_time,
                                            const std::vector<std::string>& where = {});

/// The index of the body that a body or one of its copies is.
inline int number_of_body(const std::vector<SolidBody>& bodies, int body) {
  const int of = bodies[static_cast<std::size_t>(body)].copy.of;
  return of < 0 ? body : of;
}

/// The number of periods from a cell's place in the domain to a cell that may lie beyond a periodic side.
inline Vec3i periods_between(const Domain& domain, const Vec3i& cell) {
  return (cell - domain.wrap_cell(cell)).cwiseQuotient(domain.cells());
}

/// The index of the copy of a body, or of the body itself, that stands so many periods away from another one of them;
/// `body` where none stands there.
int copy_of_body(const std::vector<SolidBody>& bodies, int body, const Vec3i& periods);

/// Whether copies of a body stand on periodic axes, or it is one of them.
inline bool has_periodic_copies(const SolidBody& body) {
  return !body.copy.period.isZero(0.0);
}

}  // namespace freshet
