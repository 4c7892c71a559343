# SPDX-License-Identifier: MIT
#
# The command `bloomfilter`. It takes the library's objects, not its exports: `export --raw` and
# `import` reach the bare bits through an internal header.

if(NOT JANSSON_FOUND)
    message(FATAL_ERROR "The command needs jansson, which pkg-config did not find. Install it "
        "(Debian, Ubuntu: libjansson-dev; Fedora: jansson-devel; Arch, Homebrew: jansson), or "
        "configure with -DBLOOMFILTER_BUILD_COMMAND=OFF.")
endif()

set(bloomfilter_command_sources
    tools/escape.c
    tools/file_lock.c
    tools/filter_file.c
    tools/filter_shape.c
    tools/help.c
    tools/info_json.c
    tools/info_text.c
    tools/key_adder.c
    tools/key_files.c
    tools/keys.c
    tools/line_writer.c
    tools/main.c
    tools/metadata.c
    tools/names.c
    tools/new_file.c
    tools/numbers.c
    tools/options.c
    tools/output_file.c
    tools/progress.c
    tools/rate_warning.c
    tools/raw_bits.c
    tools/report.c
    tools/secret.c
    tools/standard_input.c
    tools/system_files.c
    tools/verb_add.c
    tools/verb_build.c
    tools/verb_combine.c
    tools/verb_create.c
    tools/verb_export.c
    tools/verb_import.c
    tools/verb_info.c
    tools/verb_measure.c
    tools/verb_plan.c
    tools/verb_query.c
    tools/verb_verify.c)

add_executable(bloomfilter-command ${bloomfilter_command_sources})
bloomfilter_target_options(bloomfilter-command)
set_target_properties(bloomfilter-command PROPERTIES OUTPUT_NAME bloomfilter)
target_link_libraries(bloomfilter-command PRIVATE bloomfilter-objects PkgConfig::JANSSON)
