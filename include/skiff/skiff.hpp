// Everything: `#include <skiff/skiff.hpp>`.
#pragma once

#include <skiff/backup.hpp>
#include <skiff/blob_stream.hpp>
#include <skiff/connection.hpp>
#include <skiff/database.hpp>
#include <skiff/error.hpp>
#include <skiff/function.hpp>
#include <skiff/image.hpp>
#include <skiff/mapping/array.hpp>
#include <skiff/mapping/chrono.hpp>
#include <skiff/mapping/compound.hpp>
#include <skiff/open_options.hpp>
#include <skiff/result.hpp>
#include <skiff/statement.hpp>
#include <skiff/transaction.hpp>
#include <skiff/value.hpp>
#include <skiff/version.hpp>
#include <skiff/vfs.hpp>
