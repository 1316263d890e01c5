// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/version.hpp"

#include "build_settings.hpp"
#include "commit.hpp"
#include "freshet/core/types.hpp"

namespace freshet {

const BuildInfo& build_info() {
  static const BuildInfo info{FRESHET_VERSION,
                              FRESHET_COMMIT,
                              FRESHET_BUILD_TYPE,
                              FRESHET_COMPILER,
                              FRESHET_FLAGS,
                              FRESHET_CONTRACTS != 0,
                              static_cast<int>(8 * sizeof(ParticleReal))};
  return info;
}

}  // namespace freshet
