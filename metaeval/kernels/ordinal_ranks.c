/* Ranks of scores, of which equal ones stand in a random order. */
#include "kernels.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix_bits(uint64_t word) {
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

/* 0 and -0 are equal numbers, and become equal bits. */
static uint64_t bits_of(double value) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t start_of_row(const double *row, int64_t n, uint64_t start) {
    for (int64_t i = 0; i < n; i++) {
        start += mix_bits(bits_of(row[i]) + (uint64_t)(i + 1) * GOLDEN);
    }
    return mix_bits(start);
}

/* A row whose numbers are ranked. */
typedef struct {
    const double *row;
    int64_t n;
    uint64_t start; /* of what the order of equal numbers is drawn from, once it is of this row */
    int is_of_row;
    int width; /* the bits of a place; in a word those above have a part of what it is sorted by */
    uint32_t *other;
    int32_t *counts;
    double *ranks;
} RowToRank;

#define SIGN (UINT64_C(1) << 63)
/* Words are sorted by two digits of at most so many bits. */
#define DIGIT_BITS 11
/* So many places are ranked faster by counting. */
#define FEW_PLACES 24
/* Numbers that are looked at side by side. */
#define LANES_OF_RANGE 8

/* What places are sorted by: as the numbers are ordered, or, among equal ones, what is drawn; of these all differ. */
static uint64_t key_of(const RowToRank *ranked, uint32_t place, int are_equal) {
    if (are_equal) {
        return mix_bits(ranked->start + (place + UINT64_C(1)) * GOLDEN);
    }
    const uint64_t bits = bits_of(ranked->row[place]);
    return bits & SIGN ? ~bits : bits | SIGN;
}

/* Let the order of equal numbers depend on the row. */
static void begin_drawing_order(RowToRank *ranked) {
    if (!ranked->is_of_row) {
        ranked->start = start_of_row(ranked->row, ranked->n, ranked->start);
        ranked->is_of_row = 1;
    }
}

/* How many of n keys are below each. */
WIDE static void count_below(const int64_t *keys, int64_t n, int64_t *below) {
    for (int64_t i = 0; i < n; i++) {
        const int64_t own = keys[i];
        int64_t less = 0;
        for (int64_t j = 0; j < n; j++) {
            less += keys[j] < own;
        }
        below[i] = less;
    }
}

static void rank_few(RowToRank *ranked, const uint32_t *places, int64_t n, int64_t before, int are_equal) {
    int64_t keys[FEW_PLACES], below[FEW_PLACES], pairs = 0;
    uint64_t differ = 0;
    for (int64_t i = 0; i < n; i++) {
        keys[i] = (int64_t)(key_of(ranked, places[i], are_equal) ^ SIGN); /* in the same order */
        differ |= (uint64_t)(keys[i] ^ keys[0]);
    }
    if (!differ && n > 1) {
        begin_drawing_order(ranked);
        rank_few(ranked, places, n, before, 1);
        return;
    }
    count_below(keys, n, below);
    for (int64_t i = 0; i < n; i++) {
        pairs += below[i];
    }
    if (pairs < n * (n - 1) / 2) { /* some are equal */
        uint64_t drawn[FEW_PLACES];
        begin_drawing_order(ranked);
        for (int64_t i = 0; i < n; i++) {
            drawn[i] = key_of(ranked, places[i], 1);
        }
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                below[i] += (keys[j] == keys[i]) & (drawn[j] < drawn[i]);
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        ranked->ranks[places[i]] = (double)(before + below[i] + 1);
    }
}

/* The bits of a digit by which n places are sorted. */
static int digit_of(const RowToRank *ranked, int64_t n) {
    int bits = 1;
    while (bits < DIGIT_BITS && n >> bits && 2 * bits + 2 <= 32 - ranked->width) {
        bits++;
    }
    return bits;
}

/* Let the places of digits begin behind those of all that are less. */
static void accumulate_counts(int32_t *counts, int64_t n) {
    int32_t before = 0;
    for (int64_t value = 0; value < n; value++) {
        const int32_t here = counts[value];
        counts[value] = before;
        before += here;
    }
}

static void rank_places(RowToRank *ranked, uint32_t *places, int64_t n, int64_t before, int are_equal);

/* Rank words by what stands above their places, in two digits, and then those that these leave together by their keys. */
static void rank_words(RowToRank *ranked, uint32_t *words, int64_t n, int64_t before, int are_equal, int bits) {
    const int width = ranked->width;
    const uint32_t digit = (UINT32_C(1) << bits) - 1, place = (UINT32_C(1) << width) - 1;
    int32_t *first = ranked->counts, *second = first + digit + 1;
    uint32_t *other = ranked->other;
    double *ranks = ranked->ranks;
    memset(first, 0, (size_t)(2 * (digit + 1)) * sizeof *first);
    for (int64_t i = 0; i < n; i++) {
        first[words[i] >> width & digit]++;
        second[words[i] >> (width + bits)]++;
    }
    accumulate_counts(first, digit + 1);
    accumulate_counts(second, digit + 1);
    for (int64_t i = 0; i < n; i++) {
        other[first[words[i] >> width & digit]++] = words[i];
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t at = second[other[i] >> (width + bits)]++;
        words[at] = other[i];
        ranks[other[i] & place] = (double)(before + at + 1);
    }
    for (int64_t start = 0, end; start < n; start = end) {
        const uint32_t part = words[start] >> width;
        end = start + 1;
        if (end == n || words[end] >> width != part) {
            continue;
        }
        for (end = start; end < n && words[end] >> width == part; end++) {
            words[end] &= place;
        }
        rank_places(ranked, words + start, end - start, before + start, are_equal);
    }
}

/* Rank places by the highest bits in which their keys differ. */
static void rank_places(RowToRank *ranked, uint32_t *places, int64_t n, int64_t before, int are_equal) {
    if (n <= FEW_PLACES) {
        rank_few(ranked, places, n, before, are_equal);
        return;
    }
    uint64_t low = UINT64_MAX, high = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = key_of(ranked, places[i], are_equal);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    if (low == high) {
        begin_drawing_order(ranked);
        rank_places(ranked, places, n, before, 1);
        return;
    }
    const int bits = digit_of(ranked, n);
    int shift = 0;
    while ((high - low) >> shift >> 2 * bits) {
        shift++;
    }
    for (int64_t i = 0; i < n; i++) {
        places[i] |= (uint32_t)((key_of(ranked, places[i], are_equal) - low) >> shift) << ranked->width;
    }
    rank_words(ranked, places, n, before, are_equal, bits);
}

/* The least and the greatest number of a row. */
WIDE static void range_of(const double *row, int64_t n, double *least, double *greatest) {
    double low[LANES_OF_RANGE], high[LANES_OF_RANGE];
    for (int k = 0; k < LANES_OF_RANGE; k++) {
        low[k] = high[k] = row[0];
    }
    for (int64_t i = 0; i + LANES_OF_RANGE <= n; i += LANES_OF_RANGE) {
        for (int k = 0; k < LANES_OF_RANGE; k++) {
            low[k] = row[i + k] < low[k] ? row[i + k] : low[k];
            high[k] = row[i + k] > high[k] ? row[i + k] : high[k];
        }
    }
    for (int64_t i = n / LANES_OF_RANGE * LANES_OF_RANGE; i < n; i++) {
        low[0] = row[i] < low[0] ? row[i] : low[0];
        high[0] = row[i] > high[0] ? row[i] : high[0];
    }
    *least = low[0];
    *greatest = high[0];
    for (int k = 1; k < LANES_OF_RANGE; k++) {
        *least = low[k] < *least ? low[k] : *least;
        *greatest = high[k] > *greatest ? high[k] : *greatest;
    }
}

/* The words of all places of a row; a number that is none is as the least. */
WIDE static void words_of(const double *row, int64_t n, double low, double scale, int width, uint32_t *words) {
    for (int64_t i = 0; i < n; i++) {
        const double above = (row[i] - low) * scale;
        words[i] = (uint32_t)(int32_t)(above > 0.0 ? above : 0.0) << width | (uint32_t)i;
    }
}

/* Rank the places of a row by where their numbers stand between the least and the greatest. */
static void rank_row(RowToRank *ranked, uint32_t *places) {
    const int bits = digit_of(ranked, ranked->n);
    double low, high;
    range_of(ranked->row, ranked->n, &low, &high);
    const double scale = ((double)(UINT32_C(1) << 2 * bits) - 2.0) / (high - low);
    if (scale > 0.0 && scale <= DBL_MAX) {
        words_of(ranked->row, ranked->n, low, scale, ranked->width, places);
        rank_words(ranked, places, ranked->n, 0, 0, bits);
        return;
    }
    for (int64_t i = 0; i < ranked->n; i++) {
        places[i] = (uint32_t)i;
    }
    rank_places(ranked, places, ranked->n, 0, 0);
}

int kernel_ordinal_ranks(const double *x, int64_t rows, int64_t n, uint64_t start, double *ranks) {
    uint32_t *places = kernel_memory(2 * n, sizeof *places);
    int32_t *counts = kernel_memory(2 << DIGIT_BITS, sizeof *counts);
    int status = places && counts ? KERNEL_DONE : KERNEL_NO_MEMORY;
    int width = 1;
    while (n >> width) {
        width++;
    }
    for (int64_t row = 0; status == KERNEL_DONE && row < rows; row++) {
        RowToRank ranked = {x + row * n, n, start, 0, width, places + n, counts, ranks + row * n};
        rank_row(&ranked, places);
        if (kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(counts);
    free(places);
    return status;
}
