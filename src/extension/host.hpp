// The host's SQLite. Included before everything else in each file of the extension, so that its
// calls of SQLite go through the table that the host gave: the extension has no SQLite of its own,
// and a host has just one that its files and locks belong to.
#pragma once

#include <sqlite3ext.h>

extern const sqlite3_api_routines* sqlite3_api;
