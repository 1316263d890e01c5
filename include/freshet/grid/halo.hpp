// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/border_exchange.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace freshet {

/// Fields whose ghosts are to be refreshed to a width: what Halo::request() lists, to be sent with another message.
class GhostRequest {
 public:
  static constexpr std::size_t most_arrays = 8;

  template <class... Field>
  explicit GhostRequest(BorderExchange& rim, const Field&... fields) : rim_(&rim) {
    (add(fields), ...);
  }
  /// Valid as long as this object.
  BorderExchange::Part part() const& { return {rim_, {arrays_.data(), n_}}; }
  BorderExchange::Part part() && = delete;

 private:
  template <class T>
  void add(T* slots) {
    FRESHET_EXPECT(n_ < most_arrays);
    arrays_[n_++] = BorderExchange::Array(slots);
  }
  template <class T>
  void add(const CellField<T>& field) {
    add(const_cast<T*>(field.data()));  // only end() writes
  }
  template <class T>
  void add(const FaceField<T>& field) {
    for (int d = 0; d < field.dimension(); ++d) add(field[d]);
  }

  BorderExchange* rim_;
  std::array<BorderExchange::Array, most_arrays> arrays_{};
  std::size_t n_ = 0;
};

/// Refreshes ghost blocks from their owners.
///
/// A rim of width w consists of all ghost cells within w cells (in the maximum norm) of an owned block. Other cells of
/// ghost blocks do not change. A rim of width 8 consists of whole ghost blocks.
/// Parallel: every call is collective over the layout's communicator, also for ranks without blocks; OpenMP.
class Halo {
 public:
  explicit Halo(const BlockLayout& layout);
  ~Halo();

  static constexpr std::size_t most_arrays = GhostRequest::most_arrays;

  /// Refresh the ghosts of a field from their owners. A field is a CellField, a FaceField or the address of an array
  /// with as many blocks as a field. \pre 1 <= width <= 8
  template <class Field>
  void gather(Field&& field, int width) const {
    gather_together(width, field);
  }
  /// Refresh several fields in one exchange. \pre at most most_arrays; a face field counts once for each component
  template <class... Field>
  void gather_together(int width, Field&&... fields) const {
    begin_gather(width, fields...);
    end_gather(width, fields...);
  }
  /// Refresh fields in two calls with the same fields. Between them cells of owned blocks may be read and written,
  /// ghosts neither. One exchange of each width may be under way.
  template <class... Field>
  void begin_gather(int width, const Field&... fields) const {
    const GhostRequest asked = request(width, fields...);
    const BorderExchange::Part part = asked.part();
    BorderExchange::begin_together({&part, 1});
  }
  template <class... Field>
  void end_gather(int width, Field&&... fields) const {
    static_assert((!std::is_const_v<std::remove_reference_t<Field>> && ...));
    const GhostRequest asked = request(width, fields...);
    const BorderExchange::Part part = asked.part();
    BorderExchange::end_together({&part, 1});
  }
  /// What begin_gather() would send, for an exchange that takes it along. Local
  template <class... Field>
  GhostRequest request(int width, const Field&... fields) const {
    return GhostRequest(rim(width), fields...);
  }
  /// Refresh what one or two requests of one layout list, with one message to each rank.
  template <class... Request>
  static void gather(const GhostRequest& request, const Request&... other) {
    const BorderExchange::Part parts[] = {request.part(), other.part()...};
    BorderExchange::begin_together(parts);
    BorderExchange::end_together(parts);
  }

 private:
  BorderExchange& rim(int width) const;  ///< the exchange of rims of this width; made at first use

  const BlockLayout& layout_;
  mutable std::array<std::unique_ptr<BorderExchange>, block_width> rims_;  ///< index: width - 1
};

}  // namespace freshet
