# SPDX-License-Identifier: MIT
#
# Big-endian, 64-bit.

set(cross_machine s390x)
set(cross_triplet s390x-linux-gnu)
set(cross_multiarch s390x-linux-gnu)
set(cross_emulator qemu-s390x)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
