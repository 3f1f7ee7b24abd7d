# skiff_train, which tools/train/make_profile builds and runs: SQLite compiled with counters, and
# the work in tools/train that it counts. What it would make is described in profile_made_with.txt.
file(GLOB training_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/train/*.cpp")
skiff_add_engine(skiff_engine_counted ENGINE counted)
add_executable(skiff_train ${training_sources} $<TARGET_OBJECTS:skiff_engine_counted>)
target_compile_features(skiff_train PRIVATE cxx_std_20)
target_include_directories(skiff_train PRIVATE "${SKIFF_SQLITE_DIR}")
target_link_libraries(skiff_train PRIVATE
    skiff_warnings Threads::Threads m ${CMAKE_DL_LIBS})
target_link_options(skiff_train PRIVATE -fprofile-generate)
skiff_describe_profile(made_with)
list(JOIN made_with "\n" made_with)
file(WRITE "${PROJECT_BINARY_DIR}/profile_made_with.txt" "${made_with}\n")
