/* Differences of systems as p-values of the normal distribution, and how far those of two sides are apart. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_BETWEEN_CHECKS 64

/* The distribution function from its table, which kernels.h describes: a polynomial about the nearest node. */
static inline double normal_distribution(double z, const double *table) {
    const double end = (double)NORMAL_MIDDLE / NORMAL_STEPS;
    z = z > -end ? z : -end;
    z = z < end ? z : end;
    int64_t node = (int64_t)(z * NORMAL_STEPS + (NORMAL_MIDDLE + 0.5));
    double t = z - (double)(node - NORMAL_MIDDLE) * (1.0 / NORMAL_STEPS);
    const double *c = table + node * NORMAL_TERMS;
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
}

/* Write the p-values of a row of scores; return whether all of these are numbers. */
static int p_values_of(const double *scores, const double *scale, const double *table, int64_t systems, double *p) {
    double sum = 0.0;
    for (int64_t i = 0; i < systems; i++) {
        sum += scores[i] - scores[i];
        for (int64_t j = i + 1; j < systems; j++) {
            *p++ = normal_distribution((scores[i] - scores[j]) * *scale++, table);
        }
    }
    return sum == 0.0;
}

int kernel_p_value_agreement(
    const double *x, const double *y, const double *x_scale, const double *y_scale, const double *table, int64_t lines,
    int64_t rows, int64_t systems, double *agreement) {
    int64_t pairs = systems * (systems - 1) / 2;
    double *p = kernel_memory(2 * pairs, sizeof(double));
    if (!p) {
        return KERNEL_NO_MEMORY;
    }
    double *q = p + pairs;
    for (int64_t row = 0; row < rows; row++) {
        int known = p_values_of(y + row * systems, y_scale, table, systems, p);
        for (int64_t line = 0; line < lines; line++) {
            int both = p_values_of(x + (line * rows + row) * systems, x_scale + line * pairs, table, systems, q) && known;
            double apart = 0.0;
            for (int64_t i = 0; i < pairs; i++) {
                apart += fabs(p[i] - q[i]);
            }
            agreement[line * rows + row] = both ? 1.0 - apart / (double)pairs : NAN;
        }
        if (row % ROWS_BETWEEN_CHECKS == 0 && kernel_interrupted()) {
            free(p);
            return KERNEL_INTERRUPTED;
        }
    }
    free(p);
    return KERNEL_DONE;
}
