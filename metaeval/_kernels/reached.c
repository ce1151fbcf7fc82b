/* How often the difference of two systems reaches a bound in replicates. */
#include "kernels.h"

int kernel_count_reached(
    const double *sums, const double *least, int64_t sides, int64_t systems, int64_t replicates, int64_t *counts) {
    for (int64_t side = 0; side < sides; side++) {
        const double *bounds = least + side * systems * systems;
        int64_t *found = counts + side * systems * systems;
        for (int64_t i = 0; i < systems; i++) {
            const double *a = sums + (side * systems + i) * replicates;
            found[i * systems + i] = 0;
            for (int64_t j = i + 1; j < systems; j++) {
                const double *b = sums + (side * systems + j) * replicates;
                double above = bounds[i * systems + j], below = -bounds[j * systems + i];
                int64_t n_above = 0, n_below = 0;
                for (int64_t k = 0; k < replicates; k++) {
                    double difference = a[k] - b[k];
                    n_above += difference >= above;
                    n_below += difference <= below;
                }
                found[i * systems + j] = n_above;
                found[j * systems + i] = n_below;
                if (kernel_interrupted()) {
                    return KERNEL_INTERRUPTED;
                }
            }
        }
    }
    return KERNEL_DONE;
}
