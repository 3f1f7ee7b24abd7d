// The same work through skiff::database: SQL text at each call, one object for all threads.
#pragma once

#include "demo/contender.hpp"

#include <skiff/fwd.hpp>

#include <memory>

namespace skiff_cli {

/// Reads from `packages`, which must outlive it; writes to files.log, durability::full. Throws
/// skiff::error.
[[nodiscard]] std::unique_ptr<contender> make_skiff_side(skiff::database& packages,
                                                         const contender_files& files);

}  // namespace skiff_cli
