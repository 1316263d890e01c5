// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/version.hpp"
#include "records.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

namespace freshet {
namespace {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %z", &local);
  return text.data();
}

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "unknown";
}

std::string author_name() {
  const char* name = std::getenv("USER");
  return name != nullptr && *name != '\0' ? name : "unknown";
}

}  // namespace

void write_provenance(hid_t root, const Provenance& provenance, const InputRecord& input) {
  using h5::write_attribute;
  write_attribute(root, "software", "freshet");
  write_attribute(root, "softwareVersion", build_info().version);
  write_attribute(root, "author", author_name());
  write_attribute(root, "date", date_now());
  write_attribute(root, "machine", machine_name());
  write_attribute(root, "freshetKind", provenance.kind);
  write_attribute(root, "freshetCommit", build_info().commit);
  write_attribute(root, "freshetRanks", static_cast<std::uint32_t>(provenance.n_ranks));
  write_attribute(root, "freshetThreads", static_cast<std::uint32_t>(provenance.n_threads));
  write_attribute(root, "freshetStep", static_cast<std::int64_t>(provenance.step));
  write_attribute(root, "freshetSeed", static_cast<std::int64_t>(input.seed));
  write_attribute(root, "freshetParticlesPerAxis", static_cast<std::int32_t>(input.particles_per_axis));
  write_attribute(root, "freshetJitter", input.jitter);
  write_attribute(root, "freshetInputHash", input.hash);
  // The input is a dataset because attributes must be smaller than 64 KiB.
  const hsize_t length = input.text.size();
  const h5::Handle text =
      h5::create_dataset(root, input_dataset, h5::type_of<std::uint8_t>(), std::span<const hsize_t>(&length, 1));
  h5::check(H5Dwrite(text.id(), h5::type_of<std::uint8_t>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, input.text.data()),
            "write the resolved input");
}

}  // namespace freshet
