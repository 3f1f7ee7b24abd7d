// What a project that uses Skiff writes first: proves that headers, library and link line are
// complete. Built by each of the ways to get Skiff that run.py goes through.
#include <skiff/skiff.hpp>

int main() {
    auto db = skiff::connection::open(":memory:");
    db.exec("create table t(x)");
    db.exec("insert into t values (?)", 42);
    return db.one<int>("select x from t") == 42 ? 0 : 1;
}
