# SPDX-License-Identifier: MIT
#
# Linux on another processor: Debian's cross compiler, the libraries of that processor that
# scripts/foreign-packages.sh has unpacked, and qemu, which runs what was built. The files beside
# this one each name a machine and include it:
#
#     scripts/foreign-packages.sh build/foreign s390x
#     cmake -S . -B build/s390x -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/s390x.cmake \
#         -DBLOOMFILTER_FOREIGN=build/foreign
#
# They set cross_machine (Debian's name), cross_triplet (the compiler's), cross_multiarch (the
# folder's of the libraries) and cross_emulator.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${cross_machine})
set(CMAKE_C_COMPILER ${cross_triplet}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR ${cross_emulator} -L /usr/${cross_triplet})
# Before those that an /etc/ld.so.cache of this machine may know for i386. The old tag holds for the
# libraries of libraries, too.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--disable-new-dtags,-rpath,/usr/${cross_triplet}/lib")

# The C library is the cross compiler's; all else is found by pkg-config, below one folder. Checks
# that compile something read this file again.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BLOOMFILTER_FOREIGN)
get_filename_component(cross_root "${BLOOMFILTER_FOREIGN}/${cross_machine}" ABSOLUTE
    BASE_DIR "${CMAKE_CURRENT_LIST_DIR}/../..")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${cross_root}")
set(ENV{PKG_CONFIG_LIBDIR} "${cross_root}/usr/lib/${cross_multiarch}/pkgconfig")
