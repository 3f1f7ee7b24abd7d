// Clients hold what they were told against what is there at each step, so that nothing need be
// carried to the parent but faults.
#include "crash/lock_torture.hpp"

#include "crash/attacked_os.hpp"
#include "support/delays.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/registry.hpp"

#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace skiff_test {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int accounts = 20;
constexpr int accounts_sum = accounts * 100;
constexpr auto busy_timeout = 4000ms;
/// No call takes longer than its timeout and this much: a transaction has three that may wait.
constexpr auto patience = 3 * busy_timeout + 5s;

class torturer {
  public:
    torturer(const torture_plan& plan, int thread)
        : plan_(plan),
          client_(plan.process * 100 + thread),
          random_(plan.seed + static_cast<std::uint64_t>(client_)) {}

    /// Returns the first fault, or nothing.
    std::string run() {
        try {
            while (clock::now() < plan_.until && fault_.empty()) {
                if (!db_ || random_.once_in(60)) open();
                const auto begun = clock::now();
                act();
                const auto took = clock::now() - begun;
                if (took > patience) note("a call took too long");
            }
            db_.reset();
        } catch (const std::exception& thrown) {
            note(thrown.what());
        }
        return fault_;
    }

  private:
    void open() {
        db_.reset();  // the old one's locks go first
        skiff::vfs::register_vfs();
        db_ = std::make_unique<raw_database>(plan_.path, open_flags, plan_.vfs.c_str());
        sqlite3_busy_timeout(db_->handle(), static_cast<int>(busy_timeout.count()));
        run_sql(random_.once_in(2) ? "pragma synchronous=full" : "pragma synchronous=normal");
        run_sql(random_.once_in(2) ? "pragma wal_autocheckpoint=20"
                                   : "pragma wal_autocheckpoint=0");
        if (random_.once_in(2)) run_sql("pragma mmap_size=100000000");
    }
    void act() {
        // What keeps all others out is rare, or nobody would do anything else than wait.
        if (random_.once_in(300)) return change_locking();
        if (random_.once_in(300)) return change_journal();
        const int what = random_.below(100);
        if (what < 40) {
            transfer();
        } else if (what < 75) {
            read_sum();
        } else if (what < 82) {
            upgrade();
        } else if (what < 92) {
            checkpoint();
        } else {
            count_own();
        }
    }
    void note(const std::string& what) {
        if (fault_.empty()) fault_ = plan_.vfs + " " + std::to_string(client_) + ": " + what;
    }
    /// Success, or a refusal because of others; anything else is a fault.
    int run_sql(const std::string& sql) {
        const int code = db_->try_exec(sql);
        const int kind = code & 0xff;
        if (kind != SQLITE_OK && kind != SQLITE_BUSY && kind != SQLITE_LOCKED) {
            note(sql + " -> " + std::to_string(code) + " " + sqlite3_errmsg(db_->handle()));
        }
        if (code != SQLITE_OK && sqlite3_get_autocommit(db_->handle()) == 0) {
            static_cast<void>(db_->try_exec("rollback"));
        }
        return code;
    }
    std::optional<std::int64_t> number(const std::string& sql) {
        try {
            return db_->number(sql);
        } catch (const std::exception& thrown) {
            const int kind = sqlite3_errcode(db_->handle()) & 0xff;
            if (kind != SQLITE_BUSY && kind != SQLITE_LOCKED) note(sql + ": " + thrown.what());
            return std::nullopt;
        }
    }
    [[nodiscard]] std::string changes() {
        const auto amount = std::to_string(random_.below(9));
        return "update a set n=n-" + amount +
               " where id=" + std::to_string(random_.below(accounts)) + "; update a set n=n+" +
               amount + ", pad=randomblob(" + std::to_string(random_.below(2500)) +
               ") where id=" + std::to_string(random_.below(accounts)) +
               "; insert into log values(" + std::to_string(client_) + "," +
               std::to_string(written_ + 1) + ")";
    }
    void transfer() {
        const bool gives_up = random_.once_in(8);
        const int code =
            run_sql("begin immediate; " + changes() + (gives_up ? "; rollback" : "; commit"));
        if (code == SQLITE_OK && !gives_up) ++written_;
    }
    void upgrade() {
        if (run_sql("begin; select count(*) from a") != SQLITE_OK) return;
        if (run_sql(changes()) != SQLITE_OK) return;
        if (run_sql("commit") == SQLITE_OK) ++written_;
    }
    void read_sum() {
        const auto sum = number("select sum(n) from a");
        if (sum && *sum != accounts_sum) note("the sum is " + std::to_string(*sum));
    }
    void count_own() {
        const auto rows =
            number("select count(*) from log where client=" + std::to_string(client_));
        if (rows && *rows != written_) {
            note(std::to_string(written_) + " acknowledged, " + std::to_string(*rows) + " there");
        }
    }
    void checkpoint() {
        constexpr std::array modes = {"passive", "full", "restart", "truncate"};
        run_sql(std::string("pragma busy_timeout=50; pragma wal_checkpoint(") +
                modes[static_cast<std::size_t>(random_.below(modes.size()))] + ")");
        sqlite3_busy_timeout(db_->handle(), static_cast<int>(busy_timeout.count()));
    }
    void change_locking() {
        if (!plan_.changes_modes) return;
        run_sql("pragma locking_mode=exclusive");
        transfer();
        read_sum();
        run_sql("pragma locking_mode=normal");
        read_sum();
        open();  // whatever was refused, its locks are gone
    }
    void change_journal() {
        if (!plan_.changes_modes) return;
        run_sql("pragma busy_timeout=50; pragma journal_mode=delete");
        sqlite3_busy_timeout(db_->handle(), static_cast<int>(busy_timeout.count()));
        transfer();
        run_sql("pragma journal_mode=wal");
    }

    const torture_plan& plan_;
    const int client_;
    random_numbers random_;
    std::unique_ptr<raw_database> db_;
    std::int64_t written_ = 0;
    std::string fault_;
};

}  // namespace

void make_torture_tables(const std::filesystem::path& path) {
    open_stock(path)->exec(
        "pragma journal_mode=wal; create table a(id integer primary key, n int, pad blob);"
        "create table log(client int, seq int, primary key(client, seq));"
        "with recursive i(i) as (select 0 union all select i+1 from i where i<" +
        std::to_string(accounts - 1) + ") insert into a select i, 100, null from i");
}

std::string torture(const torture_plan& plan) {
    std::optional<os_delays> in_calls;
    std::optional<delays> between_calls;
    if (plan.delays != 0) {
        in_calls.emplace(plan.delays);
        between_calls.emplace(plan.delays);
    }
    std::mutex guard;
    std::string faults;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < plan.threads; ++thread) {
        threads.emplace_back([&, thread] {
            const auto fault = torturer(plan, thread).run();
            const std::lock_guard lock(guard);
            if (!fault.empty()) faults += fault + "\n";
        });
    }
    for (auto& each : threads) each.join();
    return faults;
}

const char* const python_client = R"py(
import random, sqlite3, sys, time
path, client, ms, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rnd = random.Random(seed)
until = time.monotonic() + ms / 1000
written = 0
def open_it():
    db = sqlite3.connect(path, timeout=4, isolation_level=None)
    db.execute("pragma wal_autocheckpoint=0")
    return db
db = open_it()
while time.monotonic() < until:
    try:
        if rnd.random() < 0.02:
            db.close()
            db = open_it()
        if rnd.random() < 0.5:
            db.execute("begin immediate")
            amount = rnd.randrange(9)
            db.execute("update a set n=n-? where id=?", (amount, rnd.randrange(20)))
            db.execute("update a set n=n+? where id=?", (amount, rnd.randrange(20)))
            db.execute("insert into log values(?,?)", (client, written + 1))
            db.execute("commit")
            written += 1
        else:
            total = db.execute("select sum(n) from a").fetchone()[0]
            rows = db.execute("select count(*) from log where client=?", (client,)).fetchone()[0]
            if total != 2000: sys.exit("python: the sum is %d" % total)
            if rows != written: sys.exit("python: %d acknowledged, %d there" % (written, rows))
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) and "busy" not in str(error): sys.exit("python: %s" % error)
        if db.in_transaction: db.execute("rollback")
)py";

std::string torture_verdict(const std::filesystem::path& path) {
    std::string wrong;
    if (const auto found = integrity_of(path); found != "ok") wrong += found + "\n";
    if (number_in(path, "select sum(n) from a") != accounts_sum) wrong += "the sum is wrong\n";
    if (number_in(path,
                  "select count(*) from (select 1 from log group by client"
                  " having count(*) != max(seq) or min(seq) != 1)") != 0) {
        wrong += "a client's rows are not 1 to n\n";
    }
    return wrong;
}

}  // namespace skiff_test
