/* Running sums in bootstrap replicates: how high they rise. */
#include "kernels.h"

#include <stdlib.h>

/* Replicates that are summed side by side: their sums stay in registers, and what the rows weigh in them in a cache. */
#define LANES 8
#define STEPS_BETWEEN_CHECKS 65536

/* What each row weighs in some replicates, (rows, LANES); replicates that are not there have zeros. */
static void weigh_rows(
    const double *values, const uint16_t *counts, int64_t replicates, int64_t rows, double *table) {
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t lane = 0; lane < LANES; lane++) {
            table[i * LANES + lane] = lane < replicates ? values[i] * counts[lane * rows + i] : 0.0;
        }
    }
}

static void add_steps(const int32_t *steps, int64_t n_steps, const double *table, double *sums, double *largest) {
    double sum[LANES], most[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        sum[lane] = sums[lane];
        most[lane] = largest[lane];
    }
    for (int64_t i = 0; i < n_steps; i++) {
        int down = steps[i] < 0;
        const double sign = down ? -1.0 : 1.0;
        const double *row = table + (int64_t)(down ? ~steps[i] : steps[i]) * LANES;
        for (int lane = 0; lane < LANES; lane++) {
            sum[lane] += sign * row[lane]; /* the product is exact */
            most[lane] = sum[lane] > most[lane] ? sum[lane] : most[lane];
        }
    }
    for (int lane = 0; lane < LANES; lane++) {
        sums[lane] = sum[lane];
        largest[lane] = most[lane];
    }
}

int kernel_largest_running_sums(
    const int32_t *steps, int64_t n_steps, const double *starts, const double *weights, const uint16_t *counts,
    int64_t replicates, int64_t rows, double *largest) {
    if (rows > INT64_MAX / LANES) {
        return KERNEL_NO_MEMORY;
    }
    double *table = kernel_memory(rows * LANES, sizeof(double));
    if (!table) {
        return KERNEL_NO_MEMORY;
    }
    int status = KERNEL_DONE;
    for (int64_t first = 0; status == KERNEL_DONE && first < replicates; first += LANES) {
        int64_t lanes = replicates - first < LANES ? replicates - first : LANES;
        double sums[LANES] = {0.0}, most[LANES];
        weigh_rows(starts, counts + first * rows, lanes, rows, table);
        for (int64_t i = 0; i < rows; i++) {
            for (int lane = 0; lane < LANES; lane++) {
                sums[lane] += table[i * LANES + lane];
            }
        }
        for (int lane = 0; lane < LANES; lane++) {
            most[lane] = sums[lane];
        }
        weigh_rows(weights, counts + first * rows, lanes, rows, table);
        for (int64_t i = 0; status == KERNEL_DONE && i < n_steps; i += STEPS_BETWEEN_CHECKS) {
            int64_t left = n_steps - i;
            add_steps(steps + i, left < STEPS_BETWEEN_CHECKS ? left : STEPS_BETWEEN_CHECKS, table, sums, most);
            if (kernel_interrupted()) {
                status = KERNEL_INTERRUPTED;
            }
        }
        for (int64_t lane = 0; lane < lanes; lane++) {
            largest[first + lane] = most[lane];
        }
    }
    free(table);
    return status;
}
