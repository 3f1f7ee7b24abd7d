// Replaces all forms of operator new and delete by malloc and free with a counter for each thread.
// Memory that SQLite takes with malloc is not counted: it would be taken without Skiff as well.
#include "support/counting_new.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constinit thread_local std::uint64_t calls = 0;
constinit thread_local std::uint64_t fails_at = 0;
constinit thread_local bool fails_on = false;

/// Counts a call; true when it must fail.
bool is_refused() noexcept {
    ++calls;
    return fails_at != 0 && (calls == fails_at || (fails_on && calls > fails_at));
}

void* counted(std::size_t bytes) noexcept {
    if (is_refused()) return nullptr;
    return std::malloc(bytes > 0 ? bytes : 1);
}

void* counted(std::size_t bytes, std::align_val_t alignment) noexcept {
    if (is_refused()) return nullptr;
    const auto boundary = static_cast<std::size_t>(alignment);
    // aligned_alloc wants a multiple of the alignment.
    const std::size_t rounded = (bytes + boundary - 1) / boundary * boundary;
    return std::aligned_alloc(boundary, rounded > 0 ? rounded : boundary);
}

void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

namespace skiff_test {

std::uint64_t allocations() noexcept {
    return calls;
}

void fail_allocations(std::uint64_t nth, bool from_then_on) noexcept {
    fails_at = nth == 0 ? 0 : calls + nth;
    fails_on = from_then_on;
}

}  // namespace skiff_test

void* operator new(std::size_t bytes) {
    return or_throw(counted(bytes));
}
void* operator new[](std::size_t bytes) {
    return or_throw(counted(bytes));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return or_throw(counted(bytes, alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return or_throw(counted(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return counted(bytes, alignment);
}
void* operator new[](std::size_t bytes,
                     std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
    return counted(bytes, alignment);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
