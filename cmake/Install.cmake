# SPDX-License-Identifier: MIT
#
# What is installed, in three components: runtime (what programs need to run), development (what
# they need to be built) and command. Nothing installed contains the prefix, unless it is /usr, so
# that the tree can be moved as a whole.

include(CMakePackageConfigHelpers)

set(cmake_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bloomfilter")

# ---- libraries and header

install(TARGETS bloomfilter EXPORT bloomfilter-shared
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
        NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS bloomfilter-static EXPORT bloomfilter-static
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(BLOOMFILTER_LIBBLOOM_LINKS)
    install(FILES
        $<TARGET_FILE_DIR:bloomfilter>/${libbloom_shared}
        $<TARGET_FILE_DIR:bloomfilter-static>/${libbloom_static}
        DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
install(FILES include/bloomfilter.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# ---- pkg-config

set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# Sets `result` to an install directory as the .pc file names it.
function(bloomfilter_pc_path directory result)
    if(IS_ABSOLUTE "${directory}")
        set(${result} "${directory}" PARENT_SCOPE)
    else()
        set(${result} "\${prefix}/${directory}" PARENT_SCOPE)
    endif()
endfunction()
bloomfilter_pc_path("${CMAKE_INSTALL_LIBDIR}" pc_libdir)
bloomfilter_pc_path("${CMAKE_INSTALL_INCLUDEDIR}" pc_includedir)
# Nobody moves /usr, and pkg-config leaves out -I/usr/include and the like only in plain form.
if(IS_ABSOLUTE "${pc_dir}" OR CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH pc_prefix "/${pc_dir}" "/")
    string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
set(pc_libs_private -lm)
if(bloomfilter_atomic_library)
    string(PREPEND pc_libs_private "-l${bloomfilter_atomic_library} ")
endif()
configure_file(bloomfilter.pc.in bloomfilter.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/bloomfilter.pc"
    DESTINATION ${pc_dir} COMPONENT development)

# ---- find_package

configure_package_config_file(cmake/bloomfilter-config.cmake.in bloomfilter-config.cmake
    INSTALL_DESTINATION ${cmake_package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(bloomfilter-config-version.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/bloomfilter-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/bloomfilter-config-version.cmake"
    DESTINATION ${cmake_package_dir} COMPONENT development)
foreach(kind IN ITEMS shared static)
    install(EXPORT bloomfilter-${kind}
        FILE bloomfilter-${kind}-targets.cmake
        NAMESPACE bloomfilter::
        DESTINATION ${cmake_package_dir} COMPONENT development)
endforeach()

# ---- command and manual pages

install(FILES ${bloomfilter_library_pages} ${bloomfilter_page_links}
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
if(BLOOMFILTER_BUILD_COMMAND)
    install(TARGETS bloomfilter-command
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    install(FILES ${bloomfilter_command_pages}
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
endif()
