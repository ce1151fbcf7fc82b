/* Which part each judgment of an item belongs to, in the order of random keys. */
#include "kernels.h"

/* Write values in the order of their keys. */
static void sort_by_keys(const double *values, const double *keys, int64_t count, double *ordered) {
    for (int64_t i = 0; i < count; i++) {
        /* Counted, and not compared until found, since no branch can be foreseen here. */
        int64_t place = 0;
        for (int64_t j = 0; j < i; j++) {
            place += keys[j] <= keys[i];
        }
        for (int64_t j = i + 1; j < count; j++) {
            place += keys[j] < keys[i];
        }
        ordered[place] = values[i];
    }
}

static void write_sides(double *sides, const SplitShape *shape, int64_t cell, double first, double second) {
    if (sides) {
        sides[cell] = first;
        sides[shape->cells + cell] = second;
    }
}

int kernel_split_judgments(
    const double *values, const double *keys, const uint8_t *longer, const int64_t *places, const SplitShape *shape,
    double *single, double *rest, double *halves) {
    const int64_t count = shape->count;
    double ordered[SPLIT_MOST] = {0}; /* places that no key leads to, since some are no numbers, hold a number too */
    for (int64_t draw = 0; draw < shape->draws; draw++) {
        for (int64_t item = 0; item < shape->items; item++) {
            int64_t drawn = draw * shape->items + item, cell = places[item] + draw * shape->step, size = count / 2;
            sort_by_keys(values + item * count, keys + drawn * count, count, ordered);
            double half = ordered[0];
            size += longer && longer[drawn];
            for (int64_t i = 1; i < size; i++) {
                half += ordered[i];
            }
            double total = half;
            for (int64_t i = size; i < count; i++) {
                total += ordered[i];
            }
            write_sides(single, shape, cell, ordered[0], ordered[1]);
            write_sides(rest, shape, cell, ordered[0], (total - ordered[0]) / (double)(count - 1));
            write_sides(halves, shape, cell, half / (double)size, (total - half) / (double)(count - size));
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}
