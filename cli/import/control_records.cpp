// The text of a stanza is put together again from its fields, for the file of rejected records.
#include "import/control_records.hpp"

#include "value_guess.hpp"

#include <fmt/format.h>

namespace skiff_cli {

namespace {

void append_field(std::string& text, const control_field& field) {
    if (!text.empty()) text += '\n';
    text += field.name;
    text += ": ";
    for (const char character : field.value) {
        text += character;
        if (character == '\n') text += ' ';
    }
}

}  // namespace

bool control_records::next(record& out) {
    out.line = reader_.line() + 1;
    if (!reader_.next(fields_)) return false;
    out.problem.clear();
    out.cells.clear();
    raw_.clear();
    for (const control_field& field : fields_) {
        append_field(raw_, field);
        cell* target = keys_.find(out, field.name);
        if (target == nullptr) {
            out.problem = fmt::format("more than {} different fields", keyed_columns::names_max);
            continue;
        }
        target->what = cell::kind::untyped;
        target->text = field.value;
    }
    out.raw = raw_;
    if (!is_valid_utf8(raw_)) out.problem = "not valid UTF-8";
    return true;
}

}  // namespace skiff_cli
