# SPDX-License-Identifier: MIT
#
# The programs of bench/. Neither is installed.

find_package(Threads REQUIRED)

add_executable(simulate bench/simulate.c)
bloomfilter_target_options(simulate)
target_link_libraries(simulate PRIVATE bloomfilter-objects)

add_executable(compare-constructions bench/compare_constructions.c)
bloomfilter_target_options(compare-constructions)
target_link_libraries(compare-constructions PRIVATE bloomfilter-objects)

# The public interface alone. Linked with the static library, so that --against can bring in another
# build of the shared one beside it.
add_executable(bloomfilter-bench
    bench/clock.c
    bench/floor.c
    bench/goals.c
    bench/libb2.c
    bench/peer_libbloom.c
    bench/library.c
    bench/main.c
    bench/measure_bulk.c
    bench/measure_keys.c
    bench/measure_threads.c
    bench/memory.c
    bench/output.c
    bench/output_json.c
    bench/output_markdown.c
    bench/pool.c
    bench/report.c)
bloomfilter_target_options(bloomfilter-bench)
target_link_libraries(bloomfilter-bench PRIVATE
    bloomfilter-static PkgConfig::BLOOMFILTER_LIBB2 Threads::Threads ${CMAKE_DL_LIBS} m)
