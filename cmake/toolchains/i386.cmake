# SPDX-License-Identifier: MIT
#
# 32-bit, and floating point of 80 bits (x87) unless told otherwise.

set(cross_machine i386)
set(cross_triplet i686-linux-gnu)
set(cross_multiarch i386-linux-gnu)
set(cross_emulator qemu-i386)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
