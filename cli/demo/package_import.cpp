// One thread parses, a bounded queue holds batches, and several threads store them.
#include "demo/package_import.hpp"

#include "cli.hpp"
#include "demo/bounded_queue.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace skiff_cli {

namespace {

/// Large enough that the cost of a commit is shared by many rows, small enough that the threads
/// have something to share: 64,000 packages make 128 batches.
constexpr std::size_t batch_packages = 500;
/// Batches that may wait; then the parser waits.
constexpr std::size_t queue_batches = 8;

constexpr const char* tables_sql = R"(
    create table package(
        id integer primary key,
        name text not null,
        version text,
        section text,
        priority text,
        installed_kib integer,
        size_bytes integer,
        homepage text,
        unique(name, version)
    ) strict;
    create table dependency(
        package integer not null references package,
        kind text not null,
        target text not null,
        requirement text
    ) strict;
    create virtual table description using fts5(summary, body, tokenize = 'porter unicode61');
)";

/// Made when the rows are in: building an index once costs less than keeping it up to date.
constexpr const char* indexes_sql[] = {
    "create index dependency_by_target on dependency(target, kind, package)",
    "create index dependency_by_package on dependency(package)",
    "create index package_by_section on package(section, installed_kib)",
    "create index package_by_size on package(installed_kib)", "analyze"};

void store(skiff::transaction& tx, const package_batch& batch) {
    tx.insert_many("insert into package values (?, ?, ?, ?, ?, ?, ?, ?)", batch.packages);
    tx.insert_many("insert into dependency values (?, ?, ?, ?)", batch.dependencies);
    tx.insert_many("insert into description(rowid, summary, body) values (?, ?, ?)",
                   batch.descriptions);
}

/// The storing threads. The first failure closes the queue, which stops the parser and the others.
class storing_threads {
  public:
    storing_threads(skiff::database& db, unsigned count, std::stop_token stop)
        : db_(&db), stop_(std::move(stop)), queue_(queue_batches) {
        for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
    }
    /// Without finish(): what is queued is dropped.
    ~storing_threads() {
        queue_.abandon();
        join();
    }
    storing_threads(const storing_threads&) = delete;
    storing_threads& operator=(const storing_threads&) = delete;

    /// False when storing has failed: finish() says why.
    bool push(package_batch batch) { return queue_.push(std::move(batch)); }
    /// Waits until all is stored; throws what a thread threw.
    void finish() {
        queue_.close();
        join();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void run() {
        try {
            while (const auto batch = queue_.pop()) {
                // Rows are only read, so running the closure again is safe.
                db_->write([&](skiff::transaction& tx) { store(tx, *batch); },
                           {.stop = stop_, .rerun = skiff::rerun::allowed});
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            queue_.abandon();
        }
    }
    void join() {
        for (auto& thread : threads_) {
            if (thread.joinable()) thread.join();
        }
    }

    skiff::database* db_;
    std::stop_token stop_;
    bounded_queue<package_batch> queue_;
    std::mutex mutex_;
    std::exception_ptr failure_;  // guarded by mutex_ until the threads are joined
    std::vector<std::thread> threads_;
};

/// Feeds the storing threads; returns when all is parsed, or storing has failed.
std::uint64_t parse_all(package_reader& reader,
                        storing_threads& threads,
                        const interrupt_scope& interrupts) {
    progress bar("importing packages", progress_unit::bytes);
    std::uint64_t dependencies = 0;
    bool more = true;
    while (more) {
        package_batch batch;
        while (batch.packages.size() < batch_packages && (more = reader.next(batch))) {
        }
        interrupts.check();
        dependencies += batch.dependencies.size();
        // NOLINTNEXTLINE(clang-analyzer-cplusplus.Move): each turn of the loop has its own batch
        if (!batch.packages.empty() && !threads.push(std::move(batch))) break;
        bar.remark(grouped(reader.counts().packages) + " packages");
        bar.update(reader.bytes_read(), reader.bytes_total());
    }
    return dependencies;
}

void make_indexes(skiff::database& db, const interrupt_scope& interrupts) {
    progress bar("making indexes", progress_unit::items);
    std::uint64_t done = 0;
    for (const char* sql : indexes_sql) {
        bar.update(done++, std::size(indexes_sql));
        db.write([&](skiff::transaction& tx) { tx.exec(sql); }, {.stop = interrupts.token()});
        interrupts.check();
    }
}

}  // namespace

import_result import_packages(skiff::database& db,
                              const package_input& input,
                              unsigned writers,
                              const interrupt_scope& interrupts) {
    const auto begun = std::chrono::steady_clock::now();
    db.write([](skiff::transaction& tx) {
        tx.exec_script(tables_sql);
        tx.exec_script(fmt::format("pragma application_id = {}", demo_application_id));
    });
    const auto before = db.stats();

    import_result result;
    package_reader reader(input.files);
    storing_threads threads(db, writers, interrupts.token());
    result.dependencies = parse_all(reader, threads, interrupts);
    threads.finish();
    result.counts = reader.counts();
    if (result.counts.packages == 0) throw std::runtime_error("the input holds no packages");
    result.commits = db.stats().commits - before.commits;
    result.batches = db.stats().writes - before.writes;
    const auto stored = std::chrono::steady_clock::now();
    result.took = stored - begun;

    make_indexes(db, interrupts);
    result.indexing = std::chrono::steady_clock::now() - stored;
    return result;
}

}  // namespace skiff_cli
