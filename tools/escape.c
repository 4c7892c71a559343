/* SPDX-License-Identifier: MIT */
#include "escape.h"

#include <stdint.h>
#include <string.h>

enum { CHARACTER_ROOM = 5 }; /* "\x1b" or four bytes of UTF-8, and a NUL */

/* The length of the UTF-8 character at `bytes`, 0 if it is none or one that is not printed as it
 * is: U+0080 to U+009F move the cursor of some terminals, U+200E to U+206F change the direction of
 * the text. */
static size_t printable_character(const unsigned char *bytes, size_t size)
{
    static const uint32_t smallest[] = {0, 0, 0xA0, 0x800, 0x10000};
    size_t length = bytes[0] < 0xC2   ? 0
                    : bytes[0] < 0xE0 ? 2
                    : bytes[0] < 0xF0 ? 3
                    : bytes[0] < 0xF5 ? 4
                                      : 0;
    if (bytes[0] >= 0x20 && bytes[0] < 0x7F && bytes[0] != '\\')
        return 1;
    if (length == 0 || length > size)
        return 0;
    uint32_t character = bytes[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (bytes[i] & 0x3Fu);
    }
    if (character < smallest[length] || character > 0x10FFFF)
        return 0;
    if ((character >= 0xD800 && character < 0xE000) || (character >= 0x200E && character < 0x2070))
        return 0;
    return length;
}

/* Writes what stands for the character at `bytes`. Returns how many bytes that is. */
static size_t escape_character(char text[CHARACTER_ROOM], const unsigned char *bytes, size_t size)
{
    size_t length = printable_character(bytes, size);
    memcpy(text, bytes, length);
    text[length] = '\0';
    if (length > 0)
        return length;
    if (*bytes == '\n')
        strcpy(text, "\\n");
    else if (*bytes == '\t')
        strcpy(text, "\\t");
    else if (*bytes == '\\')
        strcpy(text, "\\\\");
    else
        snprintf(text, CHARACTER_ROOM, "\\x%02x", *bytes);
    return 1;
}

void print_escaped(FILE *file, const void *bytes, size_t size)
{
    const unsigned char *rest = bytes;
    char text[CHARACTER_ROOM];
    while (size > 0) {
        size_t used = escape_character(text, rest, size);
        fputs(text, file);
        rest += used;
        size -= used;
    }
}

size_t write_escaped(char *text, size_t room, const void *bytes, size_t size)
{
    const unsigned char *rest = bytes;
    char next[CHARACTER_ROOM];
    size_t length = 0;
    while (size > 0) {
        size_t used = escape_character(next, rest, size);
        if (strlen(next) >= room - length)
            break;
        strcpy(text + length, next);
        length += strlen(next);
        rest += used;
        size -= used;
    }
    text[length] = '\0';
    return length;
}
