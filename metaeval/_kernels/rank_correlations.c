/* Ranks of scores, the rank correlations of many lines with the same human scores, and pairs of scores by their kind. */
#include "kernels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are ranked side by side. */
#define LANES 8

/* Put some rows side by side, a place after the other; rows that are not there are 0. */
static inline void side_by_side(const double *rows, int64_t lanes, int64_t n, double *x) {
    memset(x, 0, (size_t)(n * LANES) * sizeof *x);
    for (int64_t lane = 0; lane < lanes; lane++) {
        for (int64_t i = 0; i < n; i++) {
            x[i * LANES + lane] = rows[lane * n + i];
        }
    }
}

/* Twice the mid-ranks, centred, of the values of some rows, a place after the other: how many values are below each, less how
   many are above. */
static inline void centred_ranks(const double *rows, int64_t lanes, int64_t n, double *ranks) {
    double x[RANKED_MOST * LANES];
    side_by_side(rows, lanes, n, x);
    memset(ranks, 0, (size_t)(n * LANES) * sizeof *ranks);
    for (int64_t i = 0; i < n; i++) {
        double own[LANES], rank[LANES];
        memcpy(own, x + i * LANES, sizeof own);
        memcpy(rank, ranks + i * LANES, sizeof rank);
        for (int64_t j = i + 1; j < n; j++) {
            for (int lane = 0; lane < LANES; lane++) {
                double other = x[j * LANES + lane];
                double above = (own[lane] > other ? 1.0 : 0.0) - (own[lane] < other ? 1.0 : 0.0);
                rank[lane] += above;
                ranks[j * LANES + lane] -= above;
            }
        }
        memcpy(ranks + i * LANES, rank, sizeof rank);
    }
}

static inline void add_products(const double *x, const double *y, int64_t n, double *sums) {
    for (int64_t i = 0; i < n; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            sums[lane] += x[i * LANES + lane] * y[i * LANES + lane];
        }
    }
}

/* All sums are of whole numbers, and so exact. */
static double coefficient(double of_first, double of_second, double of_both, double cubes, int corrected) {
    if (!corrected) {
        return 1.0 - 1.5 * (of_first + of_second - 2.0 * of_both) / cubes;
    }
    double squares = of_first * of_second;
    double r = squares > 0.0 ? of_both / sqrt(squares) : NAN;
    return r > 1.0 ? 1.0 : r < -1.0 ? -1.0 : r;
}

WIDE int kernel_spearman(
    const double *x, const double *y, int64_t lines, int64_t rows, int64_t n, int corrected, double *found) {
    double first[RANKED_MOST * LANES], second[RANKED_MOST * LANES];
    const double cubes = (double)(n * n * n - n);
    for (int64_t row = 0; row < rows; row += LANES) {
        const int64_t lanes = rows - row < LANES ? rows - row : LANES;
        double of_second[LANES] = {0.0};
        centred_ranks(y + row * n, lanes, n, second);
        add_products(second, second, n, of_second);
        for (int64_t line = 0; line < lines; line++) {
            double of_both[LANES] = {0.0}, of_first[LANES] = {0.0};
            centred_ranks(x + (line * rows + row) * n, lanes, n, first);
            add_products(first, second, n, of_both);
            add_products(first, first, n, of_first);
            for (int64_t lane = 0; lane < lanes; lane++) {
                found[line * rows + row + lane] =
                    coefficient(of_first[lane], of_second[lane], of_both[lane], cubes, corrected);
            }
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

WIDE int kernel_count_pairs(
    const double *x, const double *y, int64_t rows, int64_t n, double epsilon, double gap, int64_t *counts) {
    double first[RANKED_MOST * LANES], second[RANKED_MOST * LANES];
    const double least = gap > 0.0 ? gap : DBL_TRUE_MIN; /* nothing but 0 is below the smallest number */
    const int64_t pairs = n * (n - 1) / 2;
    for (int64_t row = 0; row < rows; row += LANES) {
        const int64_t lanes = rows - row < LANES ? rows - row : LANES;
        /* Of the signs of differences, 0 for ties: whole numbers, so that their sums are exact. */
        double of_first[LANES] = {0.0}, of_second[LANES] = {0.0}, of_both[LANES] = {0.0}, product[LANES] = {0.0};
        side_by_side(x + row * n, lanes, n, first);
        side_by_side(y + row * n, lanes, n, second);
        for (int64_t i = 0; i < n; i++) {
            const double *own_first = first + i * LANES, *own_second = second + i * LANES;
            for (int64_t j = i + 1; j < n; j++) {
                for (int lane = 0; lane < LANES; lane++) {
                    double by_first = first[j * LANES + lane] - own_first[lane];
                    double by_second = second[j * LANES + lane] - own_second[lane];
                    double sign_first = (by_first > epsilon ? 1.0 : 0.0) - (by_first < -epsilon ? 1.0 : 0.0);
                    double sign_second = (by_second >= least ? 1.0 : 0.0) - (by_second <= -least ? 1.0 : 0.0);
                    double both = sign_first * sign_second;
                    product[lane] += both;
                    of_first[lane] += sign_first * sign_first;
                    of_second[lane] += sign_second * sign_second;
                    of_both[lane] += both * both;
                }
            }
        }
        for (int64_t lane = 0; lane < lanes; lane++) {
            int64_t ordered = (int64_t)of_both[lane], concordant = (ordered + (int64_t)product[lane]) / 2;
            int64_t first_tied = (int64_t)of_second[lane] - ordered, second_tied = (int64_t)of_first[lane] - ordered;
            int64_t of_kinds[5] = {
                concordant, ordered - concordant, first_tied, second_tied, pairs - ordered - first_tied - second_tied};
            for (int kind = 0; kind < 5; kind++) {
                counts[kind * rows + row + lane] = of_kinds[kind];
            }
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mixed(uint64_t word) {
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
        start += mixed(bits_of(row[i]) + (uint64_t)(i + 1) * GOLDEN);
    }
    return mixed(start);
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
} Ranked;

#define SIGN (UINT64_C(1) << 63)
/* Words are sorted by two digits of at most so many bits. */
#define DIGIT 11
/* So many places are ranked faster by counting. */
#define FEW 24
/* Numbers that are looked at side by side. */
#define SIDE 8

/* What places are sorted by: as the numbers are ordered, or, among equal ones, what is drawn; of these all differ. */
static uint64_t key_of(const Ranked *ranked, uint32_t place, int are_equal) {
    if (are_equal) {
        return mixed(ranked->start + (place + UINT64_C(1)) * GOLDEN);
    }
    const uint64_t bits = bits_of(ranked->row[place]);
    return bits & SIGN ? ~bits : bits | SIGN;
}

/* Let the order of equal numbers depend on the row. */
static void begin_drawing(Ranked *ranked) {
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

static void rank_few(Ranked *ranked, const uint32_t *places, int64_t n, int64_t before, int are_equal) {
    int64_t keys[FEW], below[FEW], pairs = 0;
    uint64_t differ = 0;
    for (int64_t i = 0; i < n; i++) {
        keys[i] = (int64_t)(key_of(ranked, places[i], are_equal) ^ SIGN); /* in the same order */
        differ |= (uint64_t)(keys[i] ^ keys[0]);
    }
    if (!differ && n > 1) {
        begin_drawing(ranked);
        rank_few(ranked, places, n, before, 1);
        return;
    }
    count_below(keys, n, below);
    for (int64_t i = 0; i < n; i++) {
        pairs += below[i];
    }
    if (pairs < n * (n - 1) / 2) { /* some are equal */
        uint64_t drawn[FEW];
        begin_drawing(ranked);
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
static int digit_of(const Ranked *ranked, int64_t n) {
    int bits = 1;
    while (bits < DIGIT && n >> bits && 2 * bits + 2 <= 32 - ranked->width) {
        bits++;
    }
    return bits;
}

/* Let the places of digits begin behind those of all that are less. */
static void begin(int32_t *counts, int64_t n) {
    int32_t before = 0;
    for (int64_t value = 0; value < n; value++) {
        const int32_t here = counts[value];
        counts[value] = before;
        before += here;
    }
}

static void rank_places(Ranked *ranked, uint32_t *places, int64_t n, int64_t before, int are_equal);

/* Rank words by what stands above their places, in two digits, and then those that these leave together by their keys. */
static void rank_words(Ranked *ranked, uint32_t *words, int64_t n, int64_t before, int are_equal, int bits) {
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
    begin(first, digit + 1);
    begin(second, digit + 1);
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
static void rank_places(Ranked *ranked, uint32_t *places, int64_t n, int64_t before, int are_equal) {
    if (n <= FEW) {
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
        begin_drawing(ranked);
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
    double low[SIDE], high[SIDE];
    for (int k = 0; k < SIDE; k++) {
        low[k] = high[k] = row[0];
    }
    for (int64_t i = 0; i + SIDE <= n; i += SIDE) {
        for (int k = 0; k < SIDE; k++) {
            low[k] = row[i + k] < low[k] ? row[i + k] : low[k];
            high[k] = row[i + k] > high[k] ? row[i + k] : high[k];
        }
    }
    for (int64_t i = n / SIDE * SIDE; i < n; i++) {
        low[0] = row[i] < low[0] ? row[i] : low[0];
        high[0] = row[i] > high[0] ? row[i] : high[0];
    }
    *least = low[0];
    *greatest = high[0];
    for (int k = 1; k < SIDE; k++) {
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
static void rank_row(Ranked *ranked, uint32_t *places) {
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
    int32_t *counts = kernel_memory(2 << DIGIT, sizeof *counts);
    int status = places && counts ? KERNEL_DONE : KERNEL_NO_MEMORY;
    int width = 1;
    while (n >> width) {
        width++;
    }
    for (int64_t row = 0; status == KERNEL_DONE && row < rows; row++) {
        Ranked ranked = {x + row * n, n, start, 0, width, places + n, counts, ranks + row * n};
        rank_row(&ranked, places);
        if (kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(counts);
    free(places);
    return status;
}
