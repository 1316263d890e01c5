// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/block_vec.hpp"

#include "freshet/parallel/environment.hpp"
#include "freshet/parallel/petsc_handle.hpp"
#include "freshet/parallel/vec_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <span>

namespace freshet::pressure {
namespace {

/// A vector's memory and the owner that takes it back when the vector is destroyed.
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

PetscErrorCode state_of(Vec x, BlockVecs::State* state) {
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(x), &state->id));
  PetscCall(get_changes(x, &state->changes));
  PetscFunctionReturn(0);
}

/// x.y and, in the same reduction, S^T x.
PetscErrorCode dot_with_products(Vec x, Vec y, BlockVecs& owner, PetscScalar* result) {
  const PetscScalar* a = nullptr;
  const PetscScalar* b = nullptr;
  PetscFunctionBegin;
  const Regions& regions = *owner.regions();
  std::vector<ExactSum>& sums = owner.sums();
  sums.assign(1 + static_cast<std::size_t>(regions.columns()), ExactSum());
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  sums[0] = local_dot(a, b, owner.unknowns());
  regions.add_products(a, std::span(sums).subspan(1));
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(sum_over_ranks(x, sums));
  *result = sums[0].round();
  BlockVecs::Products& products = owner.products_of_z();
  PetscCall(state_of(x, &products.of));
  for (std::size_t i = 0; i < products.values.size(); ++i) products.values[i] = sums[i + 1].round();
  PetscFunctionReturn(0);
}

/// Update S^T p for p = z + beta p, or p = z if `before` is null. \param[in] before  state of p before that
PetscErrorCode combine_products(Vec p, Vec z, PetscScalar beta, const BlockVecs::State* before, BlockVecs& owner) {
  BlockVecs::State z_state;
  PetscFunctionBegin;
  if (owner.regions() == nullptr) PetscFunctionReturn(0);
  PetscCall(state_of(z, &z_state));
  const BlockVecs::Products& of_z = owner.products_of_z();
  BlockVecs::Products& of_p = owner.products_of_p();
  if (!(of_z.of == z_state) || (before != nullptr && !(of_p.of == *before))) PetscFunctionReturn(0);
  for (std::size_t i = 0; i < of_p.values.size(); ++i)
    of_p.values[i] = of_z.values[i] + (before != nullptr ? beta * of_p.values[i] : 0.0);
  PetscCall(state_of(p, &of_p.of));
  ++of_p.of.changes;  // VecAYPX or VecCopy, the caller, counts one more change
  PetscFunctionReturn(0);
}

/// x.y and, in the same reduction, the sums of the next residual norm. \see ResidualNorm
PetscErrorCode block_dot(Vec x, Vec y, PetscScalar* result) {
  BlockVecs* owner = nullptr;
  BlockVecs::State x_state, y_state, r_state;
  PetscFunctionBegin;
  PetscCall(find_owner(x, &owner));
  PetscCall(state_of(x, &x_state));
  PetscCall(state_of(y, &y_state));
  for (const BlockVecs::Start::Dot& dot : owner->start().dots)
    if (dot.x == x_state && dot.y == y_state) {
      *result = dot.value;
      PetscFunctionReturn(0);
    }
  BlockVecs::ResidualNorm& next = owner->next_norm();
  if (next.vector != nullptr) PetscCall(state_of(next.vector, &r_state));
  const bool with_residual =
      next.vector != nullptr && r_state == next.r && !(x_state == r_state) && !(y_state == r_state);
  const PetscScalar* a = nullptr;
  const PetscScalar* b = nullptr;
  const PetscScalar* r = nullptr;
  if (owner->regions() != nullptr && next.vector != nullptr && r_state == next.r && y_state == r_state &&
      !(x_state == r_state)) {  // r.z
    PetscCall(dot_with_products(x, y, *owner, result));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  std::array<ExactSum, 4> sums;
  if (with_residual) {
    PetscCall(VecGetArrayRead(next.vector, &r));
    sums = local_dots<1, 4>({{{a, b}, {r, b}, {b, b}, {r, r}}}, owner->unknowns());
    PetscCall(VecRestoreArrayRead(next.vector, &r));
  } else {
    sums[0] = local_dot(a, b, owner->unknowns());
  }
  PetscCall(sum_over_ranks(x, std::span(sums).first(with_residual ? 4 : 1)));
  *result = sums[0].round();
  if (with_residual) {
    next.w = y_state;
    next.r_w = sums[1].round();
    next.w_w = sums[2].round();
    next.r_r = sums[3].round();  // summed anew: updates would accumulate errors
  }
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

/// r.r and, in the same reduction, the products of the initial guess. \see BlockVecs::Start
PetscErrorCode first_norm(Vec r, BlockVecs& owner, PetscReal* r_r) {
  Vec x = nullptr, b = nullptr;
  const PetscScalar *r_values = nullptr, *x_values = nullptr, *b_values = nullptr;
  PetscFunctionBegin;
  BlockVecs::Start& start = owner.start();
  PetscCall(KSPGetSolution(start.solver, &x));
  PetscCall(KSPGetRhs(start.solver, &b));
  start.solver = nullptr;
  PetscCall(VecGetArrayRead(r, &r_values));
  PetscCall(VecGetArrayRead(x, &x_values));
  PetscCall(VecGetArrayRead(b, &b_values));
  const std::array<ExactSum, 2> with_x =
      local_dots<2, 2>({{{r_values, x_values}, {b_values, x_values}}}, owner.unknowns());
  std::array<ExactSum, 3> sums = {local_dot(r_values, r_values, owner.unknowns()), with_x[0], with_x[1]};
  PetscCall(VecRestoreArrayRead(b, &b_values));
  PetscCall(VecRestoreArrayRead(x, &x_values));
  PetscCall(VecRestoreArrayRead(r, &r_values));
  PetscCall(sum_over_ranks(r, sums));
  *r_r = sums[0].round();
  for (std::size_t i = 0; i < start.dots.size(); ++i) {
    PetscCall(state_of(i == 0 ? r : b, &start.dots[i].x));
    PetscCall(state_of(x, &start.dots[i].y));
    start.dots[i].value = sums[i + 1].round();
  }
  PetscFunctionReturn(0);
}

VecOperations::Norm petsc_norm = nullptr;  ///< PETSc's norm, the same for every VECMPI

PetscErrorCode block_norm(Vec x, NormType type, PetscReal* result) {
  PetscFunctionBegin;
  if (type == NORM_2 || type == NORM_FROBENIUS) {
    BlockVecs* owner = nullptr;
    BlockVecs::State state;
    PetscCall(find_owner(x, &owner));
    PetscCall(state_of(x, &state));
    BlockVecs::ResidualNorm& next = owner->next_norm();
    const bool is_known = next.vector == x && next.r == state;
    if (!is_known) {
      next.vector = nullptr;
      PetscCall(owner->start().solver != nullptr ? first_norm(x, *owner, &next.r_r) : block_dot(x, x, &next.r_r));
      next.vector = x;
      next.r = state;
    }
    *result = std::sqrt(next.r_r);
  } else {
    PetscCall(petsc_norm(x, type, result));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode block_axpy(Vec y, PetscScalar alpha, Vec x) {
  constexpr double largest_drop = 1e-6;  // ratio of squared norms below which round-off matters
  BlockVecs* owner = nullptr;
  BlockVecs::State x_state, y_state;
  PetscFunctionBegin;
  PetscCall(find_owner(y, &owner));
  PetscCall(state_of(x, &x_state));
  PetscCall(state_of(y, &y_state));
  PetscCall(
      update_rows(y, x, owner->unknowns(), [alpha](const RealRow& a, const RealRow& b) { return b + alpha * a; }));
  BlockVecs::ResidualNorm& next = owner->next_norm();
  if (next.vector != y || !(next.r == y_state) || !(next.w == x_state)) PetscFunctionReturn(0);
  const double r_r = next.r_r + alpha * (2.0 * next.r_w + alpha * next.w_w);
  if (!(r_r > largest_drop * next.r_r)) PetscFunctionReturn(0);
  next.r_r = r_r;
  PetscCall(state_of(y, &next.r));
  ++next.r.changes;  // VecAXPY, the caller, counts one more change
  PetscFunctionReturn(0);
}
PetscErrorCode block_aypx(Vec y, PetscScalar beta, Vec x) {
  BlockVecs* owner = nullptr;
  BlockVecs::State before;
  PetscFunctionBegin;
  PetscCall(find_owner(y, &owner));
  PetscCall(state_of(y, &before));
  PetscCall(update_rows(y, x, owner->unknowns(), [beta](const RealRow& a, const RealRow& b) { return a + beta * b; }));
  PetscCall(combine_products(y, x, beta, &before, *owner));
  PetscFunctionReturn(0);
}
PetscErrorCode block_copy(Vec x, Vec y) {
  BlockVecs* owner = nullptr;
  PetscFunctionBegin;
  PetscCall(find_owner(y, &owner));
  PetscCall(update_rows(y, x, owner->unknowns(), [](const RealRow& a, const RealRow&) { return a; }));
  PetscCall(combine_products(y, x, 0.0, nullptr, *owner));
  PetscFunctionReturn(0);
}

/// PETSc's random numbers in cells with an unknown, else 0.
PetscErrorCode block_set_random(Vec x, PetscRandom random) {
  PetscScalar* values = nullptr;
  PetscInt n = 0;
  BlockVecs* owner = nullptr;
  PetscFunctionBegin;
  PetscCall(find_owner(x, &owner));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &values));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscRandomGetValue(random, &values[i]));
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
  petsc_norm = replace_operations(*vec, {.dot = block_dot,
                                         .norm = block_norm,
                                         .axpy = block_axpy,
                                         .aypx = block_aypx,
                                         .copy = block_copy,
                                         .set_random = block_set_random,
                                         .duplicate = duplicate});
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
    PetscInt n = 0;
    PetscCall(VecGetLocalSize(x, &n));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a vector of %" PetscInt_FMT " entries", n);
  }
  PetscCall(create(*owner, buffer, y));
  PetscFunctionReturn(0);
}

}  // namespace

ExactSum local_dot(const double* x, const double* y, const Unknowns& unknowns) {
  return local_dots<4, 1>({{{x, y}}}, unknowns)[0];
}

double local_max_magnitude(const double* x, const Unknowns& unknowns) {
  const auto n_cells = static_cast<std::size_t>(unknowns.rows() * block_width);
  double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(max : worst) if (unknowns.is_worth_threads())
  for (LocalIndex n = 0; n < unknowns.n_active(); ++n) {
    const LocalIndex block = unknowns.active_blocks()[n];
    const double* values = x + static_cast<std::size_t>(block) * n_cells;
    RealRow largest{};
    for_each_set_row(unknowns.active_rows(block), unknowns.rows(),
                     [&](int r) { largest = larger_magnitudes(largest, load_reals(values + block_width * r)); });
    worst = std::max(worst, largest_lane(largest));
  }
  return worst;
}

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
          store_row(buffer->data() + block * n_cells + static_cast<std::size_t>(block_width * r), RealRow{});
    });
    active_rows_[block] = now;
  }
  unknowns_ = &unknowns;
  layout_id_ = layout.id();
  next_norm_ = {};
  start_ = {};
}

void BlockVecs::begin_solve([[maybe_unused]] KSP solver) {
  start_ = {};
#if PETSC_VERSION_GE(3, 20, 0)
  start_.solver = solver;
#endif
}

void BlockVecs::set_regions(const Regions* regions) {
  regions_ = regions;
  const std::size_t n = regions != nullptr ? static_cast<std::size_t>(regions->columns()) : 0;
  for (Products* products : {&products_of_z_, &products_of_p_, &products_}) {
    products->of = {};
    products->values.assign(n, 0.0);
  }
}

std::span<const double> BlockVecs::products(Vec x) {
  State state;
  check_petsc(state_of(x, &state), "get_changes");
  if (products_of_p_.of == state) return products_of_p_.values;
  regions_->multiply_transposed(VecReadArray(x).data(), products_.values);
  return products_.values;
}

BlockVecs::Buffer* BlockVecs::take() {
  const BlockLayout& layout = unknowns_->layout();
  const std::size_t size = static_cast<std::size_t>(layout.n_slots()) * layout.cells_per_block();
  const auto fits = [size](const Buffer* buffer) { return suits<double>(buffer->capacity(), size); };
  auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {  // no free buffer fits: later vectors have this size, too
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
