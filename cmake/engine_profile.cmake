# The profile of the pgo engine: which one there is, and whether it fits what is to be compiled.
#
# Clang's is text, kept in tools/train/profile; its first lines say what it was made with, and all
# of it must be the same here, since counts that meet other code are dropped or, worse, misplaced.
# GCC's are binary and its own version's only: they lie in a folder that SKIFF_ENGINE_PROFILE names.
set(SKIFF_PROFILES "${CMAKE_CURRENT_LIST_DIR}/../tools/train/profile")
string(REGEX MATCH "^[0-9]+" SKIFF_C_MAJOR "${CMAKE_C_COMPILER_VERSION}")
set(SKIFF_ENGINE_COUNTING_FLAGS -fprofile-generate)
# A static function's counts are kept by its name and its file's, and not by the folder's.
set(SKIFF_PATHLESS "SHELL:-Xclang -mllvm -Xclang -static-func-full-module-prefix=false")
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    list(APPEND SKIFF_ENGINE_COUNTING_FLAGS "${SKIFF_PATHLESS}")
elseif(SKIFF_ENGINE_PROFILE)
    # gcc keeps and looks for counts where the object's by-products are said to be, and that place
    # is part of a static function's name: it must be the same in both stages.
    set(SKIFF_GCC_PROFILE_PLACE "SHELL:-dumpdir ${SKIFF_ENGINE_PROFILE}/ -dumpbase sqlite3")
    list(APPEND SKIFF_ENGINE_COUNTING_FLAGS "${SKIFF_GCC_PROFILE_PLACE}")
endif()

# What a profile made by this build would say of itself, and what one that fits must say.
function(skiff_describe_profile result)
    file(SHA256 "${SKIFF_SQLITE_DIR}/sqlite3.c" source)
    set(definitions ${SKIFF_SQLITE_DEFINITIONS})
    list(SORT definitions)
    string(SHA256 definitions "${definitions} ${SKIFF_SQLITE_C_FLAGS}")
    string(TOLOWER "${CMAKE_C_COMPILER_ID}" compiler)
    set(${result}
        "# compiler: ${compiler} ${SKIFF_C_MAJOR}"
        "# processor: ${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}"
        "# sqlite3.c: ${source}"
        "# definitions: ${definitions}"
        PARENT_SCOPE)
endfunction()

# In the caller: `profile_flags` and `profile_name`, or `misfit`, why there are none, and `remedy`,
# the line that makes one.
macro(skiff_find_profile)
    set(misfit "")
    set(profile_flags "")
    set(remedy "tools/train/make_profile --compiler ${CMAKE_C_COMPILER}")
    if(NOT SKIFF_SQLITE_DIR STREQUAL "${PROJECT_SOURCE_DIR}/third_party/sqlite")
        string(APPEND remedy " --sqlite-dir ${SKIFF_SQLITE_DIR}")
    endif()
    if(SKIFF_SANITIZE)
        set(misfit "sanitizers change the code that a profile was made for")
        set(remedy "cmake -DSKIFF_SANITIZE= ...")
    elseif(CMAKE_C_COMPILER_ID STREQUAL "Clang")
        skiff_find_clang_profile()
    elseif(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        skiff_find_gcc_profile()
    else()
        set(misfit "${CMAKE_C_COMPILER_ID} is not clang or gcc")
        set(remedy "cmake -DCMAKE_C_COMPILER=clang-22 ...")
    endif()
endmacro()

macro(skiff_find_clang_profile)
    set(profile "${SKIFF_ENGINE_PROFILE}")
    if(NOT profile)
        set(profile "${SKIFF_PROFILES}/clang-${SKIFF_C_MAJOR}.proftext")
    endif()
    get_filename_component(profile_name "${profile}" NAME)
    if(NOT EXISTS "${profile}")
        set(misfit "there is no profile for clang ${SKIFF_C_MAJOR}")
    else()
        skiff_check_profile_header()
        if(NOT misfit)
            skiff_index_profile()
        endif()
    endif()
endmacro()

macro(skiff_check_profile_header)
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
        CMAKE_CONFIGURE_DEPENDS "${profile}")
    file(STRINGS "${profile}" header LIMIT_COUNT 12 REGEX "^# [a-z0-9.]+: ")
    skiff_describe_profile(wanted)
    foreach(line IN LISTS wanted)
        if(NOT misfit AND NOT line IN_LIST header)
            string(REGEX REPLACE "^# ([a-z0-9.]+): (.*)$" "\\1" subject "${line}")
            set(misfit "${profile_name} was made for another ${subject}")
        endif()
    endforeach()
endmacro()

# llvm-profdata of the compiler's own LLVM turns the text into what the compiler reads. The result
# is named after its content, so that a changed profile is a changed command line.
macro(skiff_index_profile)
    execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-prog-name=llvm-profdata
        OUTPUT_VARIABLE profdata OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT EXISTS "${profdata}")
        find_program(SKIFF_LLVM_PROFDATA NAMES "llvm-profdata-${SKIFF_C_MAJOR}")
        set(profdata "${SKIFF_LLVM_PROFDATA}")
    endif()
    file(SHA256 "${profile}" digest)
    string(SUBSTRING "${digest}" 0 12 digest)
    set(indexed "${PROJECT_BINARY_DIR}/engine/${digest}.profdata")
    if(NOT profdata)
        set(misfit "llvm-profdata-${SKIFF_C_MAJOR} is not installed")
        set(remedy "sudo apt-get install llvm-${SKIFF_C_MAJOR}")
    elseif(NOT EXISTS "${indexed}")
        file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/engine")
        execute_process(COMMAND "${profdata}" merge "${profile}" -o "${indexed}"
            RESULT_VARIABLE failed ERROR_VARIABLE profdata_says)
        if(failed)
            set(misfit "llvm-profdata cannot read ${profile_name}: ${profdata_says}")
        endif()
    endif()
    if(NOT misfit)
        skiff_clang_profile_flags()
    endif()
endmacro()

# Counts that meet another control flow are told of, as the function would silently be left
# without.
macro(skiff_clang_profile_flags)
    set(profile_flags -Wno-everything -Wbackend-plugin -Wprofile-instr-out-of-date
        "-fprofile-use=${indexed}" "${SKIFF_PATHLESS}")
endmacro()

# ... and are an error where somebody asked for pgo or works on Skiff. In another project's build,
# whose headers may differ from ours, they stay a warning, and so they do for `native`: of all the
# processors there are, some may have a function arranged as none was counted.
macro(skiff_strict_profile_flags processor)
    set(strict_flags "")
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND NOT "${processor}" STREQUAL "native" AND
            (SKIFF_WERROR OR SKIFF_ENGINE STREQUAL "pgo"))
        set(strict_flags -Werror=backend-plugin -Werror=profile-instr-out-of-date)
    endif()
endmacro()

macro(skiff_find_gcc_profile)
    set(profile_name "the profile in ${SKIFF_ENGINE_PROFILE}")
    set(remedy "${remedy} --output <folder>, then cmake -DSKIFF_ENGINE_PROFILE=<folder> ...")
    if(NOT SKIFF_ENGINE_PROFILE)
        set(misfit "gcc's profiles do not come with Skiff")
    elseif(NOT EXISTS "${SKIFF_ENGINE_PROFILE}/made_with.txt" OR
            NOT EXISTS "${SKIFF_ENGINE_PROFILE}/sqlite3.gcda")
        set(misfit "${SKIFF_ENGINE_PROFILE} holds no profile")
    else()
        set(profile "${SKIFF_ENGINE_PROFILE}/made_with.txt")
        skiff_check_profile_header()
        # Counts of other code are an error by default, which -w would silence. The macro says
        # nothing to SQLite: other counts make another command, and so another object.
        file(SHA256 "${SKIFF_ENGINE_PROFILE}/sqlite3.gcda" digest)
        set(profile_flags -fprofile-use -Werror=coverage-mismatch -Wno-stringop-overflow
            -Wno-array-bounds -DSKIFF_ENGINE_COUNTS=${digest} "${SKIFF_GCC_PROFILE_PLACE}")
    endif()
endmacro()
