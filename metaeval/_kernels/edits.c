/* Edit distance of token sequences, 64 tokens of the reference at a time.

   The table of distances is cut into strips of 64 rows. Bit j of a word tells how the distance changes from row j - 1 to
   row j of a strip: up, down or neither. A token of the candidate updates the whole word by a few operations; what it
   changes in the last row of the strip is kept for each column and enters the next strip. So time is
   |candidate| * |reference| / 64 and memory |candidate|, whatever the lengths. The words of a strip serve all systems.

   Source: Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances; Myers (1999). */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* What a column does to the words of a strip: `enters` is the change in the row above the strip, from -1 to 1; the
   changes in all rows of the strip are left in `grows` and `shrinks`. */
typedef struct {
    uint64_t up, down, grows, shrinks;
} Strip;

static inline void advance(Strip *strip, uint64_t equal, uint64_t enters_up, uint64_t enters_down) {
    uint64_t vertical = equal | strip->down;
    equal |= enters_down;
    uint64_t diagonal = (((equal & strip->up) + strip->up) ^ strip->up) | equal;
    strip->grows = strip->down | ~(diagonal | strip->up);
    strip->shrinks = strip->up & diagonal;
    uint64_t grows = strip->grows << 1 | enters_up, shrinks = strip->shrinks << 1 | enters_down;
    strip->up = shrinks | ~(vertical | grows);
    strip->down = grows & vertical;
}

/* A system's segment while a strip is looked at; `changes` (length) is not looked at where the strip stands alone. */
typedef struct {
    const int32_t *ids;
    int64_t length;
    int8_t *changes; /* of each column, in the row above the strip, then in its last row */
    Strip strip;
} Lane;

static inline void take_column(Lane *lane, int64_t j, const uint64_t *rows, int64_t height, int alone) {
    uint64_t equal = rows[lane->ids[j]];
    if (alone) {
        advance(&lane->strip, equal, 1, 0); /* row 0 grows with each token of the candidate */
        return;
    }
    advance(&lane->strip, equal, lane->changes[j] > 0, lane->changes[j] < 0);
    lane->changes[j] =
        (int8_t)((int)(lane->strip.grows >> (height - 1) & 1) - (int)(lane->strip.shrinks >> (height - 1) & 1));
}

/* Return the change of the distance down the last column of a strip. */
static inline int32_t change_down(const Strip *strip, int64_t height) {
    uint64_t rows = ~UINT64_C(0) >> (64 - height);
    return count_ones(strip->up & rows) - count_ones(strip->down & rows);
}

/* Add what a strip adds to the distances of two systems. What a column does waits for the one before it, so the systems are
   looked at together. */
static inline void
take_strip(Lane one, Lane other, const uint64_t *rows, int64_t height, int alone, int32_t *of_one, int32_t *of_other) {
    int64_t both = one.length < other.length ? one.length : other.length;
    for (int64_t j = 0; j < both; j++) {
        take_column(&one, j, rows, height, alone);
        take_column(&other, j, rows, height, alone);
    }
    for (int64_t j = both; j < one.length; j++) {
        take_column(&one, j, rows, height, alone);
    }
    for (int64_t j = both; j < other.length; j++) {
        take_column(&other, j, rows, height, alone);
    }
    *of_one += change_down(&one.strip, height);
    *of_other += change_down(&other.strip, height);
}

static inline Lane lane_of(const Text *candidate, int64_t segment, int8_t *changes) {
    return (Lane){segment_ids(candidate, segment), segment_length(candidate, segment), changes, {.up = ~UINT64_C(0)}};
}

int kernel_edit_distance(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *distance) {
    uint64_t *rows = kernel_zeros(vocabulary, sizeof(uint64_t)); /* where a token stands in the strip */
    int64_t most = most_tokens(candidate, reference->segments), segments = reference->segments;
    int8_t *changes = kernel_memory(most, sizeof(int8_t));
    int status = rows && changes ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
        const int32_t *b = segment_ids(reference, i);
        int64_t m = segment_length(reference, i);
        for (int64_t k = i; k < candidate->segments; k += segments) {
            distance[k] = (int32_t)segment_length(candidate, k); /* from an empty reference */
        }
        if (m > 64) {
            memset(changes, 1, (size_t)most);
        }
        for (int64_t start = 0; status == KERNEL_DONE && start < m; start += 64) {
            int64_t height = m - start < 64 ? m - start : 64;
            for (int64_t j = 0; j < height; j++) {
                rows[b[start + j]] |= UINT64_C(1) << j;
            }
            int8_t *change = changes;
            for (int64_t k = i; k < candidate->segments; k += 2 * segments) {
                int32_t unused = 0, *of_one = &distance[k], *of_other = &unused;
                Lane one = lane_of(candidate, k, change), other = {0};
                change += one.length;
                if (k + segments < candidate->segments) {
                    of_other = &distance[k + segments];
                    other = lane_of(candidate, k + segments, change);
                    change += other.length;
                }
                if (m <= 64) {
                    take_strip(one, other, rows, height, 1, of_one, of_other);
                } else {
                    take_strip(one, other, rows, height, 0, of_one, of_other);
                }
            }
            for (int64_t j = 0; j < height; j++) {
                rows[b[start + j]] = 0;
            }
            if (kernel_interrupted()) {
                status = KERNEL_INTERRUPTED;
            }
        }
    }
    free(rows);
    free(changes);
    return status;
}
