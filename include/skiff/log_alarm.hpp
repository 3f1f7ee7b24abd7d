// What a program is told when its log cannot be kept short.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace skiff {

/// The log is longer than it should be because a transaction that still reads needs its oldest part
/// (open_options::on_log_held_back).
struct log_alarm {
    std::string path;            ///< of the database
    std::int64_t log_bytes = 0;  ///< length of the log
    /// For how long, at least, the oldest read of this process has been open; 0: none is, so that
    /// another program holds the log.
    std::chrono::milliseconds oldest_read{0};
};

}  // namespace skiff
