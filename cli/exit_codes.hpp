// The exit codes of the skiff program. They are a promise to scripts: docs and --help list them.
#pragma once

namespace skiff_cli {

enum class exit_code : int {
    ok = 0,
    failed = 1,        ///< the work failed: an SQL or data error, rejected rows
    usage = 2,         ///< the command line makes no sense
    cannot_open = 3,   ///< the file cannot be opened or is not a database
    damaged = 4,       ///< `skiff check` found damage
    busy = 5,          ///< a lock was not had, or a deadline passed
    interrupted = 130  ///< Ctrl-C
};

}  // namespace skiff_cli
