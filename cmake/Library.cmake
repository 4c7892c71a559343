# SPDX-License-Identifier: MIT
#
# The library: its files are compiled once, into an OBJECT library that feeds the shared library,
# the static library, the command and the white-box tests.

set(bloomfilter_sources
    src/bitset/flat.c
    src/bitset/registry.c
    src/bitset/split_block.c
    src/bitset/split_block_kernels.c
    src/file/descriptor.c
    src/file/memory.c
    src/file/read.c
    src/file/save.c
    src/handle/block_keys.c
    src/handle/combine.c
    src/handle/insert_counter.c
    src/handle/inspect.c
    src/handle/keys.c
    src/handle/lifecycle.c
    src/handle/options.c
    src/handle/persist.c
    src/handle/raw_bits.c
    src/handle/self_test.c
    src/handle/text.c
    src/hashing/blake2b_indexed.c
    src/hashing/blake2b_kernels.c
    src/hashing/blake2b_pair.c
    src/hashing/blake2b_portable.c
    src/hashing/blake2b_scheme.c
    src/hashing/blake2b_wide.c
    src/hashing/murmur3_tweak.c
    src/hashing/registry.c
    src/hashing/xxh64.c
    src/serializer/body_digest.c
    src/serializer/format.c
    src/serializer/read.c
    src/serializer/write.c
    src/sizing/blocks.c
    src/sizing/classic_rate.c
    src/sizing/independent.c
    src/sizing/prediction.c
    src/sizing/progressions.c
    src/sizing/sizing.c
    src/support/blake2b.c
    src/support/cpu.c
    src/support/leaf_kernels.c
    src/support/secret.c)

# Code for processors that have more than the baseline. It is the same in every variant of the
# library that the tests build, and takes long to compile: once.
set(bloomfilter_kernel_sources
    src/arm/blake2b_neon.c
    src/arm/split_block_neon.c
    src/x86/blake2b_avx2.c
    src/x86/blake2b_avx512.c
    src/x86/count_ones.c
    src/x86/split_block_avx2.c)

# What it is linked with. Of a shared library that is private, of a static one its users need it, too.
set(bloomfilter_libraries PkgConfig::BLOOMFILTER_LIBB2 PkgConfig::BLOOMFILTER_LIBXXHASH
    ${bloomfilter_atomic_library} m)

add_library(bloomfilter-kernels OBJECT ${bloomfilter_kernel_sources})
bloomfilter_target_options(bloomfilter-kernels)
set_target_properties(bloomfilter-kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(bloomfilter-kernels PRIVATE include src)
# In gcc (12 at least) this pass makes whole states wander between registers and memory.
target_compile_options(bloomfilter-kernels PRIVATE $<$<C_COMPILER_ID:GNU>:-fno-tree-pre>)
# Where each variable is takes gcc as long again to find out, in code as long and straight as theirs.
target_compile_options(bloomfilter-kernels PRIVATE $<$<C_COMPILER_ID:GNU>:-fno-var-tracking>)
# The rest calls them through pointers: there is nothing to optimize across files, and each program
# that is linked would compile them anew.
set_target_properties(bloomfilter-kernels PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
target_link_libraries(bloomfilter-kernels PRIVATE PkgConfig::BLOOMFILTER_LIBB2)

add_library(bloomfilter-objects OBJECT ${bloomfilter_sources})
bloomfilter_target_options(bloomfilter-objects)
set_target_properties(bloomfilter-objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(bloomfilter-objects PUBLIC include src)
# Objects reach only those that name their library; so these bring the kernels with them.
target_link_libraries(bloomfilter-objects
    PUBLIC ${bloomfilter_libraries} INTERFACE $<TARGET_OBJECTS:bloomfilter-kernels>)

# ---- shared

add_library(bloomfilter SHARED
    $<TARGET_OBJECTS:bloomfilter-objects> $<TARGET_OBJECTS:bloomfilter-kernels>)
add_library(bloomfilter::bloomfilter ALIAS bloomfilter)
bloomfilter_target_options(bloomfilter)
set_target_properties(bloomfilter PROPERTIES
    LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(bloomfilter INTERFACE
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
target_link_libraries(bloomfilter PRIVATE ${bloomfilter_libraries})

# Which symbols leave the library, and under which version node. Where the linker knows no version
# scripts (macOS), hidden visibility alone keeps the rest inside.
set(version_script "${CMAKE_CURRENT_SOURCE_DIR}/src/bloomfilter.map")
if(NOT APPLE)
    target_link_options(bloomfilter PRIVATE "-Wl,--version-script,${version_script}")
    set_property(TARGET bloomfilter APPEND PROPERTY LINK_DEPENDS "${version_script}")
    # Without it, GNU ld takes names in the script that do not exist, silently.
    bloomfilter_check_linker_flag(-Wl,--no-undefined-version BLOOMFILTER_HAVE_NO_UNDEFINED_VERSION)
    if(BLOOMFILTER_HAVE_NO_UNDEFINED_VERSION)
        target_link_options(bloomfilter PRIVATE -Wl,--no-undefined-version)
    endif()
    # The sanitizers of clang leave their symbols to the program.
    bloomfilter_check_linker_flag(-Wl,-z,defs BLOOMFILTER_HAVE_Z_DEFS)
    if(BLOOMFILTER_HAVE_Z_DEFS AND NOT BLOOMFILTER_SANITIZE)
        target_link_options(bloomfilter PRIVATE -Wl,-z,defs)
    endif()
endif()

# ---- static

add_library(bloomfilter-static STATIC
    $<TARGET_OBJECTS:bloomfilter-objects> $<TARGET_OBJECTS:bloomfilter-kernels>)
add_library(bloomfilter::bloomfilter-static ALIAS bloomfilter-static)
set_target_properties(bloomfilter-static PROPERTIES
    LINKER_LANGUAGE C
    OUTPUT_NAME bloomfilter)
target_include_directories(bloomfilter-static INTERFACE
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
target_link_libraries(bloomfilter-static PRIVATE ${bloomfilter_libraries})

# ---- the short names, for -lbloom

set(libbloom_shared "${CMAKE_SHARED_LIBRARY_PREFIX}bloom${CMAKE_SHARED_LIBRARY_SUFFIX}")
set(libbloom_static "${CMAKE_STATIC_LIBRARY_PREFIX}bloom${CMAKE_STATIC_LIBRARY_SUFFIX}")
if(BLOOMFILTER_LIBBLOOM_LINKS)
    add_custom_command(TARGET bloomfilter POST_BUILD VERBATIM
        COMMAND ${CMAKE_COMMAND} -E create_symlink
            $<TARGET_SONAME_FILE_NAME:bloomfilter>
            $<TARGET_FILE_DIR:bloomfilter>/${libbloom_shared})
    add_custom_command(TARGET bloomfilter-static POST_BUILD VERBATIM
        COMMAND ${CMAKE_COMMAND} -E create_symlink
            $<TARGET_FILE_NAME:bloomfilter-static>
            $<TARGET_FILE_DIR:bloomfilter-static>/${libbloom_static})
endif()
