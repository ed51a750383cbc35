/* digest.h: XXH3, a 64-bit digest of the bytes that the application sends out and holds, so that replay can compare them.
 *
 * It is no defence against malice: a replay that differs must be noticed, and two different contents collide with
 * probability 2^-64. Pieces are chained by giving the digest so far as the seed; where the pieces were cut matters. */
#ifndef REPRISE_INPUT_DIGEST_H
#define REPRISE_INPUT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

uint64_t input_digest(uint64_t seed, const void *bytes, size_t count);

#endif
