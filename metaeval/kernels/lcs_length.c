/* The length of the longest common subsequence of token sequences. Bits of a word tell where it grows from row to row of a
   strip in a column.

   Sources: Hyyrö (2004), Bit-parallel LCS-length computation revisited; Crochemore, Iliopoulos, Pinzon, Reid (2001). */
#include "reference_strips.h"

/* Find the rows of a strip where the length does not grow at the end of the candidate; `carry` is NULL for a strip alone.
   Rows below the end of a reference equal no token, so that the length never grows there. */
static inline void find_rows_without_growth(const int32_t *a, int64_t n, const Words *rows, Bytes *carry, Words *found) {
    Words flat = ~(Words){0};
    for (int64_t i = 0; i < n; i++) {
        Words equal = rows[a[i]], sum = flat + (flat & equal);
        if (carry) {
            Words total = sum + __builtin_convertvector(carry[i], Words);
            carry[i] = __builtin_convertvector((Words)((sum < flat) | (total < sum)) & 1, Bytes);
            sum = total;
        }
        flat = sum | (flat & ~equal);
    }
    *found = flat;
}

static inline void add_lengths(const Text *candidate, const Strips *strip, int32_t *lengths) {
    Bytes *carry = strip->kept;
    for (int64_t k = strip->segment; k < candidate->segments; k += strip->segments) {
        const int32_t *a = segment_ids(candidate, k);
        int64_t n = segment_length(candidate, k);
        if (strip->is_first && !strip->is_alone) {
            memset(carry, 0, (size_t)n * sizeof *carry);
        }
        Words flat;
        if (strip->is_alone) {
            find_rows_without_growth(a, n, strip->rows, NULL, &flat);
        } else {
            find_rows_without_growth(a, n, strip->rows, carry, &flat);
            carry += n;
        }
        for (int r = 0; r < strip->references; r++) {
            int32_t *length = &lengths[(strip->first + r) * candidate->segments + k];
            *length = (strip->is_first ? 0 : *length) + count_ones(~flat[r]);
        }
    }
}

WIDE int kernel_lcs_length(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int32_t *lengths) {
    return for_each_strip(candidate, references, n_references, vocabulary, sizeof(Bytes), add_lengths, lengths);
}
