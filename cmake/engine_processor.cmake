# For which processors SQLite's code is made, and what the library asks the processor at start, so
# that an older one gets a sentence and not an illegal instruction (src/core/processor.cpp).
set(SKIFF_ENGINE_ARCH "baseline" CACHE STRING
    "Processors that SQLite's code is for: baseline, x86-64-v2, x86-64-v3, x86-64-v4, native")
set_property(CACHE SKIFF_ENGINE_ARCH PROPERTY STRINGS
    baseline x86-64-v2 x86-64-v3 x86-64-v4 native)

# The compiler's macro for each extension, and its name in __builtin_cpu_supports. What the table
# lacks, a compiler may use only together with something that it has.
set(SKIFF_PROCESSOR_MACROS
    SSE3=sse3 SSSE3=ssse3 SSE4_1=sse4.1 SSE4_2=sse4.2 POPCNT=popcnt AVX=avx AVX2=avx2 FMA=fma
    BMI=bmi BMI2=bmi2 AVX512F=avx512f AVX512VL=avx512vl AVX512BW=avx512bw AVX512DQ=avx512dq
    AVX512CD=avx512cd LZCNT=lzcnt MOVBE=movbe F16C=f16c GFNI=gfni AVX512VNNI=avx512vnni
    AVX512IFMA=avx512ifma AVX512VBMI=avx512vbmi AVX512VBMI2=avx512vbmi2 AVX512BITALG=avx512bitalg
    AVX512VPOPCNTDQ=avx512vpopcntdq)

# `processor_flags` of the caller become what the compiler is told.
macro(skiff_processor_flags processor)
    if(NOT "${processor}" MATCHES "^(baseline|x86-64-v[234]|native)$")
        message(FATAL_ERROR "'${processor}' is no processor that SKIFF_ENGINE_ARCH may name: "
            "baseline, x86-64-v2, x86-64-v3, x86-64-v4 or native")
    endif()
    set(processor_flags "")
    if(NOT "${processor}" STREQUAL "baseline")
        set(processor_flags "-march=${processor}")
    endif()
endmacro()

# The extensions that code for the processor may use, one word each: a list that the compiler gives.
function(skiff_processor_features processor result)
    skiff_processor_flags("${processor}")
    set(features "")
    if(processor_flags)
        execute_process(COMMAND "${CMAKE_C_COMPILER}" ${processor_flags} -dM -E -x c /dev/null
            OUTPUT_VARIABLE macros RESULT_VARIABLE failed ERROR_VARIABLE message)
        if(failed)
            message(FATAL_ERROR "SKIFF_ENGINE_ARCH=${processor} is not for this compiler or "
                "processor: ${message}")
        endif()
        foreach(pair IN LISTS SKIFF_PROCESSOR_MACROS)
            string(REGEX MATCH "^([^=]+)=(.+)$" pair "${pair}")
            set(feature "${CMAKE_MATCH_2}")
            if(macros MATCHES "#define __${CMAKE_MATCH_1}__ 1\n")
                list(APPEND features "${feature}")
            endif()
        endforeach()
    endif()
    list(JOIN features " " features)
    set(${result} "${features}" PARENT_SCOPE)
endfunction()
