/* SPDX-License-Identifier: MIT */
/* Integers from and to bytes, in a stated order, at any alignment, on every machine. */
#ifndef BLOOMFILTER_SUPPORT_BYTES_H
#define BLOOMFILTER_SUPPORT_BYTES_H

#include <stdint.h>
#include <string.h>

/*
 * Compilers know these sums for a single load, or a swap of bytes; a loop, some do not. So the loads
 * of a fixed size, which hashing is made of, are written out.
 */
static inline uint16_t bytes_load_le16(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

static inline uint32_t bytes_load_le32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline uint64_t bytes_load_le64(const uint8_t *from)
{
    return bytes_load_le32(from) | (uint64_t)bytes_load_le32(from + 4) << 32;
}

/* The bytes of a word in the opposite order: what was loaded little-endian is now big-endian. */
static inline uint64_t bytes_swap64(uint64_t word)
{
    word = (word & 0x00ff00ff00ff00ff) << 8 | (word >> 8 & 0x00ff00ff00ff00ff);
    word = (word & 0x0000ffff0000ffff) << 16 | (word >> 16 & 0x0000ffff0000ffff);
    return word << 32 | word >> 32;
}

static inline uint64_t bytes_load_be64(const uint8_t *from)
{
    return bytes_swap64(bytes_load_le64(from));
}

/* Up to 8 bytes. */
static inline uint64_t bytes_load_le(const uint8_t *from, int size)
{
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | from[i];
    return value;
}

static inline void bytes_store_le(uint8_t *to, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* memcpy forbids a null pointer even for no bytes; an empty key or empty metadata has one. */
static inline void bytes_copy(void *to, const void *from, size_t size)
{
    if (size != 0)
        memcpy(to, from, size);
}

/* The bytes themselves if they fill `room`, else a copy there with zeros behind it. */
static inline const uint8_t *bytes_padded(uint8_t *room, size_t room_size, const uint8_t *from,
                                          size_t size)
{
    if (size >= room_size)
        return from;
    memset(room, 0, room_size);
    bytes_copy(room, from, size);
    return room;
}

/* Whether all bytes are zero. */
static inline int bytes_are_zero(const uint8_t *bytes, size_t size)
{
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    return any == 0;
}

/* Compares in a time that does not tell where two tags differ. */
static inline int bytes_equal_secretly(const uint8_t *a, const uint8_t *b, size_t size)
{
    volatile uint8_t difference = 0;
    for (size_t i = 0; i < size; i++)
        difference = (uint8_t)(difference | (a[i] ^ b[i]));
    return difference == 0;
}

#endif
