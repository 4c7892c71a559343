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
    # Sizes are the same on every machine: no product and sum in one operation, where there is one.
    set(bloomfilter_floating_point -ffp-contract=off)
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

# ---- what the processor needs

# Filters are sized and measured in binary64, to the bit as everywhere else (src/sizing/sizing.c).
# Where doubles are computed in 80 bits (x87: gcc for i386), some results are rounded twice, and then
# 660172946208 keys at 1e-6 get one bit less. So SSE2 computes there, which every x86 since 2003 has,
# even if the distribution's own flags do without.
set(plain_doubles [[
#include <float.h>
#if FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "computed in more than 64 bits"
#endif
int main(void) { return 0; }
]])
check_c_source_compiles("${plain_doubles}" BLOOMFILTER_HAVE_PLAIN_DOUBLES)
if(NOT BLOOMFILTER_HAVE_PLAIN_DOUBLES)
    set(CMAKE_REQUIRED_FLAGS "-msse2 -mfpmath=sse")
    check_c_source_compiles("${plain_doubles}" BLOOMFILTER_HAVE_SSE2)
    unset(CMAKE_REQUIRED_FLAGS)
    if(BLOOMFILTER_HAVE_SSE2)
        set(bloomfilter_machine_options -msse2 -mfpmath=sse)
    else()
        message(WARNING "This processor computes doubles in more than 64 bits: very large filters "
            "may get another bit_count here than elsewhere")
    endif()
endif()

# Some processors (ARMv5, MIPS32, RISC-V) leave atomic operations of some sizes to a library.
set(atomic_operations [[
#include <stdatomic.h>
#include <stdint.h>
static _Atomic uint8_t byte;
static _Atomic uint64_t count;
int main(void)
{
    return (int)(atomic_fetch_or(&byte, 1) + atomic_fetch_add(&count, 1) + atomic_load(&count));
}
]])
check_c_source_compiles("${atomic_operations}" BLOOMFILTER_HAVE_ATOMICS)
if(NOT BLOOMFILTER_HAVE_ATOMICS)
    set(CMAKE_REQUIRED_LIBRARIES atomic)
    check_c_source_compiles("${atomic_operations}" BLOOMFILTER_HAVE_LIBATOMIC)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(NOT BLOOMFILTER_HAVE_LIBATOMIC)
        message(FATAL_ERROR "The compiler has no 64-bit atomic operations, even with -latomic")
    endif()
    set(bloomfilter_atomic_library atomic)
endif()

# ---- targets

function(bloomfilter_target_options target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE _FILE_OFFSET_BITS=64)
    target_compile_options(${target} PRIVATE
        ${bloomfilter_warnings} ${bloomfilter_floating_point} ${bloomfilter_machine_options}
        ${bloomfilter_sanitizers})
    target_link_options(${target} PRIVATE ${bloomfilter_sanitizers})
endfunction()
