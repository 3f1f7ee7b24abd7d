// Skiff, twice: a connection for each thread, and one database for all.
#include "drivers/skiff_drivers.hpp"

#include "drivers/c_api.hpp"

#include <skiff/skiff.hpp>

#include <optional>

namespace skiff_bench {

namespace {

/// The profile as Skiff's options; what it does not name is Skiff's default.
skiff::open_options options_of(const profile& how) {
    skiff::open_options options;
    options.durability =
        how.level == synchronous::full ? skiff::durability::full : skiff::durability::normal;
    options.busy_timeout = std::chrono::minutes(1);
    if (how.pages == cache::whole_file) options.page_cache_kib = 65536;
    return options;
}

class connection_session final : public session {
  public:
    explicit connection_session(const profile& how)
        : db_(skiff::connection::open(how.path, options_of(how))),
          select_(db_.prepare("select v from kv where id = ?")),
          insert_(db_.prepare("insert into kv(v) values (?)")) {}

    bool read(std::int64_t key) override {
        bool right = false;
        for (const auto value : select_.rows<std::string_view>(key)) {
            right = is_value_of(key, value);
        }
        return right;
    }
    void insert(std::string_view value) override { insert_.exec(value); }

  private:
    skiff::connection db_;
    skiff::statement select_;
    skiff::statement insert_;
};

class connection_driver final : public driver {
  public:
    explicit connection_driver(profile how) : how_(std::move(how)) {}
    std::unique_ptr<session> open_session() override {
        return std::make_unique<connection_session>(how_);
    }
    std::map<std::string, std::string> settings() override {
        auto db = skiff::connection::open(how_.path, options_of(how_));
        return settings_of(db.native_handle());
    }

  private:
    profile how_;
};

/// SQL text at each call, as programs write it.
class database_session final : public session {
  public:
    explicit database_session(skiff::database& db) : db_(db) {}

    bool read(std::int64_t key) override {
        return is_value_of(key, db_.one<std::string>("select v from kv where id = ?", key));
    }
    void insert(std::string_view value) override {
        db_.exec("insert into kv(v) values (?)", value);
    }

  private:
    skiff::database& db_;
};

class database_driver final : public driver {
  public:
    explicit database_driver(const profile& how)
        : how_(how), db_(skiff::database::open(how.path, options_of(how))) {}
    std::unique_ptr<session> open_session() override {
        return std::make_unique<database_session>(db_);
    }
    std::map<std::string, std::string> settings() override {
        auto db = skiff::connection::open(how_.path, options_of(how_));
        return settings_of(db.native_handle());
    }

  private:
    profile how_;
    skiff::database db_;
};

}  // namespace

std::unique_ptr<driver> open_skiff_connection(const profile& how) {
    return std::make_unique<connection_driver>(how);
}

std::unique_ptr<driver> open_skiff_database(const profile& how) {
    return std::make_unique<database_driver>(how);
}

}  // namespace skiff_bench
