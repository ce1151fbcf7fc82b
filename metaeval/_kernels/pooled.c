/* What documents add up to: the statistics of their segments, or a judgment of each that is drawn; and the rounding of sums. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sum of one number, or one sum alone, begins with its first number; another one with 0. Only the sign of zero shows it. */
static double beginning(int64_t sums, int64_t length) {
    return length == 1 || sums == 1 ? -0.0 : 0.0;
}

/* Columns that are summed at once: their sums stay in registers. */
#define COLUMNS 8

static void add_rows(const double *table, int64_t width, const int32_t *held, int64_t length, double first, double *sums) {
    double sum[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) {
        sum[j] = first;
    }
    for (int64_t i = 0; i < length; i++) {
        const double *row = table + held[i] * width;
        for (int j = 0; j < COLUMNS; j++) {
            sum[j] += row[j];
        }
    }
    memcpy(sums, sum, sizeof sum);
}

int kernel_pool(
    const double *values, const int64_t *segments, int64_t n_segments, const int32_t *indices, const PooledShape *shape,
    double *sums) {
    const int64_t k = shape->statistics, used = shape->systems * k, width = (used + COLUMNS - 1) / COLUMNS * COLUMNS;
    const double first = beginning(shape->documents, shape->length);
    /* The statistics of a segment side by side, and room for what the last columns of a document add up to. */
    double *table = n_segments < INT64_MAX / width ? kernel_zeros((n_segments + 1) * width, sizeof *table) : NULL;
    if (!table) {
        return KERNEL_NO_MEMORY;
    }
    double *spare = table + n_segments * width;
    for (int64_t i = 0; i < n_segments; i++) {
        for (int64_t s = 0; s < shape->systems; s++) {
            memcpy(table + i * width + s * k, values + (s * shape->all_segments + segments[i]) * k, (size_t)k * sizeof *table);
        }
    }
    int status = KERNEL_DONE;
    for (int64_t d = 0; status == KERNEL_DONE && d < shape->documents; d++) {
        const int32_t *held = indices + d * shape->length;
        int64_t column = 0;
        for (; column + COLUMNS <= used; column += COLUMNS) {
            add_rows(table + column, width, held, shape->length, first, sums + d * used + column);
        }
        if (column < used) {
            add_rows(table + column, width, held, shape->length, first, spare);
            memcpy(sums + d * used + column, spare, (size_t)(used - column) * sizeof *sums);
        }
        status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
    }
    free(table);
    return status;
}

/* PCG64 as numpy has it (O'Neill 2014): the state in words of 64 bits, so that no compiler needs one of 128. */
typedef struct {
    uint64_t high, low, step_high, step_low;
} Pcg;

#define MULTIPLIER_HIGH UINT64_C(2549297995355413924)
#define MULTIPLIER_LOW UINT64_C(4865540595714422341)

static uint64_t product_high(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 Wide;
    return (uint64_t)((Wide)a * b >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* The next uniform number, from 0 to below 1. */
static inline double next_uniform(Pcg *pcg) {
    uint64_t low = pcg->low * MULTIPLIER_LOW;
    uint64_t high = product_high(pcg->low, MULTIPLIER_LOW) + pcg->high * MULTIPLIER_LOW + pcg->low * MULTIPLIER_HIGH;
    pcg->low = low + pcg->step_low;
    pcg->high = high + pcg->step_high + (pcg->low < low);
    unsigned turn = (unsigned)(pcg->high >> 58);
    uint64_t word = pcg->high ^ pcg->low;
    word = word >> turn | word << (-turn & 63);
    return (double)(int64_t)(word >> 11) * (1.0 / 9007199254740992.0);
}

/* An item without judgments adds nothing. */
int kernel_draw_judged(
    const uint64_t *states, const int32_t *segments, const int64_t *starts, const int64_t *counts, const double *values,
    const PooledShape *shape, int32_t *chosen, double *sums, double *numbers) {
    const double beginning_sum = beginning(shape->documents * shape->systems, shape->length);
    const int64_t systems = shape->systems, length = shape->length, size = shape->documents * systems;
    for (int64_t s = 0; s < systems; s++) {
        Pcg pcg;
        memcpy(&pcg, states + 4 * s, sizeof pcg);
        const int64_t *start = starts + s * shape->all_segments, *count = counts + s * shape->all_segments;
        for (int part = 0; part < (chosen ? 2 : 1); part++) {
            for (int64_t d = 0; d < shape->documents; d++) {
                const int32_t *held = segments + d * length;
                double sum = beginning_sum;
                int64_t n = 0;
                for (int64_t i = 0; i < length; i++) {
                    int64_t of_item = count[held[i]];
                    double uniform = next_uniform(&pcg);
                    int64_t place;
                    if (part) {
                        int64_t other = chosen[d * length + i] + 1 + (int64_t)(uniform * (double)(of_item - 1));
                        place = other >= of_item ? other - of_item : other; /* it is below twice as many */
                    } else {
                        place = (int64_t)(uniform * (double)of_item);
                        if (chosen) {
                            chosen[d * length + i] = (int32_t)place;
                        }
                    }
                    sum += of_item > 0 ? values[start[held[i]] + place] : 0.0;
                    n += of_item > 0;
                }
                sums[part * size + d * systems + s] = sum;
                numbers[part * size + d * systems + s] = (double)n;
            }
            if (kernel_interrupted()) {
                return KERNEL_INTERRUPTED;
            }
        }
    }
    return KERNEL_DONE;
}

static double settled(double score, int exponent) {
    double found = ldexp(rint(ldexp(score, 40 - exponent)), exponent - 40);
    return isfinite(found) ? found : score;
}

static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double found;
    memcpy(&found, &bits, sizeof found);
    return found;
}

void kernel_settle(const double *scores, int64_t n, const double *scales, int64_t n_scales, double *found) {
    const double far = 4503599627370496.0; /* 2 to the power of 52: what is added to it loses its fraction */
    int exponent = 0;
    if (n_scales == 1) {
        (void)frexp(scales[0], &exponent);
    }
    if (n_scales == 1 && exponent > -900 && exponent < 900) {
        const double up = power_of_two(40 - exponent), down = power_of_two(exponent - 40);
        int plain = 1;
        for (int64_t i = 0; i < n; i++) {
            double x = scores[i] * up, size = fabs(x);
            found[i] = copysign((size + far) - far, x) * down;
            plain &= size < far; /* not so where it is no number */
        }
        if (plain) {
            return;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        if (n_scales > 1) {
            exponent = 0;
            (void)frexp(scales[i], &exponent);
        }
        found[i] = settled(scores[i], exponent);
    }
}
