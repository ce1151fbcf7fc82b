/* The rank correlations of many lines with the same human scores, and pairs of scores by their kind. */
#include "kernels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are ranked side by side. */
#define LANES 8

/* Put some rows side by side, a place after the other; rows that are not there are 0. */
static inline void interleave_rows(const double *rows, int64_t lanes, int64_t n, double *x) {
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
    interleave_rows(rows, lanes, n, x);
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
        interleave_rows(x + row * n, lanes, n, first);
        interleave_rows(y + row * n, lanes, n, second);
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
