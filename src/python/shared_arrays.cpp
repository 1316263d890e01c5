// SPDX-License-Identifier: Apache-2.0
#include "python/shared_arrays.hpp"

#include <algorithm>
#include <utility>

namespace py = pybind11;

namespace freshet::python {
namespace {

py::dtype dtype_of(AttributeType type) {
  switch (type) {
    case AttributeType::float32:
      return py::dtype::of<float>();
    case AttributeType::float64:
      return py::dtype::of<double>();
    case AttributeType::int32:
      return py::dtype::of<std::int32_t>();
    case AttributeType::int64:
      return py::dtype::of<std::int64_t>();
    case AttributeType::uint8:
      return py::dtype::of<std::uint8_t>();
    default:
      return py::dtype::of<std::uint64_t>();
  }
}

}  // namespace

py::array SharedArrays::show(const std::string& key, const py::dtype& type, std::vector<py::ssize_t> shape,
                             const void* data, Release release) {
  Shown& shown = shown_[key];
  std::shared_ptr<Kept> kept = shown.kept.lock();
  if (!kept) {
    kept = std::make_shared<Kept>();
    shown = {kept, std::move(release)};
  }
  /// Keeps the memory for as long as one array lives.
  struct Holder {
    std::shared_ptr<Kept> kept;
    PyObject* array = nullptr;
    ~Holder() { std::erase(kept->arrays, array); }
  };
  auto* holder = new Holder{kept};
  const py::capsule owner(holder, [](void* pointer) { delete static_cast<Holder*>(pointer); });
  static const char none = 0;  // numpy would allocate memory of its own for a null pointer
  py::array array(type, std::move(shape), data != nullptr ? data : &none, owner);
  holder->array = array.ptr();
  kept->arrays.push_back(holder->array);
  return array;
}

py::array SharedArrays::particles(ParticleStore& store, const std::string& name) {
  const auto found = std::ranges::find(store.attributes(), name, &Attribute::name);
  if (found == store.attributes().end()) {
    std::string known;
    for (const Attribute& attribute : store.attributes()) known += (known.empty() ? "" : ", ") + attribute.name;
    throw py::key_error("particles have no attribute '" + name + "'; they have " + known);
  }
  const auto index = static_cast<std::size_t>(found - store.attributes().begin());
  std::vector<py::ssize_t> shape{store.size()};
  if (found->width > 1) shape.push_back(found->width);
  return show("particles/" + name, dtype_of(found->type), std::move(shape), found->values.data(), [&store, index] {
    auto& values = store.attributes()[index].values;
    auto kept = std::make_shared<std::remove_reference_t<decltype(values)>>();
    kept->reserve(values.capacity());
    kept->assign(values.begin(), values.end());
    kept->swap(values);
    return std::shared_ptr<void>(kept);
  });
}

bool SharedArrays::shows(const py::array& array) const {
  for (const auto& [key, shown] : shown_)
    if (const std::shared_ptr<Kept> kept = shown.kept.lock())
      if (std::ranges::find(kept->arrays, array.ptr()) != kept->arrays.end()) return true;
  return false;
}

void SharedArrays::detach() {
  for (auto& [key, shown] : std::exchange(shown_, {})) {
    const std::shared_ptr<Kept> kept = shown.kept.lock();
    if (!kept) continue;
    kept->memory = shown.release();
    for (PyObject* array : kept->arrays)
      py::detail::array_proxy(array)->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  }
}

}  // namespace freshet::python
