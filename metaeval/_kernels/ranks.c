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

typedef struct {
    uint64_t key;
    int64_t place;
} Entry;

/* Sort entries by the upper bits of their keys, from `shift` on, equal ones in the order that they have; `other` has as much
   room. */
static void sort_from(Entry *entries, Entry *other, int64_t n, int shift) {
    int32_t counts[8][256];
    memset(counts[shift / 8], 0, (size_t)(8 - shift / 8) * sizeof *counts);
    for (int64_t i = 0; i < n; i++) {
        for (int digit = shift / 8; digit < 8; digit++) {
            counts[digit][entries[i].key >> 8 * digit & 255]++;
        }
    }
    Entry *from = entries, *to = other;
    for (int digit = shift / 8; digit < 8; digit++) {
        int32_t *ends = counts[digit], before = 0;
        if (ends[from[0].key >> 8 * digit & 255] == n) {
            continue; /* all have the same digit */
        }
        for (int value = 0; value < 256; value++) {
            int32_t here = ends[value];
            ends[value] = before;
            before += here;
        }
        for (int64_t i = 0; i < n; i++) {
            to[ends[from[i].key >> 8 * digit & 255]++] = from[i];
        }
        Entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) {
        memcpy(entries, from, (size_t)n * sizeof *from);
    }
}

/* So many entries are sorted faster one by one. */
#define FEW 24

static void sort_few(Entry *entries, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        Entry own = entries[i];
        int64_t place = i;
        for (; place > 0 && entries[place - 1].key > own.key; place--) {
            entries[place] = entries[place - 1];
        }
        entries[place] = own;
    }
}

/* Sort entries by their keys, equal ones in the order that they have: by the bits from `shift` on, which tell most of them
   apart, and then those that these leave together. */
static void sort_entries(Entry *entries, Entry *other, int64_t n, int shift) {
    if (n <= FEW) {
        sort_few(entries, n);
        return;
    }
    sort_from(entries, other, n, shift);
    for (int64_t first = 0, end; first < n; first = end) {
        int differ = 0;
        for (end = first + 1; end < n && entries[end].key >> shift == entries[first].key >> shift; end++) {
            differ |= entries[end].key != entries[first].key;
        }
        if (differ && end - first <= FEW) {
            sort_few(entries + first, end - first);
        } else if (differ) {
            sort_from(entries + first, other, end - first, 0);
        }
    }
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

/* Put the entries of equal numbers, which stand in a run, in an order that is drawn. */
static void sort_runs(Entry *entries, Entry *other, const double *row, int64_t n, uint64_t start) {
    int is_started = 0;
    for (int64_t first = 0, end; first < n; first = end) {
        const uint64_t key = entries[first].key;
        for (end = first + 1; end < n && entries[end].key == key; end++) {
        }
        if (end - first < 2) {
            continue;
        }
        if (!is_started) {
            start = start_of_row(row, n, start);
            is_started = 1;
        }
        for (int64_t i = first; i < end; i++) {
            entries[i].key = mixed(start + (uint64_t)(entries[i].place + 1) * GOLDEN);
        }
        sort_entries(entries + first, other, end - first, 48);
    }
}

int kernel_ordinal_ranks(const double *x, int64_t rows, int64_t n, uint64_t start, double *ranks) {
    const uint64_t sign = UINT64_C(1) << 63;
    Entry *entries = kernel_memory(2 * n, sizeof *entries);
    if (!entries) {
        return KERNEL_NO_MEMORY;
    }
    int status = KERNEL_DONE;
    for (int64_t row = 0; status == KERNEL_DONE && row < rows; row++) {
        const double *own = x + row * n;
        for (int64_t i = 0; i < n; i++) {
            uint64_t bits = bits_of(own[i]);
            entries[i] = (Entry){bits & sign ? ~bits : bits | sign, i}; /* as the numbers are ordered */
        }
        sort_entries(entries, entries + n, n, 32);
        sort_runs(entries, entries + n, own, n, start);
        for (int64_t i = 0; i < n; i++) {
            ranks[row * n + entries[i].place] = (double)(i + 1);
        }
        if (kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(entries);
    return status;
}
