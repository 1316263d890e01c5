// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/block_vec.hpp"

#include "freshet/parallel/environment.hpp"

#include <algorithm>
#include <new>

#pragma GCC diagnostic ignored "-Wpsabi"  // a Row never crosses a call that is not inlined

namespace freshet::pressure {
namespace {

/// A vector's memory, and whose it is again when the vector is destroyed.
struct Loan {
  BlockVecs* owner;
  BlockVecs::Buffer* buffer;  ///< null for a vector without memory
};
constexpr const char* loan_name = "freshet_loan";

PetscErrorCode find_owner(Vec x, BlockVecs** owner) {
  PetscObject container = nullptr;
  void* loan = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(x), loan_name, &container));
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &loan));
  *owner = static_cast<Loan*>(loan)->owner;
  PetscFunctionReturn(0);
}

PetscErrorCode end_loan(void* context) {
  const std::unique_ptr<Loan> loan(static_cast<Loan*>(context));
  if (loan->buffer != nullptr) loan->owner->give_back(loan->buffer);
  return 0;
}

PetscErrorCode duplicate(Vec x, Vec* y);

PetscErrorCode create(BlockVecs& owner, BlockVecs::Buffer* buffer, Vec* vec) {
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  const BlockLayout& layout = owner.unknowns().layout();
  const PetscInt n_cells = layout.cells_per_block();
  const MPI_Comm comm = layout.comm().raw();
  PetscCall(VecCreateMPIWithArray(comm, 1, n_cells * layout.n_owned(),
                                  n_cells * static_cast<PetscInt>(layout.n_global()),
                                  buffer != nullptr ? buffer->data() : nullptr, vec));
  PetscCall(PetscContainerCreate(comm, &container));
  PetscCall(PetscContainerSetPointer(container, new Loan{&owner, buffer}));
  PetscCall(PetscContainerSetUserDestroy(container, end_loan));
  PetscCall(
      PetscObjectCompose(reinterpret_cast<PetscObject>(*vec), loan_name, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(VecSetOperation(*vec, VECOP_DUPLICATE, reinterpret_cast<void (*)()>(duplicate)));
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Vec x, Vec* y) {
  BlockVecs* owner = nullptr;
  BlockVecs::Buffer* buffer = nullptr;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(find_owner(x, &owner));
  PetscCall(VecGetLocalSize(x, &n));
  try {
    buffer = owner->take();
  } catch (const std::bad_alloc&) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a vector of %" PetscInt_FMT " entries", n);
  }
  PetscCall(create(*owner, buffer, y));
  PetscFunctionReturn(0);
}

}  // namespace

void BlockVecs::set_unknowns(const Unknowns& unknowns) {
  const BlockLayout& layout = unknowns.layout();
  if (unknowns_ == nullptr || layout_id_ != layout.id()) active_rows_.clear();
  active_rows_.resize(static_cast<std::size_t>(layout.n_owned()));
  const auto n_cells = static_cast<std::size_t>(layout.cells_per_block());
  for (std::size_t block = 0; block < active_rows_.size(); ++block) {
    const std::uint64_t now = unknowns.active_rows(static_cast<LocalIndex>(block));
    for_each_set_row(active_rows_[block] & ~now, unknowns.rows(), [&](int r) {
      for (const std::unique_ptr<Buffer>& buffer : buffers_)
        if (buffer->size() >= (block + 1) * n_cells)
          store(buffer->data() + block * n_cells + static_cast<std::size_t>(block_width * r), Row{});
    });
    active_rows_[block] = now;
  }
  unknowns_ = &unknowns;
  layout_id_ = layout.id();
}

BlockVecs::Buffer* BlockVecs::take() {
  const BlockLayout& layout = unknowns_->layout();
  const std::size_t size = static_cast<std::size_t>(layout.n_slots()) * layout.cells_per_block();
  const auto fits = [size](const Buffer* buffer) { return suits<double>(buffer->capacity(), size); };
  auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {  // free ones do not fit, and the next vectors will be as large as this one
    const auto is_free = [this](const std::unique_ptr<Buffer>& buffer) {
      return std::find(free_.begin(), free_.end(), buffer.get()) != free_.end();
    };
    std::erase_if(buffers_, is_free);
    buffers_.push_back(std::make_unique<Buffer>());
    buffers_.back()->reserve(size + size / 16);
    free_.assign(1, buffers_.back().get());
    found = free_.begin();
  }
  Buffer* buffer = *found;
  free_.erase(found);
  buffer->resize(size);
  double* values = buffer->data();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < size; ++i) values[i] = 0.0;
  return buffer;
}

Vec BlockVecs::create() {
  Vec vec = nullptr;
  check_petsc(pressure::create(*this, take(), &vec), "VecCreateMPIWithArray");
  return vec;
}

Vec BlockVecs::create_without_memory() {
  Vec vec = nullptr;
  check_petsc(pressure::create(*this, nullptr, &vec), "VecCreateMPIWithArray");
  return vec;
}

}  // namespace freshet::pressure
