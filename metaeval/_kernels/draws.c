/* Bootstrap replicates: how often each unit is drawn. */
#include "kernels.h"

#include <string.h>

int kernel_count_draws(const uint32_t *words, int64_t replicates, int64_t units, uint16_t *counts) {
    memset(counts, 0, (size_t)(replicates * units) * sizeof(uint16_t));
    for (int64_t r = 0; r < replicates; r++) {
        const uint32_t *drawn = words + r * units;
        uint16_t *row = counts + r * units;
        int wrapped = 0;
        for (int64_t i = 0; i < units; i++) {
            wrapped |= ++row[(uint64_t)drawn[i] * (uint64_t)units >> 32] == 0;
        }
        if (wrapped) {
            return KERNEL_TOO_MANY;
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}
