// Hosts that cannot have the VFS hear why, and nothing is registered with them.
#include "support/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sqlite3ext.h>
#include <string>

namespace {

using testing::HasSubstr;

// What a host says of itself.
int version = 3054001;
int threads = 1;
bool has_wal = true;
sqlite3_vfs* vfs_of_that_name = nullptr;

char* print(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    static char text[300];
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

/// Only what may be called before a host is accepted: anything else is a call of nothing.
sqlite3_api_routines table_of_host() {
    sqlite3_api_routines table{};
    table.libversion_number = [] { return version; };
    table.xthreadsafe = [] { return threads; };
    table.compileoption_used = [](const char* name) {
        return !has_wal && std::strcmp(name, "OMIT_WAL") == 0 ? 1 : 0;
    };
    table.vfs_find = [](const char*) { return vfs_of_that_name; };
    table.mprintf = print;
    return table;
}

/// What the extension says to the host, in a process of its own: it is loaded once for all.
std::string answer_to_host(void (*change)()) {
    const auto told = skiff_test::run_in_child([change]() -> std::string {
        change();
        static const auto table = table_of_host();
        void* library = dlopen(SKIFF_EXTENSION_PATH, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return dlerror();
        using entry = int (*)(sqlite3*, char**, const sqlite3_api_routines*);
        const auto load = reinterpret_cast<entry>(dlsym(library, "sqlite3_skiffvfs_init"));
        char* message = nullptr;
        if (load(nullptr, &message, &table) != SQLITE_ERROR) return "accepted";
        return message != nullptr ? message : "no message";
    });
    return told.signal != 0 ? "died of a signal" : told.answer;
}

TEST(Refusals, host_that_is_too_old) {
    EXPECT_THAT(answer_to_host([] { version = 3039004; }), HasSubstr("needs SQLite 3.40"));
}

TEST(Refusals, host_without_threads) {
    EXPECT_THAT(answer_to_host([] { threads = 0; }), HasSubstr("without threads"));
}

TEST(Refusals, host_without_wal) {
    EXPECT_THAT(answer_to_host([] { has_wal = false; }), HasSubstr("without WAL"));
}

TEST(Refusals, name_that_is_taken) {
    EXPECT_THAT(answer_to_host([] {
                    static sqlite3_vfs other{};
                    vfs_of_that_name = &other;
                }),
                HasSubstr("a VFS named skiff"));
}

TEST(Refusals, library_shows_nothing_but_its_entries) {
    void* library = dlopen(SKIFF_EXTENSION_PATH, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();

    EXPECT_NE(dlsym(library, "sqlite3_skiffvfs_default_init"), nullptr);
    EXPECT_EQ(dlsym(library, "sqlite3_api"), nullptr);
}

}  // namespace
