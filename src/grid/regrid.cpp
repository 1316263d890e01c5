// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/regrid.hpp"

#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace freshet {
namespace {

/// Size of a block in a message: its key, then its cells. [B]
template <class T>
std::size_t packed_size(int cells) {
  return sizeof(BlockKey) + static_cast<std::size_t>(cells) * sizeof(T);
}

template <class T>
void pack_block(const CellField<T>& field, LocalIndex block, std::vector<std::byte>& bytes) {
  const int cells = field.layout().cells_per_block();
  const BlockKey key = field.layout().key(block);
  const std::size_t at = bytes.size();
  bytes.resize(at + packed_size<T>(cells));
  std::memcpy(&bytes[at], &key, sizeof key);
  std::memcpy(&bytes[at + sizeof key], field.block(block), static_cast<std::size_t>(cells) * sizeof(T));
}

template <class T>
void unpack_blocks(const Message& message, CellField<T>& field) {
  const BlockLayout& layout = field.layout();
  const int cells = layout.cells_per_block();
  for (std::size_t at = 0; at < message.bytes.size(); at += packed_size<T>(cells)) {
    BlockKey key = 0;
    std::memcpy(&key, &message.bytes[at], sizeof key);
    const LocalIndex block = layout.find_owned(key);
    if (block == layout.background()) continue;  // the target has no such block
    std::memcpy(field.block(block), &message.bytes[at + sizeof key], static_cast<std::size_t>(cells) * sizeof(T));
  }
}

}  // namespace

template <class T>
void transfer_field(CellField<T>& field, CellField<T>& buffer, const BlockLayout& target, T initial) {
  const BlockLayout& source = field.layout();
  const int cells = source.cells_per_block();
  buffer.reset(target);
  const LocalIndex n_blocks = target.n_blocks();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    const LocalIndex before = b < target.n_owned() ? source.find_owned(target.key(b)) : source.background();
    if (before == source.background()) {
      std::fill_n(buffer.block(b), cells, initial);
    } else {
      std::copy_n(field.block(before), cells, buffer.block(b));
    }
  }
  if (source.splitters() != target.splitters()) {
    std::vector<Message> outgoing;
    for (LocalIndex b = 0; b < source.n_owned(); ++b) {
      const int owner = target.splitters().owner(source.key(b));
      if (owner == source.comm().rank()) continue;
      if (outgoing.empty() || outgoing.back().rank != owner) outgoing.push_back({owner, {}});
      pack_block(field, b, outgoing.back().bytes);
    }
    for (const Message& message : exchange(source.comm(), outgoing)) unpack_blocks(message, buffer);
  }
  field.swap(buffer);
}

template void transfer_field(CellField<double>&, CellField<double>&, const BlockLayout&, double);
template void transfer_field(CellField<std::uint8_t>&, CellField<std::uint8_t>&, const BlockLayout&, std::uint8_t);

void add_ring(const Domain& domain, std::vector<BlockKey>& keys) {
  const std::vector<BlockKey> inner = keys;
  for (const BlockKey key : inner)
    for (int direction = 0; direction < n_directions; ++direction) {
      Vec3i place = morton_block(key) + direction_offset(direction);
      if (domain.wrap_block(place)) keys.push_back(morton_key(place));
    }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

void copy_owned(const FaceField<double>& from, FaceField<double>& to) {
  for (int d = 0; d < from.dimension(); ++d) copy_owned(from[d], to[d]);
}

void copy_owned(const CellField<double>& from, CellField<double>& to) {
  const BlockLayout& layout = from.layout();
  const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b) std::copy_n(from.block(b), layout.cells_per_block(), to.block(b));
}

}  // namespace freshet
