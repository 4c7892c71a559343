# SPDX-License-Identifier: MIT
#
# 32-bit, without instructions for 64-bit atomic operations.

set(cross_machine armel)
set(cross_triplet arm-linux-gnueabi)
set(cross_multiarch arm-linux-gnueabi)
set(cross_emulator qemu-arm)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
