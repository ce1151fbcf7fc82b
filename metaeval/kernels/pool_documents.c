/* What documents add up to: the statistics of their segments. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* Segments whose statistics are added to the sums of a document at once. */
#define AT_ONCE 8

/* Add the rows of a document's segments to its sums, one after the other. Behind the rows of all segments stands one that
   changes no sum. */
#define ADDING(name, type) \
    static inline void name( \
        const type *table, int64_t segments, int64_t width, const int32_t *held, int64_t length, type *restrict sums) { \
        for (int64_t i = 0; i < length; i += AT_ONCE) { \
            const type *row[AT_ONCE]; \
            for (int r = 0; r < AT_ONCE; r++) { \
                row[r] = table + (i + r < length ? held[i + r] : segments) * width; \
            } \
            for (int64_t j = 0; j < width; j++) { \
                sums[j] = (type)(sums[j] + row[0][j] + row[1][j] + row[2][j] + row[3][j] + row[4][j] + row[5][j] + \
                                 row[6][j] + row[7][j]); \
            } \
        } \
    }

ADDING(add_reals, double)
ADDING(add_wholes, uint16_t)

/* What is added to a number below it loses its fraction. */
#define WHOLE 4503599627370496.0

/* Note which statistics are not whole numbers from 0 to `most` in all segments. Return how many. */
static inline int64_t find_statistics_not_whole(
    const double *values, const int64_t *segments, int64_t n_segments, const PooledShape *shape, double most, int64_t *is_real) {
    const int64_t k = shape->statistics;
    int64_t count = 0;
    for (int64_t s = 0; s < shape->systems; s++) {
        for (int64_t i = 0; i < n_segments; i++) {
            const double *row = values + (s * shape->all_segments + segments[i]) * k;
            for (int64_t j = 0; j < k; j++) {
                int64_t whole = (row[j] + WHOLE) - WHOLE == row[j], enough = row[j] >= 0.0, few = row[j] <= most;
                is_real[j] |= !(whole & enough & few);
            }
        }
    }
    for (int64_t j = 0; j < k; j++) {
        count += is_real[j];
    }
    return count;
}

WIDE int kernel_pool_documents(
    const double *values, const int64_t *segments, int64_t n_segments, const int32_t *indices, const PooledShape *shape,
    double *sums) {
    const int64_t k = shape->statistics, systems = shape->systems, documents = shape->documents, length = shape->length;
    /* A sum of one number, or one sum alone, begins with its first number; another one with 0. Only the sign of zero shows it. */
    const double first = length == 1 || documents == 1 ? -0.0 : 0.0;
    int64_t *is_real = kernel_zeros(k, sizeof *is_real);
    if (!is_real || n_segments > INT64_MAX / (systems * k + 16) - 2) {
        free(is_real);
        return KERNEL_NO_MEMORY;
    }
    /* Sums of small whole numbers are exact in 16 bits, of which vectors hold four times as many. They begin with 0. */
    const double most = length > 1 && documents > 1 ? (double)UINT16_MAX / (double)length : -1.0;
    const int64_t n_reals = find_statistics_not_whole(values, segments, n_segments, shape, most, is_real);
    const int64_t of_reals = (n_reals * systems + 3) / 4 * 4, of_wholes = ((k - n_reals) * systems + 15) / 16 * 16;
    double *reals = kernel_zeros((n_segments + 2) * of_reals, sizeof *reals);
    uint16_t *wholes = kernel_zeros((n_segments + 2) * of_wholes, sizeof *wholes);
    int status = reals && wholes ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < n_segments; i++) {
        for (int64_t s = 0; s < systems; s++) {
            const double *row = values + (s * shape->all_segments + segments[i]) * k;
            double *real = reals + i * of_reals + s;
            uint16_t *whole = wholes + i * of_wholes + s;
            for (int64_t j = 0; j < k; j++) {
                if (is_real[j]) {
                    *real = row[j];
                    real += systems;
                } else {
                    *whole = (uint16_t)row[j];
                    whole += systems;
                }
            }
        }
    }
    for (int64_t j = 0; status == KERNEL_DONE && j < of_reals; j++) {
        reals[n_segments * of_reals + j] = -0.0;
    }
    for (int64_t d = 0; status == KERNEL_DONE && d < documents; d++) {
        double *real = reals + (n_segments + 1) * of_reals;
        uint16_t *whole = wholes + (n_segments + 1) * of_wholes;
        for (int64_t j = 0; j < of_reals; j++) {
            real[j] = first;
        }
        memset(whole, 0, (size_t)of_wholes * sizeof *whole);
        add_reals(reals, n_segments, of_reals, indices + d * length, length, real);
        add_wholes(wholes, n_segments, of_wholes, indices + d * length, length, whole);
        for (int64_t j = 0; j < k; j++) {
            double *found = sums + (j * documents + d) * systems;
            for (int64_t s = 0; s < systems; s++) {
                found[s] = is_real[j] ? real[s] : whole[s];
            }
            real += is_real[j] ? systems : 0;
            whole += is_real[j] ? 0 : systems;
        }
        status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
    }
    free(is_real);
    free(reals);
    free(wholes);
    return status;
}
