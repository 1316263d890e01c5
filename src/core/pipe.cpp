// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/pipe.hpp"

#include <filesystem>
#include <system_error>

namespace freshet {

bool is_pipe(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  return type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket;
}

}  // namespace freshet
