// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/air_regions.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/block_bits.hpp"
#include "freshet/grid/kernels/row.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

namespace freshet {
namespace {

/// The cells of air of a slot.
template <class Shape>
BlockBits<Shape> air_of(const LabelPlanes& planes, LocalIndex slot) {
  BlockBits<Shape> air;
  for (int k = 0; k < Shape::nz; ++k) {
    const std::size_t plane = static_cast<std::size_t>(slot) * Shape::nz + static_cast<std::size_t>(k);
    air[static_cast<std::size_t>(k)] = ~(planes.liquid[plane] | planes.solid[plane]);
  }
  return air;
}

/// The cells of a slot whose low face along an axis is not closed.
template <class Shape>
BlockBits<Shape> open_low_faces(const CellField<float>& open_fraction, LocalIndex slot) {
  BlockBits<Shape> open{};
  const float* rows = open_fraction.block(slot);
  for (int r = 0; r < Shape::rows; ++r) {
    const std::uint64_t row = bits_of(load_row(rows + Shape::nx * r) > 0.0F);
    open[static_cast<std::size_t>(r / Shape::ny)] |= row << Shape::nx * (r % Shape::ny);
  }
  return open;
}

/// The cells of a slot's first layer along an axis whose low face there is not closed.
template <class Shape, int axis>
BlockBits<Shape> open_first_faces(const CellField<float>& open_fraction, LocalIndex slot) {
  BlockBits<Shape> open{};
  const float* rows = open_fraction.block(slot);
  if constexpr (axis == 0) {
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        open[k] |= static_cast<std::uint64_t>(rows[Shape::cell(0, j, k)] > 0.0F) << Shape::nx * j;
  } else if constexpr (axis == 1) {
    for (int k = 0; k < Shape::nz; ++k) open[k] = bits_of(load_row(rows + Shape::cell(0, 0, k)) > 0.0F);
  } else {
    for (int j = 0; j < Shape::ny; ++j) {
      const std::uint64_t row = bits_of(load_row(rows + Shape::cell(0, j, 0)) > 0.0F);
      open[0] |= row << Shape::nx * j;
    }
  }
  return open;
}

template <class Shape>
bool is_empty(const BlockBits<Shape>& bits) {
  return std::ranges::all_of(bits, [](std::uint64_t word) { return word == 0; });
}

/// The bits of a piece in the block's shape.
template <class Shape>
BlockBits<Shape> shaped(const std::array<std::uint64_t, 8>& bits) {
  BlockBits<Shape> result;
  std::copy_n(bits.begin(), Shape::nz, result.begin());
  return result;
}

/// Call f(cell) for the cells of a set, in their order.
template <class Shape, class Function>
void for_each_cell(const BlockBits<Shape>& bits, Function&& f) {
  for (int k = 0; k < Shape::nz; ++k)
    for (std::uint64_t rest = bits[static_cast<std::size_t>(k)]; rest != 0; rest &= rest - 1)
      f(64 * k + std::countr_zero(rest));
}

/// Lowest bit of a set that is not empty, as a set of its own.
template <class Shape>
BlockBits<Shape> lowest(const BlockBits<Shape>& bits) {
  BlockBits<Shape> result{};
  for (std::size_t k = 0; k < bits.size(); ++k)
    if (bits[k] != 0) {
      result[k] = bits[k] & (~bits[k] + 1);
      break;
    }
  return result;
}

}  // namespace

AirRegions::AirRegions(const Domain& domain, Atmosphere atmosphere, const Vec3& gravity, Vents vents)
    : sides_(domain, atmosphere, gravity, std::move(vents)),
      has_largest_open_(atmosphere == Atmosphere::above && gravity.isZero()) {}

std::size_t AirRegions::root(std::size_t piece) {
  while (parent_[piece] != piece) {
    parent_[piece] = parent_[parent_[piece]];
    piece = parent_[piece];
  }
  return piece;
}

/// Join two sets; the lower of their roots stays.
void AirRegions::unite(std::size_t a, std::size_t b) {
  a = root(a);
  b = root(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

template <class Shape>
void AirRegions::find_pieces(const FaceField<float>& open_fraction, std::span<const std::uint8_t> near) {
  const auto n_owned = static_cast<std::size_t>(layout_->n_owned());
  of_block_.resize(std::max(of_block_.size(), n_owned));
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
    std::vector<Piece>& pieces = of_block_[static_cast<std::size_t>(b)].pieces;
    pieces.clear();
    if (near[static_cast<std::size_t>(b)] == 0 || planes_.has_air[static_cast<std::size_t>(b)] == 0) return;
    BlockBits<Shape> rest = air_of<Shape>(planes_, b);
    OpenFaces<Shape> open{};
    for_each_axis<Shape>([&](auto axis) { open[axis] = open_low_faces<Shape>(open_fraction[axis], b); });
    while (!is_empty<Shape>(rest)) {
      BlockBits<Shape> reached = lowest<Shape>(rest);
      spread_inside<Shape>(rest, open, reached);
      Piece piece{b, {}};
      std::ranges::copy(reached, piece.bits.begin());
      pieces.push_back(piece);
      for (std::size_t k = 0; k < rest.size(); ++k) rest[k] &= ~reached[k];
    }
  });
  pieces_.clear();
  first_piece_.resize(n_owned + 1);
  for (std::size_t b = 0; b < n_owned; ++b) {
    first_piece_[b] = pieces_.size();
    pieces_.insert(pieces_.end(), of_block_[b].pieces.begin(), of_block_[b].pieces.end());
  }
  first_piece_[n_owned] = pieces_.size();
}

/// Join the pieces that touch across blocks of this rank.
template <class Shape>
void AirRegions::join_blocks(const FaceField<float>& open_fraction) {
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
    OfBlock& found = of_block_[static_cast<std::size_t>(b)];
    found.joints.clear();
    if (first_piece(b) == first_piece(b + 1)) return;
    for_each_axis<Shape>([&](auto axis) {
      const LocalIndex low = layout_->neighbours(b)[low_direction(axis)];
      if (low >= layout_->n_owned() || first_piece(low) == first_piece(low + 1)) return;
      const auto open = open_first_faces<Shape, axis>(open_fraction[axis], b);
      for (std::size_t theirs = first_piece(low); theirs < first_piece(low + 1); ++theirs) {
        const auto beside = last_layer_as_first<Shape, axis>(shaped<Shape>(pieces_[theirs].bits));
        for (std::size_t mine = first_piece(b); mine < first_piece(b + 1); ++mine)
          for (int k = 0; k < Shape::nz; ++k)
            if ((beside[k] & open[k] & pieces_[mine].bits[k]) != 0) {
              found.joints.push_back({mine, theirs});
              break;
            }
      }
    });
  });
  parent_.resize(pieces_.size());
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  for (LocalIndex b = 0; b < layout_->n_owned(); ++b)
    for (const auto& [mine, theirs] : of_block_[static_cast<std::size_t>(b)].joints) unite(mine, theirs);
}

/// Number this rank's regions by their first pieces, and write the numbers into number_, the owners' into ghosts.
template <class Shape>
void AirRegions::write_numbers(std::span<const std::uint8_t> near) {
  local_.resize(pieces_.size());
  std::int32_t n = 0;
  for (std::size_t p = 0; p < pieces_.size(); ++p) local_[p] = root(p) == p ? n++ : local_[root(p)];
  locals_.assign(static_cast<std::size_t>(n), {});
  number_.reset(*layout_, far);
  parallel_for_blocks(layout_->n_blocks(), [&](LocalIndex b) {
    std::int32_t* number = number_.block(b);
    const bool is_near = b < layout_->n_owned() && near[static_cast<std::size_t>(b)] != 0;
    std::fill_n(number, Shape::cells, is_near ? no_air : far);
    if (!is_near) return;
    for (std::size_t p = first_piece(b); p < first_piece(b + 1); ++p)
      for_each_cell<Shape>(shaped<Shape>(pieces_[p].bits), [&](int c) { number[c] = local_[p]; });
  });
  layout_->halo().gather(number_, 1);
}

/// Whether a piece has cells at a side of the domain whose air belongs to the atmosphere.
template <class Shape>
bool AirRegions::is_at_atmosphere(const Piece& piece) const {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(piece.block);
  bool is_at = false;
  for_each_axis<Shape>([&](auto axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      const int layer = (side == 0 ? 0 : domain.cells()[axis] - 1) - first[axis];
      if (!sides_.side[axis][side] || layer < 0 || layer >= Shape::n(axis)) continue;
      for (int k = 0; k < Shape::nz; ++k) {
        const std::uint64_t cells = axis == 0   ? first_column << layer
                                    : axis == 1 ? std::uint64_t{0xff} << Shape::nx * layer
                                                : (k == layer ? all_cells : 0);
        is_at = is_at || (piece.bits[static_cast<std::size_t>(k)] & cells) != 0;
      }
    }
  });
  return is_at;
}

/// Find first cell, size and sides of this rank's regions.
template <class Shape>
void AirRegions::measure_local() {
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    Local& region = locals_[static_cast<std::size_t>(local_[p])];
    const bool is_first = region.cells == 0;
    for (const std::uint64_t word : piece.bits) region.cells += std::popcount(word);
    if (is_first) {
      region.block = layout_->key(piece.block);
      for (std::size_t k = 0; k < piece.bits.size(); ++k)
        if (piece.bits[k] != 0) {
          region.cell = static_cast<std::int32_t>(64 * k) + std::countr_zero(piece.bits[k]);
          break;
        }
    }
    if (region.is_open == 0 && layout_->touches_boundary(piece.block) && is_at_atmosphere<Shape>(piece))
      region.is_open = 1;
    if (region.is_open == 0 && sides_.vents.reach(morton_block(layout_->key(piece.block)), piece.bits))
      region.is_open = 1;
  }
}

/// Whether the block beside an owned one is far.
template <class Shape>
bool AirRegions::is_far(LocalIndex block, int axis, int side) const {
  const LocalIndex slot = layout_->neighbours(block)[side < 0 ? low_direction(axis) : high_direction(axis)];
  const int beside = side < 0 ? (Shape::n(axis) - 1) * Shape::stride(axis) : 0;  // a cell of the rim
  return slot == layout_->background() || number_.block(slot)[beside] == far;
}

template <class Shape>
void AirRegions::find_contacts_of_block(const FaceField<float>& open_fraction, LocalIndex block) {
  std::vector<Contact>& contacts = of_block_[static_cast<std::size_t>(block)].contacts;
  contacts.clear();
  const auto add = [&contacts](const Contact& contact) {
    if (contacts.empty() || contacts.back() != contact) contacts.push_back(contact);
  };
  const std::size_t begin = first_piece(block), end = first_piece(block + 1);
  if (begin == end) return;
  for_each_axis<Shape>([&](auto axis) {
    const LocalIndex low = layout_->neighbours(block)[low_direction(axis)];
    if (low >= layout_->n_owned() && low != layout_->background()) {
      const auto open = open_first_faces<Shape, axis>(open_fraction[axis], block);
      const auto faces = first_layer_as_last<Shape, axis>(open);
      const std::int32_t* theirs = number_.block(low);
      for (std::size_t p = begin; p < end; ++p) {
        BlockBits<Shape> layer = first_layer_as_last<Shape, axis>(shaped<Shape>(pieces_[p].bits));
        for (int k = 0; k < Shape::nz; ++k) layer[k] &= faces[k];
        for_each_cell<Shape>(layer, [&](int c) {
          if (theirs[c] >= 0) add({local_[p], layout_->ghost_owner(low), theirs[c]});
        });
      }
    }
    for (const int side : {-1, 1}) {
      if (!is_far<Shape>(block, axis, side)) continue;
      Vec3i beside = layout_->block_coords(block);
      beside[axis] += side;
      const std::int32_t region = far_blocks_.region_of(beside);
      if (region < 0) continue;
      for (std::size_t p = begin; p < end; ++p) {
        const auto bits = shaped<Shape>(pieces_[p].bits);
        const auto layer = side < 0 ? first_layer_as_last<Shape, axis>(bits) : last_layer_as_first<Shape, axis>(bits);
        if (!is_empty<Shape>(layer)) add({local_[p], far, region});
      }
    }
  });
}

/// Find the contacts of this rank's regions with those of other ranks, across low faces, and with far blocks.
template <class Shape>
void AirRegions::find_contacts(const FaceField<float>& open_fraction) {
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) { find_contacts_of_block<Shape>(open_fraction, b); });
  contacts_.clear();
  for (LocalIndex b = 0; b < layout_->n_owned(); ++b) {
    const std::vector<Contact>& of_block = of_block_[static_cast<std::size_t>(b)].contacts;
    contacts_.insert(contacts_.end(), of_block.begin(), of_block.end());
  }
  std::ranges::sort(contacts_);
  contacts_.erase(std::unique(contacts_.begin(), contacts_.end()), contacts_.end());
}

/// Gather the regions and contacts of all ranks: from each its regions, then its contacts. Collective
void AirRegions::gather_ranks() {
  const Communicator& comm = layout_->comm();
  const std::size_t bytes_of_locals = locals_.size() * sizeof(Local);
  const auto n = static_cast<GlobalIndex>(locals_.size());
  message_.resize(sizeof n + bytes_of_locals + contacts_.size() * sizeof(Contact));
  std::memcpy(message_.data(), &n, sizeof n);
  if (!locals_.empty()) std::memcpy(message_.data() + sizeof n, locals_.data(), bytes_of_locals);
  if (!contacts_.empty())
    std::memcpy(message_.data() + sizeof n + bytes_of_locals, contacts_.data(), contacts_.size() * sizeof(Contact));
  gather_(comm, message_);
  locals_.clear();
  first_local_.clear();
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::byte* bytes = gather_.of_rank(rank).data();
    GlobalIndex n_locals = 0;
    std::memcpy(&n_locals, bytes, sizeof n_locals);
    first_local_.push_back(locals_.size());
    locals_.resize(locals_.size() + static_cast<std::size_t>(n_locals));
    if (n_locals > 0)
      std::memcpy(&locals_[first_local_.back()], bytes + sizeof n_locals,
                  static_cast<std::size_t>(n_locals) * sizeof(Local));
  }
  first_local_.push_back(locals_.size());
}

/// Join the regions of all ranks and the far blocks to regions_, and find the region of each rank's.
void AirRegions::join_ranks() {
  const std::size_t n_locals = locals_.size();
  const std::size_t n_far = far_blocks_.regions().size();
  parent_.resize(n_locals + n_far);
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  for (int rank = 0; rank < layout_->comm().size(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::size_t bytes_before = sizeof(GlobalIndex) + (first_local_[r + 1] - first_local_[r]) * sizeof(Local);
    std::span<const std::byte> rest = gather_.of_rank(rank).subspan(bytes_before);
    for (; !rest.empty(); rest = rest.subspan(sizeof(Contact))) {
      Contact contact{};
      std::memcpy(&contact, rest.data(), sizeof contact);
      const std::size_t first = contact.rank == far ? n_locals : first_local_[static_cast<std::size_t>(contact.rank)];
      unite(first_local_[r] + static_cast<std::size_t>(contact.own), first + static_cast<std::size_t>(contact.other));
    }
  }
  of_root_.assign(parent_.size(), -1);
  regions_.clear();
  region_of_local_.resize(n_locals);
  for (std::size_t n = 0; n < n_locals; ++n) {  // a region's root is one of a rank's: the lower number stays
    std::int32_t& region = of_root_[root(n)];
    if (region < 0) {
      region = static_cast<std::int32_t>(regions_.size());
      regions_.push_back({locals_[n].block, locals_[n].cell, false, 0, 0});
    }
    region_of_local_[n] = region;
    Region& found = regions_[static_cast<std::size_t>(region)];
    if (std::tie(locals_[n].block, locals_[n].cell) < std::tie(found.block, found.cell)) {
      found.block = locals_[n].block;
      found.cell = locals_[n].cell;
    }
    found.cells += locals_[n].cells;
    found.is_open = found.is_open || locals_[n].is_open != 0;
  }
  for (std::size_t m = 0; m < n_far; ++m) {
    const std::int32_t region = of_root_[root(n_locals + m)];
    region_of_local_.push_back(region);
    if (region < 0) continue;  // far blocks without near air beside them
    regions_[static_cast<std::size_t>(region)].far_cells += far_blocks_.regions()[m].cells;
    regions_[static_cast<std::size_t>(region)].is_open |= far_blocks_.regions()[m].is_open;
  }
}

/// Number the regions by their first cells, and let the largest be open if no other is.
void AirRegions::renumber() {
  order_.resize(regions_.size());
  place_.resize(regions_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::sort(order_, {}, [this](std::int32_t n) {
    const Region& region = regions_[static_cast<std::size_t>(n)];
    return std::tuple(region.block, region.cell);
  });
  sorted_.clear();
  for (std::size_t n = 0; n < order_.size(); ++n) {
    place_[static_cast<std::size_t>(order_[n])] = static_cast<std::int32_t>(n);
    sorted_.push_back(regions_[static_cast<std::size_t>(order_[n])]);
  }
  regions_.swap(sorted_);
  for (std::int32_t& region : region_of_local_)
    if (region >= 0) region = place_[static_cast<std::size_t>(region)];
  if (!has_largest_open_ || std::ranges::any_of(regions_, &Region::is_open)) return;
  const auto largest =
      std::ranges::max_element(regions_, {}, [](const Region& region) { return region.cells + region.far_cells; });
  if (largest != regions_.end()) largest->is_open = true;
}

/// Replace the numbers of single ranks in number_ by those of regions.
void AirRegions::write_regions() {
  parallel_for_blocks(layout_->n_blocks(), [&](LocalIndex b) {
    const int rank = b < layout_->n_owned() ? layout_->comm().rank() : layout_->ghost_owner(b);
    const std::size_t first = first_local_[static_cast<std::size_t>(rank)];
    std::int32_t* number = number_.block(b);
    for (int c = 0; c < layout_->cells_per_block(); ++c)
      if (number[c] >= 0) number[c] = region_of_local_[first + static_cast<std::size_t>(number[c])];
  });
}

std::int32_t AirRegions::of_far_block(const Vec3i& block) const {
  const std::int32_t far_region = far_blocks_.region_of(block);
  return far_region < 0 ? no_air : region_of_local_[locals_.size() + static_cast<std::size_t>(far_region)];
}

bool AirRegions::find(const LabelField& labels, const SolidFields& solids, std::span<const std::uint8_t> near) {
  layout_ = &labels.layout();
  const bool is_changed = far_blocks_.find(*layout_, near, sides_);
  planes_.find(labels);
  const FaceField<float>& open_fraction = solids.open_fraction();
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_pieces<Shape>(open_fraction, near);
    join_blocks<Shape>(open_fraction);
    write_numbers<Shape>(near);
    measure_local<Shape>();
    find_contacts<Shape>(open_fraction);
  });
  gather_ranks();
  join_ranks();
  renumber();
  write_regions();
  return is_changed;
}

}  // namespace freshet
