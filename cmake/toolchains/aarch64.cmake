# SPDX-License-Identifier: MIT
#
# 64-bit ARM, with NEON.

set(cross_machine arm64)
set(cross_triplet aarch64-linux-gnu)
set(cross_multiarch aarch64-linux-gnu)
set(cross_emulator qemu-aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
