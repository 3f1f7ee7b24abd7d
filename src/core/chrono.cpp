// ISO-8601 text to points in time and back, with the civil calendar of <chrono>.
#include <skiff/mapping/chrono.hpp>

#include <array>
#include <chrono>
#include <string_view>

namespace skiff::detail {

namespace {

using namespace std::chrono;

/// Writes `number` with at least `digits` digits.
char* put_number(char* out, std::int64_t number, int digits) {
    std::array<char, 20> reversed;
    int count = 0;
    do {
        reversed[static_cast<std::size_t>(count++)] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (; digits > count; --digits) *out++ = '0';
    while (count > 0) *out++ = reversed[static_cast<std::size_t>(--count)];
    return out;
}

char* put_date(char* out, year_month_day date) {
    const int year = static_cast<int>(date.year());
    if (year < 0) *out++ = '-';
    out = put_number(out, year < 0 ? -year : year, 4);
    *out++ = '-';
    out = put_number(out, static_cast<unsigned>(date.month()), 2);
    *out++ = '-';
    return put_number(out, static_cast<unsigned>(date.day()), 2);
}

/// Reads a text from left to right; every step fails for good once one has failed.
class reader {
  public:
    explicit reader(std::string_view text) : rest_(text) {}

    bool take(char wanted) {
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void require(char wanted) { ok_ = take(wanted) && ok_; }
    int digits(int count) {
        int number = 0;
        for (; count > 0; --count) {
            if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
                ok_ = false;
                return 0;
            }
            number = number * 10 + (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return number;
    }
    /// Digits after the point as nanoseconds; what is finer is cut off.
    std::int32_t fraction() {
        std::int32_t nanoseconds = 0;
        int count = 0;
        while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
            if (count < 9) nanoseconds = nanoseconds * 10 + (rest_.front() - '0');
            ++count;
            rest_.remove_prefix(1);
        }
        if (count == 0) ok_ = false;
        for (; count < 9; ++count) nanoseconds *= 10;
        return nanoseconds;
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool ok() const { return ok_; }
    void fail() { ok_ = false; }

  private:
    std::string_view rest_;
    bool ok_ = true;
};

year_month_day take_date(reader& from) {
    const bool negative = from.take('-');
    const int number = from.digits(4);
    from.require('-');
    const int month_number = from.digits(2);
    from.require('-');
    const int day_number = from.digits(2);
    const year_month_day date(year(negative ? -number : number),
                              month(static_cast<unsigned>(month_number)),
                              day(static_cast<unsigned>(day_number)));
    if (!date.ok()) from.fail();
    return date;
}

/// Seconds east of UTC: "Z", "+02:00", "-0530", "+02", or nothing.
int take_offset(reader& from) {
    if (from.at_end() || from.take('Z') || from.take('z')) return 0;
    const bool west = from.take('-');
    if (!west) from.require('+');
    const int hours_east = from.digits(2);
    int minutes_east = 0;
    if (!from.at_end()) {
        from.take(':');
        minutes_east = from.digits(2);
    }
    if (hours_east > 23 || minutes_east > 59) from.fail();
    const int total = (hours_east * 60 + minutes_east) * 60;
    return west ? -total : total;
}

}  // namespace

std::size_t format_date(year_month_day date, char (&out)[iso8601_bytes_max]) {
    return static_cast<std::size_t>(put_date(out, date) - out);
}

std::size_t format_iso8601(utc_time time, int digits, char (&out)[iso8601_bytes_max]) {
    const sys_seconds moment{seconds(time.seconds)};
    const auto midnight = floor<days>(moment);
    const hh_mm_ss clock(moment - midnight);
    char* at = put_date(out, year_month_day(midnight));
    *at++ = 'T';
    at = put_number(at, clock.hours().count(), 2);
    *at++ = ':';
    at = put_number(at, clock.minutes().count(), 2);
    *at++ = ':';
    at = put_number(at, clock.seconds().count(), 2);
    if (digits > 0) {
        std::int64_t part = time.nanoseconds;
        for (int dropped = digits; dropped < 9; ++dropped) part /= 10;
        *at++ = '.';
        at = put_number(at, part, digits);
    }
    *at++ = 'Z';
    return static_cast<std::size_t>(at - out);
}

utc_time parse_iso8601(value_ref source) {
    reader from(source.text("a point in time (ISO-8601 text)"));
    const auto date = take_date(from);
    std::int64_t second_of_day = 0;
    std::int32_t nanosecond = 0;
    if (!from.at_end()) {
        if (!from.take('T') && !from.take('t')) from.require(' ');
        const int hour = from.digits(2);
        from.require(':');
        const int minute = from.digits(2);
        int second = 0;
        if (from.take(':')) {
            second = from.digits(2);
            if (from.take('.') || from.take(',')) nanosecond = from.fraction();
        }
        if (hour > 23 || minute > 59 || second > 60) from.fail();
        second_of_day = hour * 3600 + minute * 60 + second - take_offset(from);
    }
    if (!from.ok() || !from.at_end()) source.fail("not a date and time in ISO-8601 form");
    const auto day_seconds = sys_seconds(sys_days(date)).time_since_epoch().count();
    return {day_seconds + second_of_day, nanosecond};
}

year_month_day parse_date(value_ref source) {
    reader from(source.text("std::chrono::year_month_day"));
    const auto date = take_date(from);
    if (!from.ok() || !from.at_end()) source.fail("not a date of the form YYYY-MM-DD");
    return date;
}

}  // namespace skiff::detail
