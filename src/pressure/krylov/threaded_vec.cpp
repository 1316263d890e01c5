// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/threaded_vec.hpp"

#include "freshet/parallel/environment.hpp"
#include "pressure/operator/rows.hpp"

#include <omp.h>
#include <petsc/private/vecimpl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

namespace freshet::pressure {
namespace {

constexpr PetscInt chunk = 4096;               ///< entries taken by one thread in one go
constexpr PetscInt worth_threads = 4 * chunk;  ///< shorter vectors stay with one thread

/// Sum of term(i) over [begin, end) in 32 interleaved sums, which fill the vector registers.
template <class Term, class SingleTerm>
double sum_stretch(PetscInt begin, PetscInt end, Term&& term, SingleTerm&& single) {
  Row sums[4] = {};
  PetscInt i = begin;
  for (; i + 4 * block_width <= end; i += 4 * block_width)
    for (int s = 0; s < 4; ++s) sums[s] += term(i + s * block_width);
  double rest = 0.0;
  for (; i < end; ++i) rest += single(i);
  return sum_lanes((sums[0] + sums[2]) + (sums[1] + sums[3])) + rest;
}

/// Sum of sum_block(begin, end) over all blocks. Each thread takes blocks with about as many entries as the others.
template <class SumBlock>
ExactSum sum_blocks(std::span<const LocalIndex> begins, SumBlock&& sum_block) {
  ExactSum sum;
  const PetscInt n = begins.empty() ? 0 : begins.back();
  if (n == 0) return sum;
#pragma omp parallel if (n > worth_threads)
  {
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t n_threads = omp_get_num_threads();
    const auto share = [&](std::int64_t t) {
      return std::lower_bound(begins.begin(), begins.end(), static_cast<LocalIndex>(t * n / n_threads));
    };
    ExactSum part;
    const auto end = share(thread + 1);
    for (auto begin = share(thread); begin != end; ++begin)
      if (begin[0] < begin[1]) part.add(sum_block(begin[0], begin[1]));
#pragma omp critical(freshet_sum_blocks)
    sum.add(part);
  }
  return sum;
}

/// f(begin, end) for all chunks, always by the same threads.
template <class Stretch>
void for_chunks(PetscInt n, Stretch&& stretch) {
  const PetscInt n_chunks = (n + chunk - 1) / chunk;
#pragma omp parallel for schedule(static) if (n > worth_threads)
  for (PetscInt c = 0; c < n_chunks; ++c) stretch(c * chunk, std::min(n, (c + 1) * chunk));
}

/// A vector's memory, and the pool that gets it back when the vector is destroyed.
struct Loan {
  VecPool* pool;
  std::unique_ptr<VecPool::Buffer> buffer;
};
constexpr const char* loan_name = "freshet_loan";

PetscErrorCode find_pool(Vec x, VecPool** pool) {
  PetscObject container = nullptr;
  void* loan = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(x), loan_name, &container));
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &loan));
  *pool = static_cast<Loan*>(loan)->pool;
  PetscFunctionReturn(0);
}

PetscErrorCode threaded_dot(Vec x, Vec y, PetscScalar* result) {
  const PetscScalar* a = nullptr;
  const PetscScalar* b = nullptr;
  VecPool* pool = nullptr;
  PetscFunctionBegin;
  PetscCall(find_pool(x, &pool));
  const std::span<const LocalIndex> begins = pool->blocks();
  PetscCheck((begins.empty() ? 0 : begins.back()) == x->map->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "the blocks do not hold the vector's %" PetscInt_FMT " entries", x->map->n);
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  ExactSum sum = local_dot(a, b, begins);
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

PetscErrorCode threaded_norm(Vec x, NormType type, PetscReal* result) {
  PetscFunctionBegin;
  if (type == NORM_2 || type == NORM_FROBENIUS) {
    PetscCall(threaded_dot(x, x, result));
    *result = std::sqrt(*result);
  } else {
    PetscCall(petsc_norm(x, type, result));
  }
  PetscFunctionReturn(0);
}

/// y_i = value(x_i, y_i) for the entries here.
template <class Value>
PetscErrorCode update(Vec y, Vec x, Value&& value) {
  const PetscScalar* a = nullptr;
  PetscScalar* b = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArray(y, &b));
  for_chunks(y->map->n, [a, b, value](PetscInt begin, PetscInt end) {
#pragma omp simd
    for (PetscInt i = begin; i < end; ++i) b[i] = value(a[i], b[i]);
  });
  PetscCall(VecRestoreArray(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

PetscErrorCode threaded_axpy(Vec y, PetscScalar alpha, Vec x) {
  return update(y, x, [alpha](double a, double b) { return b + alpha * a; });
}
PetscErrorCode threaded_aypx(Vec y, PetscScalar beta, Vec x) {
  return update(y, x, [beta](double a, double b) { return a + beta * b; });
}
PetscErrorCode threaded_copy(Vec x, Vec y) {
  return update(y, x, [](double a, double) { return a; });
}

PetscErrorCode end_loan(void* context) {
  const std::unique_ptr<Loan> loan(static_cast<Loan*>(context));
  loan->pool->give_back(std::move(loan->buffer));
  return 0;
}

PetscErrorCode duplicate_in_pool(Vec x, Vec* y);

PetscErrorCode create_in_pool(VecPool& pool, MPI_Comm comm, PetscInt n_local, PetscInt n_global, Vec* vec) {
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  std::unique_ptr<Loan> loan;
  try {
    loan = std::make_unique<Loan>(Loan{&pool, pool.take(n_local)});
  } catch (const std::bad_alloc&) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a vector of %" PetscInt_FMT " entries", n_local);
  }
  PetscCall(VecCreateMPIWithArray(comm, 1, n_local, n_global, loan->buffer->data(), vec));
  PetscCall(PetscContainerCreate(comm, &container));
  PetscCall(PetscContainerSetPointer(container, loan.release()));
  PetscCall(PetscContainerSetUserDestroy(container, end_loan));
  PetscCall(
      PetscObjectCompose(reinterpret_cast<PetscObject>(*vec), loan_name, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  petsc_norm = (*vec)->ops->norm;
  (*vec)->ops->dot = threaded_dot;
  (*vec)->ops->tdot = threaded_dot;
  (*vec)->ops->norm = threaded_norm;
  (*vec)->ops->axpy = threaded_axpy;
  (*vec)->ops->aypx = threaded_aypx;
  (*vec)->ops->copy = threaded_copy;
  (*vec)->ops->duplicate = duplicate_in_pool;
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate_in_pool(Vec x, Vec* y) {
  VecPool* pool = nullptr;
  PetscFunctionBegin;
  PetscCall(find_pool(x, &pool));
  PetscCall(create_in_pool(*pool, PetscObjectComm(reinterpret_cast<PetscObject>(x)), x->map->n, x->map->N, y));
  PetscFunctionReturn(0);
}

}  // namespace

ExactSum local_dot(const double* x, const double* y, std::span<const LocalIndex> block_begins) {
  return sum_blocks(block_begins, [x, y](PetscInt begin, PetscInt end) {
    return sum_stretch(
        begin, end, [x, y](PetscInt i) { return load(x + i) * load(y + i); },
        [x, y](PetscInt i) { return x[i] * y[i]; });
  });
}

double sum_entries(const double* x, PetscInt n) {
  return sum_stretch(
      0, n, [x](PetscInt i) { return load(x + i); }, [x](PetscInt i) { return x[i]; });
}

double local_max_magnitude(const double* x, PetscInt n) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(max : worst) if (n > worth_threads)
  for (PetscInt i = 0; i < n; ++i) {
    const double magnitude = std::abs(x[i]);
    worst = std::max(worst, magnitude <= infinite ? magnitude : infinite);
  }
  return worst;
}

std::unique_ptr<VecPool::Buffer> VecPool::take(PetscInt n) {
  const auto size = static_cast<std::size_t>(n);
  const auto fits = [size](const std::unique_ptr<Buffer>& buffer) { return buffer->capacity() >= size; };
  const auto found = std::find_if(free_.begin(), free_.end(), fits);
  std::unique_ptr<Buffer> buffer;
  if (found != free_.end()) {
    buffer = std::move(*found);
    free_.erase(found);
  } else {
    free_.clear();  // all are too small, and the next vectors will be as large as this one
    buffer = std::make_unique<Buffer>();
    buffer->reserve(size + size / 8);
  }
  buffer->resize(size);
  double* values = buffer->data();
  for_chunks(n, [values](PetscInt begin, PetscInt end) { std::fill(values + begin, values + end, 0.0); });
  return buffer;
}

Vec VecPool::create(PetscInt n_local) {
  Vec vec = nullptr;
  check_petsc(create_in_pool(*this, comm_.raw(), n_local, PETSC_DETERMINE, &vec), "VecCreateMPIWithArray");
  return vec;
}

}  // namespace freshet::pressure
