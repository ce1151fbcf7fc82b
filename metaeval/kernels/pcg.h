#ifndef METAEVAL_PCG_H
#define METAEVAL_PCG_H

#include <stdint.h>

/* PCG64 as numpy has it (O'Neill 2014): the state in words of 64 bits, so that no compiler needs one of 128. */
typedef struct {
    uint64_t high, low, step_high, step_low;
} Pcg;

#define MULTIPLIER_HIGH UINT64_C(2549297995355413924)
#define MULTIPLIER_LOW UINT64_C(4865540595714422341)

static inline uint64_t product_high(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 Wide;
    return (uint64_t)((Wide)a * b >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

static inline void advance(Pcg *pcg) {
    uint64_t low = pcg->low * MULTIPLIER_LOW;
    uint64_t high = product_high(pcg->low, MULTIPLIER_LOW) + pcg->high * MULTIPLIER_LOW + pcg->low * MULTIPLIER_HIGH;
    pcg->low = low + pcg->step_low;
    pcg->high = high + pcg->step_high + (pcg->low < low);
}

/* The next uniform number, from 0 to below 1, is UNIFORM times this one. */
#define UNIFORM (1.0 / 9007199254740992.0)

static inline double next_whole(Pcg *pcg) {
    advance(pcg);
    unsigned turn = (unsigned)(pcg->high >> 58);
    uint64_t word = pcg->high ^ pcg->low;
    word = word >> turn | word << (-turn & 63);
    return (double)(int64_t)(word >> 11);
}

#endif
