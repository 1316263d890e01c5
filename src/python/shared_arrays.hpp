// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <pybind11/numpy.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace freshet::python {

/// Numpy arrays that share memory with the solver, for as long as the solver leaves that memory alone.
///
/// Before the solver goes on, detach() takes the memory of arrays that Python still holds away from the solver, which
/// goes on with a copy. Such arrays stay valid for ever and keep the values that they had; they can no longer be
/// written to. Arrays that nobody holds cost nothing. All functions need the GIL.
class SharedArrays {
 public:
  ~SharedArrays() { detach(); }

  /// An attribute of the particles: (n,) or (n, width).
  pybind11::array particles(ParticleStore& store, const std::string& name);
  /// The owned blocks of a field: (blocks, nz, ny, nx), x fastest. \param[in] key  a name that no other field has
  template <class T, class Stored>
  pybind11::array field(CellField<Stored>& field, const std::string& key);
  void detach();
  /// Whether an array is one of those that share the solver's memory now.
  bool shows(const pybind11::array& array) const;

 private:
  /// Memory that arrays show, once the solver has given it up.
  struct Kept {
    std::shared_ptr<void> memory;
    std::vector<PyObject*> arrays;  ///< those that show it; each holds this object, and leaves the list when it goes
  };
  /// What detach() does for memory that is shown: it gives the solver a copy, and returns the memory.
  using Release = std::function<std::shared_ptr<void>()>;
  struct Shown {
    std::weak_ptr<Kept> kept;
    Release release;
  };

  pybind11::array show(const std::string& key, const pybind11::dtype& type, std::vector<pybind11::ssize_t> shape,
                       const void* data, Release release);

  std::map<std::string, Shown> shown_;
};

template <class T, class Stored>
pybind11::array SharedArrays::field(CellField<Stored>& field, const std::string& key) {
  static_assert(sizeof(T) == sizeof(Stored));
  const BlockLayout& layout = field.layout();
  const pybind11::ssize_t nz = layout.domain().dimension() == 3 ? 8 : 1;
  return show(key, pybind11::dtype::of<T>(), {layout.n_owned(), nz, 8, 8}, field.data(), [&field] {
    auto kept = std::make_shared<CellField<Stored>>(field);
    kept->swap(field);
    return std::shared_ptr<void>(kept);
  });
}

}  // namespace freshet::python
