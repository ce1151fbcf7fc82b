/* The edit distance of token sequences. Bits of a word tell how it changes from row to row of a strip in a column: up, down or
   neither (edit_distance_column.h). */
#include "edit_distance_column.h"
#include "reference_strips.h"

/* What a column changes in the row above a strip, then in its last row: 1 for up or down. */
typedef struct {
    Bytes up, down;
} RowChange;

/* A system's segment while a strip is looked at; `changes` (length) is NULL where the strip stands alone. */
typedef struct {
    const int32_t *ids;
    int64_t length;
    RowChange *changes;
    Words up, down;
} Candidate;

DEFINE_NEXT_COLUMN(next_columns, Words)

static inline void go_on_by_column(Candidate *lane, int64_t j, const Words *rows, int is_first) {
    Words grows = (Words){0} + 1, shrinks = {0}, diagonal;
    if (lane->changes && !is_first) { /* row 0 grows with each token of the candidate */
        grows = __builtin_convertvector(lane->changes[j].up, Words);
        shrinks = __builtin_convertvector(lane->changes[j].down, Words);
    }
    Words rises = lane->up, falls = lane->down;
    next_columns(&rows[lane->ids[j]], &rises, &falls, &grows, &shrinks, &diagonal);
    if (lane->changes) {
        lane->changes[j].up = __builtin_convertvector(grows, Bytes);
        lane->changes[j].down = __builtin_convertvector(shrinks, Bytes);
    }
    lane->up = rises;
    lane->down = falls;
}

/* What a column does waits for the one before it, so two systems are looked at together. */
static inline void go_through_strip(Candidate *one, Candidate *other, const Words *rows, int is_first) {
    int64_t both = one->length < other->length ? one->length : other->length;
    for (int64_t j = 0; j < both; j++) {
        go_on_by_column(one, j, rows, is_first);
        go_on_by_column(other, j, rows, is_first);
    }
    for (int64_t j = both; j < one->length; j++) {
        go_on_by_column(one, j, rows, is_first);
    }
    for (int64_t j = both; j < other->length; j++) {
        go_on_by_column(other, j, rows, is_first);
    }
}

static inline void add_distances(const Text *candidate, const Strips *strip, int32_t *distances) {
    RowChange *change = strip->kept;
    for (int64_t k = strip->segment; k < candidate->segments; k += 2 * strip->segments) {
        const int64_t n_lanes = k + strip->segments < candidate->segments ? 2 : 1;
        Candidate lanes[2] = {{0}};
        for (int64_t n = 0; n < n_lanes; n++) {
            const int64_t segment = k + n * strip->segments, length = segment_length(candidate, segment);
            lanes[n] = (Candidate){segment_ids(candidate, segment), length, change, ~(Words){0}, {0}};
            change += length;
        }
        if (strip->is_alone) {
            lanes[0].changes = lanes[1].changes = NULL;
            go_through_strip(&lanes[0], &lanes[1], strip->rows, 1);
        } else {
            go_through_strip(&lanes[0], &lanes[1], strip->rows, strip->is_first);
        }
        for (int64_t n = 0; n < n_lanes; n++) {
            Words up = lanes[n].up & strip->mask, down = lanes[n].down & strip->mask;
            for (int r = 0; r < strip->references; r++) {
                int32_t *distance = &distances[(strip->first + r) * candidate->segments + k + n * strip->segments];
                *distance = (strip->is_first ? (int32_t)lanes[n].length : *distance) + count_ones(up[r]) - count_ones(down[r]);
            }
        }
    }
}

WIDE int kernel_edit_distance(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int32_t *distances) {
    return for_each_strip(candidate, references, n_references, vocabulary, sizeof(RowChange), add_distances, distances);
}
