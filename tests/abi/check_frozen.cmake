# SPDX-License-Identifier: MIT
#
#     cmake -DFOLDER=... -P check_frozen.cmake
#
# The headers of releases, FOLDER/*/bloomfilter.h, are those of FOLDER/SHA256SUMS.

file(STRINGS "${FOLDER}/SHA256SUMS" lines)
file(GLOB headers RELATIVE "${FOLDER}" "${FOLDER}/*/bloomfilter.h")
set(found)
foreach(header IN LISTS headers)
    file(SHA256 "${FOLDER}/${header}" sum)
    list(APPEND found "${sum}  ${header}")
endforeach()
if(NOT lines OR NOT found STREQUAL lines)
    message(FATAL_ERROR "The header of a release is frozen: programs were compiled with it.\n"
        "In SHA256SUMS:\n${lines}\nOf the files:\n${found}")
endif()
