# skiff_train, which tools/train/make_profile builds and runs: SQLite compiled with counters, and
# the work in tools/train that it counts. What it would make is described in profile_made_with.txt.
#
# On x86-64 clang also gets skiff_train_v3: what newer processors have decides how clang arranges a
# few functions with floating-point numbers before it counts, and each arrangement has its own
# counts.
file(GLOB training_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/train/*.cpp")

function(skiff_add_training target processor)
    skiff_add_engine(${target}_engine ENGINE counted ARCH ${processor})
    add_executable(${target} ${training_sources} $<TARGET_OBJECTS:${target}_engine>)
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_include_directories(${target} PRIVATE "${SKIFF_SQLITE_DIR}")
    target_link_libraries(${target} PRIVATE skiff_warnings Threads::Threads m ${CMAKE_DL_LIBS})
    target_link_options(${target} PRIVATE -fprofile-generate)
    add_dependencies(skiff_training ${target})
endfunction()

add_custom_target(skiff_training)
skiff_add_training(skiff_train baseline)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    skiff_add_training(skiff_train_v3 x86-64-v3)
endif()

skiff_describe_profile(made_with)
list(JOIN made_with "\n" made_with)
file(WRITE "${PROJECT_BINARY_DIR}/profile_made_with.txt" "${made_with}\n")
