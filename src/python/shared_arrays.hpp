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

/// Numpy arrays that share the solver's memory until the solver changes it.
///
/// Before the solver goes on, detach() gives the memory of arrays that Python still holds to these arrays, and the
/// solver gets a copy. Such arrays stay valid and keep their values; they become read-only. Without arrays in Python
/// nothing is copied. All functions need the GIL.
class SharedArrays {
 public:
  ~SharedArrays() { detach(); }

  /// Show an attribute of the particles: shape (n,) or (n, width).
  pybind11::array particles(ParticleStore& store, const std::string& name);
  /// Show the owned blocks of a field: shape (blocks, nz, ny, nx), x fastest. \param[in] key  name unique among fields
  template <class T, class Stored>
  pybind11::array field(CellField<Stored>& field, const std::string& key);
  void detach();
  /// Whether an array shares the solver's memory now.
  bool shows(const pybind11::array& array) const;

 private:
  /// Memory that arrays show, kept here once the solver has given it up.
  struct Kept {
    std::shared_ptr<void> memory;
    std::vector<PyObject*> arrays;  ///< arrays that show it; each holds this object, and leaves the list as it ends
  };
  /// Gives the solver a copy of memory that is shown, and returns the memory.
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
