# SPDX-License-Identifier: MIT
#
# How everything here is compiled. bloomfilter_target_options(TARGET) applies it to one target, so
# that a project which takes this one in with add_subdirectory keeps its own settings.

include(CheckCSourceCompiles)

# The default is optimized code that can still be debugged.
get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(is_top_level AND NOT is_multi_config AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
    set_property(CACHE CMAKE_BUILD_TYPE PROPERTY STRINGS Debug Release RelWithDebInfo MinSizeRel)
endif()

if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    set(bloomfilter_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
        -Wmissing-prototypes)
    if(BLOOMFILTER_WARNINGS_AS_ERRORS)
        list(APPEND bloomfilter_warnings -Werror)
    endif()
endif()

if(BLOOMFILTER_SANITIZE)
    set(bloomfilter_sanitizers -fsanitize=${BLOOMFILTER_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
endif()

# Sets `result` to whether the linker takes `flag`.
function(bloomfilter_check_linker_flag flag result)
    set(CMAKE_REQUIRED_LINK_OPTIONS "${flag}")
    check_c_source_compiles("int main(void) { return 0; }" ${result})
endfunction()

function(bloomfilter_target_options target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE _FILE_OFFSET_BITS=64)
    target_compile_options(${target} PRIVATE ${bloomfilter_warnings} ${bloomfilter_sanitizers})
    target_link_options(${target} PRIVATE ${bloomfilter_sanitizers})
endfunction()
