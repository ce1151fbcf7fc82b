/* How often the difference of two systems reaches a bound in replicates. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* Replicates of all systems that are compared at once: they stay in a cache. */
#define REPLICATES_AT_ONCE 128

/* Write some replicates of the systems of a side next to each other. */
static inline void gather_replicates(
    const double *sums, const double *added, const ExceedanceShape *shape, int64_t some, double *found) {
    for (int64_t i = 0; i < shape->systems; i++) {
        const double *own = sums + i * shape->replicates, *other = added ? added + i * shape->replicates : NULL;
        for (int64_t k = 0; k < some; k++) {
            found[i * REPLICATES_AT_ONCE + k] = other ? own[k] + other[k] : own[k];
        }
    }
}

WIDE int kernel_count_exceedances(
    const double *sums, const double *added, const int32_t *first, const int32_t *second, const double *least,
    const ExceedanceShape *shape, int64_t *counts) {
    const int64_t systems = shape->systems, replicates = shape->replicates, size = systems * replicates;
    double *found = kernel_memory(systems * REPLICATES_AT_ONCE, sizeof *found);
    if (!found) {
        return KERNEL_NO_MEMORY;
    }
    memset(counts, 0, (size_t)(shape->sides * systems * systems) * sizeof *counts);
    int status = KERNEL_DONE;
    for (int64_t side = 0; status == KERNEL_DONE && side < shape->sides; side++) {
        const double *bounds = least + side * systems * systems;
        int64_t *exceedances = counts + side * systems * systems;
        for (int64_t start = 0; status == KERNEL_DONE && start < replicates; start += REPLICATES_AT_ONCE) {
            const int64_t some = replicates - start < REPLICATES_AT_ONCE ? replicates - start : REPLICATES_AT_ONCE;
            const double *own = sums + first[side] * size + start;
            gather_replicates(own, added ? added + second[side] * size + start : NULL, shape, some, found);
            for (int64_t i = 0; i < systems; i++) {
                const double *a = found + i * REPLICATES_AT_ONCE;
                for (int64_t j = i + 1; j < systems; j++) {
                    const double *b = found + j * REPLICATES_AT_ONCE;
                    const double above = bounds[i * systems + j], below = -bounds[j * systems + i];
                    int64_t n_above = 0, n_below = 0;
                    for (int64_t k = 0; k < some; k++) {
                        double difference = a[k] - b[k];
                        n_above += difference >= above;
                        n_below += difference <= below;
                    }
                    exceedances[i * systems + j] += n_above;
                    exceedances[j * systems + i] += n_below;
                }
                if (kernel_interrupted()) {
                    status = KERNEL_INTERRUPTED;
                    break;
                }
            }
        }
    }
    free(found);
    return status;
}
