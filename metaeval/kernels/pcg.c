/* The states of generators of numpy, from the words that they are seeded with. */
#include "kernels.h"
#include "pcg.h"

/* numpy's SeedSequence, after O'Neill (2015, Developing a seed_seq alternative): how many words are mixed together. */
#define POOL 4

static uint32_t hash_word(uint32_t value, uint32_t *constant, uint32_t multiplier) {
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mix_words(uint32_t one, uint32_t other) {
    uint32_t found = UINT32_C(0xca01f9dd) * one - UINT32_C(0x4973f715) * other;
    return found ^ found >> 16;
}

void kernel_seed_generators(const uint32_t *words, int64_t streams, int64_t n_words, uint64_t *states) {
    const uint32_t multiplier = UINT32_C(0x931e8875);
    for (int64_t stream = 0; stream < streams; stream++) {
        const uint32_t *own = words + stream * n_words;
        uint32_t pool[POOL], constant = UINT32_C(0x43b0d7e5);
        for (int64_t i = 0; i < POOL; i++) {
            pool[i] = hash_word(i < n_words ? own[i] : 0, &constant, multiplier);
        }
        for (int from = 0; from < POOL; from++) {
            for (int to = 0; to < POOL; to++) {
                if (to != from) {
                    pool[to] = mix_words(pool[to], hash_word(pool[from], &constant, multiplier));
                }
            }
        }
        for (int64_t i = POOL; i < n_words; i++) {
            for (int to = 0; to < POOL; to++) {
                pool[to] = mix_words(pool[to], hash_word(own[i], &constant, multiplier));
            }
        }
        uint64_t seeds[4];
        constant = UINT32_C(0x8b51f9dd);
        for (int i = 0; i < 4; i++) {
            uint64_t low = hash_word(pool[2 * i % POOL], &constant, UINT32_C(0x58f38ded));
            seeds[i] = low | (uint64_t)hash_word(pool[(2 * i + 1) % POOL], &constant, UINT32_C(0x58f38ded)) << 32;
        }
        Pcg pcg = {0, 0, seeds[2] << 1 | seeds[3] >> 63, seeds[3] << 1 | 1};
        advance(&pcg);
        pcg.low += seeds[1];
        pcg.high += seeds[0] + (pcg.low < seeds[1]);
        advance(&pcg);
        uint64_t *state = states + 4 * stream;
        state[0] = pcg.high, state[1] = pcg.low, state[2] = pcg.step_high, state[3] = pcg.step_low;
    }
}
