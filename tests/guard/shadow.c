/* SPDX-License-Identifier: MIT */
/* Stands in the way of libb2, as another library with the same names does: preloaded by the test. */
#include <blake2.h>
#include <string.h>

int blake2b_init_param(blake2b_state *state, const blake2b_param *parameters)
{
    memset(state, 0, sizeof *state);
    state->outlen = parameters->digest_length;
    return 0;
}

int blake2b_update(blake2b_state *state, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        state->h[i % 8] = state->h[i % 8] * 31 + bytes[i];
    return 0;
}

int blake2b_final(blake2b_state *state, uint8_t *digest, size_t size)
{
    memcpy(digest, state->h, size);
    return 0;
}
