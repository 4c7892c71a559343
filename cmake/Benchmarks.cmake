# SPDX-License-Identifier: MIT

add_executable(simulate bench/simulate.c)
bloomfilter_target_options(simulate)
target_link_libraries(simulate PRIVATE bloomfilter-objects)
