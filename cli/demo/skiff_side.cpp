// What a program written with Skiff would contain.
#include "demo/skiff_side.hpp"

#include <skiff/database.hpp>
#include <skiff/version.hpp>

#include <fmt/format.h>

#include <optional>
#include <tuple>

namespace skiff_cli {

namespace {

/// A column that may be NULL; the C API reads NULL as 0.
using number = std::optional<std::int64_t>;

std::string as_text(const skiff::value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
    return "";
}

class skiff_side : public contender {
  public:
    skiff_side(skiff::database& packages, const contender_files& files)
        : packages_(&packages),
          log_(skiff::database::open(
              files.log, {.durability = skiff::durability::full, .mmap_bytes = mapped_bytes})) {
        log_.exec(log_table_sql);
    }

    reported_settings settings() override {
        reported_settings all;
        all.emplace_back("sqlite", skiff::sqlite_version());
        auto reader = packages_->read();
        for (const char* name : compared_on_read) {
            all.emplace_back(fmt::format("reading: {}", name), pragma(reader, name));
        }
        log_.write_without_transaction([&](skiff::connection& writer) {
            for (const char* name : compared_on_write) {
                all.emplace_back(fmt::format("writing: {}", name), pragma(writer, name));
            }
        });
        return all;
    }

    digest read_by_key(std::span<const std::int64_t> ids) override {
        digest result;
        for (const std::int64_t id : ids) {
            const auto [installed_kib, size_bytes, name] =
                packages_->one<std::tuple<number, number, std::string>>(point_read_sql, id);
            result.add(installed_kib.value_or(0), size_bytes.value_or(0), name);
        }
        return result;
    }

    digest scan() override {
        digest result;
        auto snapshot = packages_->read();
        for (const auto& [id, size_bytes, name] :
             snapshot.rows<std::int64_t, number, std::string_view>(scan_sql)) {
            result.add(id, size_bytes.value_or(0), name);
        }
        return result;
    }

    bool insert(unsigned /*writer*/, const log_line& line, moment /*until*/) override {
        log_.exec(log_insert_sql, line.writer, line.number, line.text);
        return true;
    }

    written_rows written() override { return log_.one<written_rows>(log_sums_sql); }

    void clear_written() override { log_.exec(log_clear_sql); }

  private:
    template <class Target>
    static std::string pragma(Target& target, const char* name) {
        const auto sql = fmt::format("pragma {}", name);
        return as_text(target.template one<skiff::value>(sql));
    }

    skiff::database* packages_;
    skiff::database log_;
};

}  // namespace

std::unique_ptr<contender> make_skiff_side(skiff::database& packages,
                                           const contender_files& files) {
    return std::make_unique<skiff_side>(packages, files);
}

}  // namespace skiff_cli
