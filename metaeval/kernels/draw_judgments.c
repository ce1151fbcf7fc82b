/* What documents add up to where a judgment of each of their segments is drawn. */
#include "kernels.h"
#include "pcg.h"

#include <stdlib.h>
#include <string.h>

/* Systems whose judgments are drawn side by side, so that one generator need not wait for another: as many as the registers of
   a processor hold. */
#define LANES 4

/* The judgments of a segment. Their numbers are divided by 2^53, as uniform numbers would have to be: both give the same
   product. */
typedef struct {
    const double *first[LANES];
    double count[LANES];
} JudgmentsOfLanes;

/* The documents of a replicate, (documents, length), and for two judgments of each segment which one was drawn first. */
typedef struct {
    const int32_t *segments;
    int64_t count, length;
    int32_t *chosen;
    int is_second;
    double beginning;
} DrawnDocuments;

/* Draw for some systems. Those of the items that have no judgment add nothing. */
static inline void draw_for_lanes(
    int lanes, Pcg *own, const JudgmentsOfLanes *items, const DrawnDocuments *documents, double *sums, int64_t step) {
    Pcg pcg[LANES];
    memcpy(pcg, own, (size_t)lanes * sizeof *pcg);
    for (int64_t d = 0; d < documents->count; d++) {
        double sum[LANES];
        for (int lane = 0; lane < lanes; lane++) {
            sum[lane] = documents->beginning;
        }
        for (int64_t i = d * documents->length; i < (d + 1) * documents->length; i++) {
            const JudgmentsOfLanes *item = items + documents->segments[i];
            int32_t *kept = documents->chosen ? documents->chosen + i * LANES : NULL;
            for (int lane = 0; lane < lanes; lane++) {
                double whole = next_whole(pcg + lane), count = item->count[lane];
                int64_t place = (int64_t)(whole * count);
                if (documents->is_second) {
                    int64_t of_item = (int64_t)(count / UNIFORM);
                    int64_t other = kept[lane] + 1 + (int64_t)(whole * (count - UNIFORM));
                    place = other >= of_item ? other - of_item : other; /* it is below twice as many */
                } else if (kept) {
                    kept[lane] = (int32_t)place;
                }
                sum[lane] += item->first[lane][place];
            }
        }
        for (int lane = 0; lane < lanes; lane++) {
            sums[d * step + lane] = sum[lane];
        }
    }
    memcpy(own, pcg, (size_t)lanes * sizeof *pcg);
}

/* Draw for the systems of a block. */
static void draw_for_block(
    int lanes, Pcg *own, const JudgmentsOfLanes *items, const DrawnDocuments *documents, double *sums, int64_t step) {
    if (lanes == LANES) {
        draw_for_lanes(LANES, own, items, documents, sums, step); /* with a number that the compiler knows */
    } else {
        draw_for_lanes(lanes, own, items, documents, sums, step);
    }
}

static void count_judged(const int32_t *segments, const int64_t *counts, const PooledShape *shape, double *numbers) {
    for (int64_t i = 0; i < shape->documents * shape->systems; i++) {
        numbers[i] = (double)shape->length;
    }
    for (int64_t s = 0; s < shape->systems; s++) {
        const int64_t *own = counts + s * shape->all_segments;
        int64_t lacking = 0;
        for (int64_t i = 0; i < shape->all_segments; i++) {
            lacking += own[i] == 0;
        }
        for (int64_t d = 0; lacking && d < shape->documents; d++) {
            for (int64_t i = 0; i < shape->length; i++) {
                numbers[d * shape->systems + s] -= own[segments[d * shape->length + i]] == 0;
            }
        }
    }
}

int kernel_draw_judgments(
    const uint64_t *states, int64_t repeats, const int32_t *segments, const int64_t *starts, const int64_t *counts,
    const double *values, const PooledShape *shape, int two, double *sums, double *numbers) {
    static const double nothing[2] = {0.0, 0.0};
    const int64_t systems = shape->systems, length = shape->length, all = shape->all_segments;
    const int64_t size = shape->documents * systems, documents = shape->documents / repeats;
    JudgmentsOfLanes *items = kernel_memory(all, sizeof *items);
    int32_t *chosen = two ? kernel_memory(documents * length * LANES, sizeof *chosen) : NULL;
    int status = items && (chosen || !two) ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t s = 0; status == KERNEL_DONE && s < systems; s += LANES) {
        const int lanes = (int)(systems - s < LANES ? systems - s : LANES);
        for (int64_t i = 0; i < all; i++) {
            for (int lane = 0; lane < LANES; lane++) {
                int64_t place = (s + lane) * all + i, count = lane < lanes ? counts[place] : 0;
                items[i].first[lane] = count > 0 ? values + starts[place] : nothing;
                items[i].count[lane] = (double)count * UNIFORM;
            }
        }
        for (int64_t r = 0; status == KERNEL_DONE && r < repeats; r++) {
            Pcg pcg[LANES] = {{0, 0, 0, 0}};
            memcpy(pcg, states + 4 * (r * systems + s), (size_t)lanes * sizeof *pcg);
            for (int part = 0; part < 1 + two; part++) {
                const DrawnDocuments drawn = {
                    segments + r * documents * length, documents, length, chosen, part,
                    /* A sum of one number, or one sum alone, begins with its first number; another one with 0. Only the
                       sign of zero shows it. */
                    length == 1 || size == 1 ? -0.0 : 0.0};
                double *found = sums + part * size + r * documents * systems + s;
                draw_for_block(lanes, pcg, items, &drawn, found, systems);
            }
            status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
        }
    }
    if (status == KERNEL_DONE) {
        count_judged(segments, counts, shape, numbers);
        for (int part = 1; part < 1 + two; part++) {
            memcpy(numbers + part * size, numbers, (size_t)size * sizeof *numbers);
        }
    }
    free(items);
    free(chosen);
    return status;
}
