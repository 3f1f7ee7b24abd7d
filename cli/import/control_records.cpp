// The text of a stanza is put together again from its fields, for the file of rejected records.
#include "import/control_records.hpp"

#include "value_guess.hpp"

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
        const std::size_t index = keys_.index_of(field.name);
        if (out.cells.size() <= index) out.cells.resize(index + 1);
        out.cells[index].what = cell::kind::untyped;
        out.cells[index].text = field.value;
    }
    out.raw = raw_;
    if (!is_valid_utf8(raw_)) out.problem = "not valid UTF-8";
    return true;
}

}  // namespace skiff_cli
