// Names only: for headers that mention Skiff's types without using them.
#pragma once

// SQLite's own handles. Skiff's public headers never include sqlite3.h; these declarations agree
// with it, so that including both is fine.
struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;
struct sqlite3_context;
struct sqlite3_blob;
struct sqlite3_backup;

namespace skiff {

class backup;
class blob_stream;
class commit_token;
class connection;
class database;
class error;
class image;
class row;
class savepoint;
class snapshot;
class statement;
class transaction;
class value_ref;
class value_sink;
struct open_options;
template <class T>
struct mapping;
template <class T>
class result;

}  // namespace skiff
