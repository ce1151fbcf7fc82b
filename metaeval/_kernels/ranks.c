/* Ranks of scores, and the rank correlations of many lines with the same human scores. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are ranked side by side. */
#define LANES 8

/* Twice the mid-ranks, centred, of the values of some rows, a place after the other: how many values are below each, less how
   many are above. */
static void centred_ranks(const double *rows, int64_t lanes, int64_t n, double *ranks) {
    double x[SPEARMAN_MOST * LANES] = {0.0};
    for (int64_t lane = 0; lane < lanes; lane++) {
        for (int64_t i = 0; i < n; i++) {
            x[i * LANES + lane] = rows[lane * n + i];
        }
    }
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

static void add_products(const double *x, const double *y, int64_t n, double *sums) {
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

int kernel_spearman(
    const double *x, const double *y, int64_t lines, int64_t rows, int64_t n, int corrected, double *found) {
    double first[SPEARMAN_MOST * LANES], second[SPEARMAN_MOST * LANES];
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

static uint64_t mixed(uint64_t word) {
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

typedef struct {
    uint64_t key;
    int64_t place;
} Entry;

/* Sort entries by their keys, equal ones in the order that they have; `other` has as much room. */
static void sort_entries(Entry *entries, Entry *other, int64_t n) {
    Entry *from = entries, *to = other;
    for (int shift = 0; shift < 64; shift += 8) {
        int64_t ends[256] = {0};
        for (int64_t i = 0; i < n; i++) {
            ends[from[i].key >> shift & 255]++;
        }
        if (ends[from[0].key >> shift & 255] == n) {
            continue; /* all have the same digit */
        }
        int64_t before = 0;
        for (int digit = 0; digit < 256; digit++) {
            int64_t here = ends[digit];
            ends[digit] = before;
            before += here;
        }
        for (int64_t i = 0; i < n; i++) {
            to[ends[from[i].key >> shift & 255]++] = from[i];
        }
        Entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) {
        memcpy(entries, from, (size_t)n * sizeof *from);
    }
}

int kernel_ordinal_ranks(const double *x, int64_t rows, int64_t n, uint64_t start, double *ranks) {
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15), sign = UINT64_C(1) << 63;
    Entry *entries = kernel_memory(2 * n, sizeof *entries);
    if (!entries) {
        return KERNEL_NO_MEMORY;
    }
    int status = KERNEL_DONE;
    for (int64_t row = 0; status == KERNEL_DONE && row < rows; row++) {
        const double *own = x + row * n;
        uint64_t vector = start;
        for (int64_t i = 0; i < n; i++) {
            double value = own[i] + 0.0; /* 0 and -0 are equal numbers, and become equal bits */
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            vector += mixed(bits + (uint64_t)(i + 1) * golden);
        }
        vector = mixed(vector);
        for (int64_t i = 0; i < n; i++) {
            entries[i] = (Entry){mixed(vector + (uint64_t)(i + 1) * golden), i};
        }
        sort_entries(entries, entries + n, n);
        for (int64_t i = 0; i < n; i++) {
            double value = own[entries[i].place] + 0.0;
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            entries[i].key = bits & sign ? ~bits : bits | sign; /* as the numbers are ordered */
        }
        sort_entries(entries, entries + n, n);
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
