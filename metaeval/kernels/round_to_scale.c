/* The rounding of sums, so that sums of equal numbers in another order are equal. */
#include "kernels.h"

#include <math.h>
#include <string.h>

/* What is added to a number below it loses its fraction. */
#define WHOLE 4503599627370496.0

static double rounded_exactly(double score, int exponent) {
    double found = ldexp(rint(ldexp(score, 40 - exponent)), exponent - 40);
    return isfinite(found) ? found : score;
}

/* The words of two powers of two: what a score is multiplied by before and after it is rounded, from the word of its scale.
   `far` becomes more than 0 where the scale is very small or great. */
static inline void powers_of_scale(uint64_t word, uint64_t *up, uint64_t *down, uint64_t *far) {
    uint64_t exponent = word << 1 ? word >> 52 & 2047 : 1022; /* 1022 more than that of frexp */
    *far |= (exponent - 123) >> 11 | (1921 - exponent) >> 11; /* below 123, or above 1921 */
    *up = (2085 - exponent) << 52;
    *down = (exponent - 39) << 52;
}

/* Return a score rounded by sums alone; `small` becomes 0 where that does not do: it is much greater than its scale, or no
   number. */
static inline double rounded_by_sums(double score, double up, double down, int *small) {
    double x = score * up, size = fabs(x);
    *small &= size < WHOLE;
    return copysign((size + WHOLE) - WHOLE, x) * down;
}

/* Scores that are rounded in one way or the other. */
#define SCORES_AT_ONCE 256

WIDE void kernel_round_to_scale(const double *scores, int64_t n, const double *scales, int64_t n_scales, double *found) {
    for (int64_t start = 0; start < n; start += SCORES_AT_ONCE) {
        const int64_t some = n - start < SCORES_AT_ONCE ? n - start : SCORES_AT_ONCE, of_each = n_scales > 1 ? some : 1;
        uint64_t words[SCORES_AT_ONCE], ups[SCORES_AT_ONCE], downs[SCORES_AT_ONCE], far = 0;
        double up[SCORES_AT_ONCE], down[SCORES_AT_ONCE];
        int small = 1;
        memcpy(words, scales + (n_scales > 1 ? start : 0), (size_t)of_each * sizeof *words);
        for (int64_t i = 0; i < of_each; i++) {
            powers_of_scale(words[i], ups + i, downs + i, &far);
        }
        memcpy(up, ups, (size_t)of_each * sizeof *up);
        memcpy(down, downs, (size_t)of_each * sizeof *down);
        if (n_scales > 1) {
            for (int64_t i = 0; i < some; i++) {
                found[start + i] = rounded_by_sums(scores[start + i], up[i], down[i], &small);
            }
        } else {
            for (int64_t i = 0; i < some; i++) {
                found[start + i] = rounded_by_sums(scores[start + i], up[0], down[0], &small);
            }
        }
        for (int64_t i = start; (far || !small) && i < start + some; i++) {
            int exponent;
            (void)frexp(scales[n_scales > 1 ? i : 0], &exponent);
            found[i] = rounded_exactly(scores[i], exponent);
        }
    }
}
