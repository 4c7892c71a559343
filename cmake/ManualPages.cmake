# SPDX-License-Identifier: MIT
#
# The manual pages. A page that describes several functions is found under each of their names:
# docs/man/links.txt has a line "LINK PAGE" for each, which becomes a small page that includes PAGE.

set(bloomfilter_command_pages
    docs/man/bloomfilter.1)
set(bloomfilter_library_pages
    docs/man/bloomfilter.3
    docs/man/bloomfilter_add.3
    docs/man/bloomfilter_get_info.3
    docs/man/bloomfilter_new.3
    docs/man/bloomfilter_save.3
    docs/man/bloomfilter_serialize.3
    docs/man/bloomfilter_set_metadata.3
    docs/man/bloomfilter_strerror.3
    docs/man/bloomfilter_union.3)

set(bloomfilter_page_links)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/docs/man/links.txt")
file(STRINGS docs/man/links.txt lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
    string(REPLACE " " ";" pair "${line}")
    list(GET pair 0 link)
    list(GET pair 1 page)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/man/${link}" ".so man3/${page}\n")
    list(APPEND bloomfilter_page_links "${CMAKE_CURRENT_BINARY_DIR}/man/${link}")
endforeach()
