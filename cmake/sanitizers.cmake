# SKIFF_SANITIZE, a list such as "address;undefined" or "thread", is set by the sanitizer presets.
# Our code gets all of them. SQLite gets address and thread, which see what we do to it, and not
# undefined: how SQLite's C treats the language's corners is for its own authors to test.
set(SKIFF_SANITIZE "" CACHE STRING "Sanitizers to build with, for example address;undefined")

add_library(skiff_sanitizers INTERFACE)
add_library(skiff_sanitizers_sqlite INTERFACE)
if(SKIFF_SANITIZE)
    list(JOIN SKIFF_SANITIZE "," all)
    target_compile_options(skiff_sanitizers INTERFACE
        "-fsanitize=${all}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
    set(for_sqlite ${SKIFF_SANITIZE})
    list(REMOVE_ITEM for_sqlite undefined)
    if(for_sqlite)
        list(JOIN for_sqlite "," some)
        target_compile_options(skiff_sanitizers_sqlite INTERFACE
            "-fsanitize=${some}" -fno-omit-frame-pointer)
    endif()
    add_link_options("-fsanitize=${all}")
endif()
