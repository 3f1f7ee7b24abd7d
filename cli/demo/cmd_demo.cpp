// `skiff demo`: the whole library at work on real data, in half a minute. Imports the package index
// of this machine, asks it questions, and measures Skiff beside the plain C API.
#include "cli.hpp"
#include "demo/plain_c.hpp"
#include "demo/scratch_files.hpp"
#include "demo/skiff_side.hpp"
#include "demo/summary.hpp"
#include "output.hpp"
#include "report.hpp"
#include "signals.hpp"

#include <skiff/database.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

namespace skiff_cli {

namespace {

namespace fs = std::filesystem;

struct demo_options {
    fs::path database = "skiff-demo.db";
    std::vector<std::string> input;
    double seconds = 14;
    unsigned threads = 4;
    unsigned writers = 64;
    bool quick = false;
    bool json = false;
};

constexpr skiff::durability on_disk = skiff::durability::full;

constexpr const char* demo_footer =
    R"(Needs no answer and no network. Where there is no Debian package index, a sample
that comes with Skiff is stored instead. Durable figures mean something on a disk
only: run it where your database would be.

Examples:
  skiff demo
  skiff demo --quick --json > demo.json
  skiff demo --db /mnt/data/demo.db --seconds 60
)";

/// Whether a demo made the file; read from the header, where SQLite keeps the application id at
/// offset 68, big-endian (sqlite.org/fileformat2.html#the_database_header).
bool made_by_demo(const fs::path& path) {
    std::array<char, 72> header{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(header.data(), header.size())) return false;
    std::uint32_t id = 0;
    for (std::size_t i = 68; i < 72; ++i) id = id << 8 | static_cast<unsigned char>(header[i]);
    return std::memcmp(header.data(), "SQLite format 3", 16) == 0 && id == demo_application_id;
}

/// What the user types for this program: the path to it, short where that is possible.
std::string program_name() {
    std::error_code failure;
    const auto path = fs::read_symlink("/proc/self/exe", failure);
    if (failure) return "skiff";
    const auto nearer = path.lexically_proximate(fs::current_path(failure));
    return nearer.native().starts_with("..") ? path.string() : nearer.string();
}

/// One run. What is told as text goes out part by part, so that there is something to read.
class demo_run {
  public:
    explicit demo_run(const demo_options& options) : options_(&options) {
        results_.database = options.database;
        results_.import_threads = options.threads;
        results_.measuring.writers = options.writers;
        results_.measuring.rounds = options.quick ? 5 : 7;
        results_.measuring.budget =
            std::chrono::duration<double>(options.quick ? 1.5 : options.seconds);
    }

    void run() {
        const auto begun = std::chrono::steady_clock::now();
        choose_input();
        make_database();
        auto db = skiff::database::open(options_->database,
                                        {.durability = on_disk, .mmap_bytes = mapped_bytes});
        state_ = fmt::format("{} is complete, the measuring was not finished",
                             options_->database.string());
        ask(db);
        compare(db);
        db.close();
        results_.took = std::chrono::steady_clock::now() - begun;
        tell("\n" + explore_text(results_, program_name()));
        if (options_->json) out_.write(as_json(results_));
        out_.flush();
    }

    [[nodiscard]] bool interrupted() const { return interrupts_.requested(); }
    /// What an interrupted run leaves behind.
    [[nodiscard]] const std::string& state() const { return state_; }

  private:
    void tell(const std::string& text) {
        if (options_->json) return;
        out_.write(text);
        out_.flush();
    }

    void choose_input() {
        if (options_->input.empty()) {
            results_.input = find_package_input();
        } else {
            results_.input.files.assign(options_->input.begin(), options_->input.end());
            results_.input.description = fmt::format("{}", fmt::join(options_->input, ", "));
        }
        tell(input_text(results_));
    }

    /// Imports into a file of another name, which takes the final name when it is whole.
    void make_database() {
        const fs::path& path = options_->database;
        if (fs::exists(path)) {
            if (!made_by_demo(path)) {
                throw usage_error(
                    fmt::format("{} exists and no demo made it: give another name "
                                "with --db FILE",
                                path.string()));
            }
            tell(fmt::format("{} is there from an earlier run and will be replaced\n",
                             path.string()));
        }
        scratch_file unfinished(path.string() + ".part");
        auto db = skiff::database::open(unfinished.path(),
                                        {.durability = on_disk, .mmap_bytes = mapped_bytes});
        results_.imported = import_packages(db, results_.input, options_->threads, interrupts_);
        db.close();
        remove_database(path);
        fs::rename(unfinished.path(), path);
        results_.database_bytes = fs::file_size(path);
        tell(import_text(results_));
    }

    void ask(skiff::database& db) {
        results_.questions = ask_questions(db, interrupts_);
        for (const auto& question : results_.questions) tell("\n" + question_text(question));
    }

    void compare(skiff::database& db) {
        const std::string base = options_->database.string();
        const scratch_file c_log(base + ".plain-c.part");
        const scratch_file skiff_log(base + ".skiff.part");
        const auto folder = fs::absolute(options_->database).parent_path();
        results_.where = look_at_machine(folder);
        results_.measuring.packages = static_cast<std::int64_t>(results_.imported.counts.packages);
        // A copy for plain C: while two open files share one, neither is alone with it, and each
        // pays for the other's locks.
        const scratch_file c_packages(base + ".plain-c-packages.part");
        {
            auto copy = skiff::connection::open(c_packages.path());
            db.backup_to(copy);
        }
        const auto plain_c = make_plain_c({c_packages.path(), c_log.path()}, options_->writers);
        const auto skiff = make_skiff_side(db, {options_->database, skiff_log.path()});
        results_.measures = measure(*plain_c, *skiff, results_.measuring, interrupts_);
        tell("\n" + measures_text(results_));
    }

    const demo_options* options_;
    interrupt_scope interrupts_;
    output_file out_;
    demo_results results_;
    std::string state_ = "nothing was left behind";
};

exit_code run_demo(const demo_options& options) {
    demo_run demo(options);
    try {
        demo.run();
    } catch (const interrupted_by_user&) {
        throw interrupted_by_user(demo.state());
    } catch (const skiff::error&) {
        // A statement that was stopped reports that it was; what was asked for is the same.
        if (demo.interrupted()) throw interrupted_by_user(demo.state());
        throw;
    }
    return exit_code::ok;
}

}  // namespace

void add_demo(CLI::App& app, context& shared) {
    auto* verb = app.add_subcommand("demo",
                                    "Store this machine's package index and compare with "
                                    "SQLite's C API");
    auto options = std::make_shared<demo_options>();
    verb->add_option("--db", options->database, "file to make; one that a demo made is replaced")
        ->type_name("FILE")
        ->capture_default_str();
    verb->add_option("--input", options->input,
                     "package index to read instead of the machine's own")
        ->type_name("FILE");
    verb->add_option("--seconds", options->seconds, "time for measuring")
        ->check(CLI::Range(0.5, 600.0))
        ->capture_default_str();
    verb->add_option("--threads", options->threads, "threads that store packages")
        ->check(CLI::Range(1U, 64U))
        ->capture_default_str();
    verb->add_option("--writers", options->writers, "threads of the last comparison")
        ->check(CLI::Range(1U, 256U))
        ->capture_default_str();
    verb->add_flag("--quick", options->quick, "measure for 1.5 s only");
    verb->add_flag("--json", options->json, "print one JSON object instead of text");
    verb->footer(demo_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_demo(*options); }; });
}

}  // namespace skiff_cli
