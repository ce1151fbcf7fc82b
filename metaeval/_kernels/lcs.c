/* The longest common subsequence of token sequences, 64 tokens of the reference at a time.

   The table of lengths is cut into strips of 64 rows. In each column the length grows by 0 or 1 from row to row; a bit
   of a word tells the rows where it does not grow. A token of the candidate updates the whole word by an addition,
   whose carry out of the strip is kept for each column and enters the next strip. So time is
   |candidate| * |reference| / 64 and memory |candidate|, whatever the lengths. The words of a strip serve all systems.

   Source: Hyyrö (2004), Bit-parallel LCS-length computation revisited; Crochemore, Iliopoulos, Pinzon, Reid (2001). */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* Return the rows of a strip where the length grows at the end of the candidate; `carry` is NULL for a strip alone.
   Rows below the end of the reference equal no token, so that the length never grows there. */
static inline uint64_t growing(const int32_t *a, int64_t n, const uint64_t *rows, uint8_t *carry) {
    uint64_t flat = ~UINT64_C(0);
    for (int64_t i = 0; i < n; i++) {
        uint64_t equal = rows[a[i]], found = flat & equal;
        uint64_t sum = flat + found;
        if (carry) {
            uint64_t total = sum + carry[i];
            carry[i] = (uint8_t)(sum < flat || total < sum);
            sum = total;
        }
        flat = sum | (flat & ~equal);
    }
    return ~flat;
}

int kernel_lcs_length(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *length) {
    uint64_t *rows = kernel_zeros(vocabulary, sizeof(uint64_t)); /* where a token stands in the strip */
    uint8_t *carries = kernel_memory(most_tokens(candidate, reference->segments), sizeof(uint8_t));
    int status = rows && carries ? KERNEL_DONE : KERNEL_NO_MEMORY;
    if (status == KERNEL_DONE) {
        memset(length, 0, (size_t)candidate->segments * sizeof(int32_t));
    }
    for (int64_t i = 0; status == KERNEL_DONE && i < reference->segments; i++) {
        const int32_t *b = segment_ids(reference, i);
        int64_t m = segment_length(reference, i);
        for (int64_t start = 0; status == KERNEL_DONE && start < m; start += 64) {
            int64_t height = m - start < 64 ? m - start : 64;
            for (int64_t j = 0; j < height; j++) {
                rows[b[start + j]] |= UINT64_C(1) << j;
            }
            uint8_t *carry = carries;
            for (int64_t k = i; status == KERNEL_DONE && k < candidate->segments; k += reference->segments) {
                const int32_t *a = segment_ids(candidate, k);
                int64_t n = segment_length(candidate, k);
                if (start == 0) {
                    memset(carry, 0, (size_t)n);
                }
                length[k] += count_ones(m <= 64 ? growing(a, n, rows, NULL) : growing(a, n, rows, carry));
                carry += n;
                if (kernel_interrupted()) {
                    status = KERNEL_INTERRUPTED;
                }
            }
            for (int64_t j = 0; j < height; j++) {
                rows[b[start + j]] = 0;
            }
        }
    }
    free(rows);
    free(carries);
    return status;
}
