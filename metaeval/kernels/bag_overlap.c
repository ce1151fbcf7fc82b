/* Bags of tokens: how many tokens two segments have in common, whatever their order. */
#include "kernels.h"

#include <stdlib.h>

int kernel_bag_overlap(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *overlap) {
    int32_t *left = kernel_zeros(vocabulary, sizeof(int32_t)); /* of each token in the reference, still unmatched */
    if (!left) {
        return KERNEL_NO_MEMORY;
    }
    int status = KERNEL_DONE;
    for (int64_t i = 0; status == KERNEL_DONE && i < candidate->segments; i++) {
        int64_t k = i % reference->segments;
        const int32_t *a = segment_ids(candidate, i), *b = segment_ids(reference, k);
        int64_t n = segment_length(candidate, i), m = segment_length(reference, k);
        int32_t common = 0;
        for (int64_t j = 0; j < m; j++) {
            left[b[j]]++;
        }
        for (int64_t j = 0; j < n; j++) {
            if (left[a[j]] > 0) {
                left[a[j]]--;
                common++;
            }
        }
        for (int64_t j = 0; j < m; j++) {
            left[b[j]] = 0;
        }
        overlap[i] = common;
        if (kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(left);
    return status;
}
