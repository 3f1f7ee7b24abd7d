// Values that are kept, and how they are written later.
#include <skiff/detail/kept_value.hpp>
#include <skiff/mapping/compound.hpp>
#include <skiff/mapping/numbers.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace skiff {

void value_sink::keep_integer(std::int64_t number) const {
    keeper().kept.content = number;
}

void value_sink::keep_real(double number) const {
    keeper().kept.content = number;
}

void value_sink::keep_null() const {
    keeper().kept.content = std::monostate();
}

void value_sink::keep_text(std::string_view utf8) const {
    keeper().kept.content = std::string(utf8);
}

void value_sink::keep_bytes(blob_view content) const {
    keeper().kept.content = blob(content.begin(), content.end());
}

void value_sink::keep_zero_blob(std::uint64_t count) const {
    keeper().kept.content = skiff::zero_blob{count};
}

void value_sink::keep_pointer(void* object, const char* type_name, void (*destroy)(void*)) const {
    if (destroy == nullptr) destroy = [](void*) {};
    keeper().kept.content = detail::kept_pointer{std::shared_ptr<void>(object, destroy), type_name};
}

void mapping<detail::kept_value>::write(value_sink sink, const detail::kept_value& kept) {
    std::visit(
        [&](const auto& content) {
            using type = std::remove_cvref_t<decltype(content)>;
            if constexpr (std::is_same_v<type, std::string>) {
                sink.unchecked_text(content);
            } else if constexpr (std::is_same_v<type, detail::kept_pointer>) {
                // It stays with the array, which is bound as long as the statement runs.
                sink.pointer(content.object.get(), content.type_name, nullptr);
            } else {
                sink.write(content);
            }
        },
        kept.content);
}

}  // namespace skiff
