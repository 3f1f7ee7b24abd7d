// Three callers in one shared transaction, one of them with work that may hurt the others, in each
// position: what becomes of all three. The neighbours write rows 1 and 3, the offender row 2.
#pragma once

#include "support/fault_vfs.hpp"
#include "support/latch_gate.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace skiff_test {

enum class position { first, middle, last };

/// How the neighbours write: with a statement, which may run again, or with a closure, which may
/// not.
enum class neighbours { repeatable, only_once };

/// Options of a database whose syncs do not reach the disk, for tests that pull no plug.
inline skiff::open_options without_disk() {
    skiff::open_options options;
    options.vfs = fault_vfs_name();
    return options;
}

/// A database with a table t(id) and the three callers.
class three_callers : public testing::TestWithParam<position> {
  protected:
    using work = std::function<void()>;

    three_callers() {
        db.exec("create table t(id integer primary key, v)");
        db.exec("delete from t");  // the writer has looked at the new schema
    }

    /// Lines the callers up, runs `before_release` while they stand there, and returns how they
    /// ended, the offender's ending in the position that it had.
    std::vector<ending> around(const work& offender,
                               neighbours kind,
                               const work& before_release = {}) {
        write_line line(db);
        const auto neighbour = [this, kind](int id) -> work {
            if (kind == neighbours::repeatable) {
                return [this, id] { db.exec("insert into t(id) values (?)", id); };
            }
            return [this, id] {
                db.write(
                    [id](skiff::transaction& tx) { tx.exec("insert into t(id) values (?)", id); });
            };
        };
        std::vector<work> calls{neighbour(1), neighbour(3)};
        calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(GetParam()), offender);
        for (auto& each : calls) line.add(each);
        if (before_release) before_release();
        return line.finish();
    }

    [[nodiscard]] std::size_t offender_index() const {
        return static_cast<std::size_t>(GetParam());
    }
    /// Names of three endings, the offender's first.
    [[nodiscard]] std::vector<std::string> offender_first(std::vector<ending> endings) const {
        std::swap(endings[0], endings[offender_index()]);
        return names_of(endings);
    }
    [[nodiscard]] std::vector<int> ids() { return db.all<int>("select id from t order by id"); }

    temp_dir folder;
    skiff::database db = skiff::database::open(folder / "app.db", without_disk());
};

inline std::string name_of_position(const testing::TestParamInfo<position>& given) {
    constexpr const char* names[] = {"first", "middle", "last"};
    return names[static_cast<std::size_t>(given.param)];
}

#define SKIFF_IN_EACH_POSITION(suite)                                                  \
    INSTANTIATE_TEST_SUITE_P(                                                          \
        In, suite,                                                                     \
        testing::Values(::skiff_test::position::first, ::skiff_test::position::middle, \
                        ::skiff_test::position::last),                                 \
        ::skiff_test::name_of_position)

}  // namespace skiff_test
