// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/block_vec.hpp"

#include "freshet/parallel/environment.hpp"
#include "pressure/krylov/dot.hpp"

#include <petsc/private/vecimpl.h>

#include <algorithm>
#include <cmath>
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

PetscErrorCode block_dot(Vec x, Vec y, PetscScalar* result) {
  BlockVecs* owner = nullptr;
  const PetscScalar* a = nullptr;
  const PetscScalar* b = nullptr;
  PetscFunctionBegin;
  PetscCall(find_owner(x, &owner));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  ExactSum sum = local_dot(a, b, owner->unknowns());
  sum.carry();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, ExactSum::n_words, MPI_INT64_T, MPI_SUM,
                             PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  *result = sum.round();
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

using NormOperation = PetscErrorCode (*)(Vec, NormType, PetscReal*);
NormOperation petsc_norm = nullptr;  ///< PETSc's own, the same for every VECMPI

PetscErrorCode block_norm(Vec x, NormType type, PetscReal* result) {
  PetscFunctionBegin;
  if (type != NORM_2 && type != NORM_FROBENIUS) {
    PetscCall(petsc_norm(x, type, result));
    PetscFunctionReturn(0);
  }
  PetscScalar square = 0.0;
  PetscCall(block_dot(x, x, &square));
  *result = std::sqrt(square);
  PetscFunctionReturn(0);
}

/// y_i = value(x_i, y_i) for the unknowns here.
template <class Value>
PetscErrorCode update(Vec y, Vec x, Value&& value) {
  const PetscScalar* a = nullptr;
  PetscScalar* b = nullptr;
  BlockVecs* owner = nullptr;
  PetscFunctionBegin;
  PetscCall(find_owner(y, &owner));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArray(y, &b));
  owner->unknowns().for_each_active_row(
      [a, b, value](std::size_t row) { store(b + row, value(load(a + row), load(b + row))); });
  PetscCall(VecRestoreArray(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

PetscErrorCode block_axpy(Vec y, PetscScalar alpha, Vec x) {
  return update(y, x, [alpha](const Row& a, const Row& b) { return b + alpha * a; });
}
PetscErrorCode block_aypx(Vec y, PetscScalar beta, Vec x) {
  return update(y, x, [beta](const Row& a, const Row& b) { return a + beta * b; });
}
PetscErrorCode block_copy(Vec x, Vec y) {
  return update(y, x, [](const Row& a, const Row&) { return a; });
}

/// Random numbers as PETSc makes them, where there are unknowns.
PetscErrorCode block_set_random(Vec x, PetscRandom random) {
  PetscScalar* values = nullptr;
  BlockVecs* owner = nullptr;
  PetscFunctionBegin;
  PetscCall(find_owner(x, &owner));
  PetscCall(VecGetArray(x, &values));
  for (PetscInt i = 0; i < x->map->n; ++i) PetscCall(PetscRandomGetValue(random, &values[i]));
  owner->unknowns().copy(values, values);
  PetscCall(VecRestoreArray(x, &values));
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
  petsc_norm = (*vec)->ops->norm;
  (*vec)->ops->dot = block_dot;
  (*vec)->ops->tdot = block_dot;
  (*vec)->ops->norm = block_norm;
  (*vec)->ops->axpy = block_axpy;
  (*vec)->ops->aypx = block_aypx;
  (*vec)->ops->copy = block_copy;
  (*vec)->ops->setrandom = block_set_random;
  (*vec)->ops->duplicate = duplicate;
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Vec x, Vec* y) {
  BlockVecs* owner = nullptr;
  BlockVecs::Buffer* buffer = nullptr;
  PetscFunctionBegin;
  PetscCall(find_owner(x, &owner));
  try {
    buffer = owner->take();
  } catch (const std::bad_alloc&) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a vector of %" PetscInt_FMT " entries", x->map->n);
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
