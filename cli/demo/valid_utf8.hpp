// Text from outside made fit for a database that takes only valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace skiff_cli {

/// `bytes` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

}  // namespace skiff_cli
