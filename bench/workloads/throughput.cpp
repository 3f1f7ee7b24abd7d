// Names are those of the benchmark documents that this suite repeats.
#include "workloads/throughput.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace skiff_bench {

namespace {

std::string threads_of(int count) {
    return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

void add_reads(std::vector<throughput_row>& rows) {
    for (const auto pages : {cache::by_default, cache::whole_file}) {
        for (const int count : {1, 2, 4, 8, 16, 32, 64}) {
            const bool in_cache = pages == cache::whole_file;
            rows.push_back({.name = threads_of(count) + ", each reads one row by key" +
                                    (in_cache ? ", whole file in cache" : ""),
                            .readers = count,
                            .pages = pages,
                            .is_main = count == 1 || count == 8 || count == 64});
        }
    }
}

void add_writes(std::vector<throughput_row>& rows) {
    for (const auto level : {synchronous::normal, synchronous::full}) {
        for (const int count : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
            const bool full = level == synchronous::full;
            rows.push_back({.name = threads_of(count) + ", each inserts one row, synchronous=" +
                                    (full ? "FULL" : "NORMAL"),
                            .writers = count,
                            .level = level,
                            .is_main = count == 1 || count == 8 || count == 64});
        }
    }
}

void add_beside(std::vector<throughput_row>& rows, neighbour kind, const char* suffix) {
    constexpr std::array repeated{
        "1 thread, each reads one row by key",
        "8 threads, each reads one row by key",
        "8 threads read as above while 8 others write",
        "1 thread, each inserts one row, synchronous=NORMAL",
        "1 thread, each inserts one row, synchronous=FULL",
        "64 threads, each inserts one row, synchronous=FULL",
    };
    for (const auto* name : repeated) {
        auto row = *std::ranges::find(rows, name, &throughput_row::name);
        row.name += suffix;
        row.beside = kind;
        row.is_main = false;
        rows.push_back(row);
    }
}

std::vector<throughput_row> all_rows() {
    std::vector<throughput_row> rows;
    add_reads(rows);
    // The two figures of this run are two rows of the document: reads, and writes next to them.
    rows.push_back(
        {.name = "8 threads read as above while 8 others write", .readers = 8, .writers = 8});
    add_writes(rows);
    add_beside(rows, neighbour::idle, ", a second process has the file open");
    add_beside(rows, neighbour::busy, ", a stock process does the same");
    return rows;
}

}  // namespace

const std::vector<throughput_row>& throughput_rows() {
    static const auto rows = all_rows();
    return rows;
}

const throughput_row* find_row(std::string_view name) {
    const auto& rows = throughput_rows();
    const auto found = std::ranges::find(rows, name, &throughput_row::name);
    return found == rows.end() ? nullptr : &*found;
}

std::string value_of(std::int64_t key) {
    const std::uint64_t head = head_of(key);
    std::string value(value_bytes, '.');
    std::memcpy(value.data(), &head, sizeof(head));
    return value;
}

bool is_value_of(std::int64_t key, std::string_view value) noexcept {
    if (value.size() != value_bytes) return false;
    std::uint64_t head = 0;
    std::memcpy(&head, value.data(), sizeof(head));
    return head == head_of(key);
}

}  // namespace skiff_bench
