// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/environment.hpp"

#include <petscksp.h>

#include <utility>

namespace freshet {

/// Owns one reference to a PETSc object.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class PetscHandle {
 public:
  PetscHandle() = default;
  explicit PetscHandle(Object object) : object_(object) {}
  ~PetscHandle() { release(); }
  PetscHandle(PetscHandle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PetscHandle& operator=(PetscHandle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  PetscHandle(const PetscHandle&) = delete;
  PetscHandle& operator=(const PetscHandle&) = delete;

  Object get() const { return object_; }
  /// The address where a PETSc function writes a new object; the reference to the old one is released first.
  Object* receive() {
    release();
    return &object_;
  }

 private:
  void release() {
    if (object_ != nullptr) destroy(&object_);
    object_ = nullptr;
  }
  Object object_ = nullptr;
};

/// Read access to the entries of a vector that this rank holds.
class VecReadArray {
 public:
  explicit VecReadArray(Vec vec) : vec_(vec) { check_petsc(VecGetArrayRead(vec_, &data_), "VecGetArrayRead"); }
  ~VecReadArray() { VecRestoreArrayRead(vec_, &data_); }
  VecReadArray(const VecReadArray&) = delete;
  VecReadArray& operator=(const VecReadArray&) = delete;
  const double* data() const { return data_; }

 private:
  Vec vec_;
  const PetscScalar* data_ = nullptr;
};

/// Read and write access to the entries of a vector that this rank holds.
class VecArray {
 public:
  explicit VecArray(Vec vec) : vec_(vec) { check_petsc(VecGetArray(vec_, &data_), "VecGetArray"); }
  ~VecArray() { VecRestoreArray(vec_, &data_); }
  VecArray(const VecArray&) = delete;
  VecArray& operator=(const VecArray&) = delete;
  double* data() const { return data_; }

 private:
  Vec vec_;
  PetscScalar* data_ = nullptr;
};

using VecHandle = PetscHandle<Vec, VecDestroy>;
using MatHandle = PetscHandle<Mat, MatDestroy>;
using PcHandle = PetscHandle<PC, PCDestroy>;
using KspHandle = PetscHandle<KSP, KSPDestroy>;
using NullSpaceHandle = PetscHandle<MatNullSpace, MatNullSpaceDestroy>;

}  // namespace freshet

/// Throw LocalError if a PETSc call fails.
#define FRESHET_PETSC(call) ::freshet::check_petsc((call), #call)
