/* Edit distance of token sequences, 64 tokens of the reference at a time.

   The table of distances is cut into strips of 64 rows. Bit j of a word tells how the distance changes from row j - 1 to
   row j of a strip: up, down or neither. A token of the candidate updates the whole word by a few operations; what it
   changes in the last row of the strip is kept for each column and enters the next strip. So time is
   |candidate| * |reference| / 64 and memory |candidate|, whatever the lengths.

   Source: Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances; Myers (1999). */
#include "kernels.h"

#include <stdlib.h>

typedef struct {
    uint64_t *rows;  /* (vocabulary): where a token stands in the strip */
    int64_t *seen;   /* (vocabulary): the strip for which `rows` holds */
    int8_t *change;  /* (candidate): from column to column, in the last row of the strip above */
    int64_t strip;   /* counts all strips of all segments */
} Work;

/* Return the distance, or -1 if interrupted. */
static int64_t distance_of(const int32_t *a, int64_t n, const int32_t *b, int64_t m, Work *work) {
    int64_t distance = m;
    for (int64_t i = 0; i < n; i++) {
        work->change[i] = 1;
    }
    for (int64_t start = 0; start < m; start += 64) {
        int64_t height = m - start < 64 ? m - start : 64;
        int64_t strip = ++work->strip;
        for (int64_t j = 0; j < height; j++) {
            int32_t token = b[start + j];
            if (work->seen[token] != strip) {
                work->seen[token] = strip;
                work->rows[token] = 0;
            }
            work->rows[token] |= UINT64_C(1) << j;
        }
        uint64_t up = ~UINT64_C(0), down = 0;
        for (int64_t i = 0; i < n; i++) {
            uint64_t equal = work->seen[a[i]] == strip ? work->rows[a[i]] : 0;
            uint64_t enters_up = work->change[i] > 0, enters_down = work->change[i] < 0;
            uint64_t vertical = equal | down;
            equal |= enters_down;
            uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
            uint64_t grows = down | ~(diagonal | up), shrinks = up & diagonal;
            work->change[i] = (int8_t)((int)(grows >> (height - 1) & 1) - (int)(shrinks >> (height - 1) & 1));
            grows = grows << 1 | enters_up;
            shrinks = shrinks << 1 | enters_down;
            up = shrinks | ~(vertical | grows);
            down = grows & vertical;
        }
        if (kernel_interrupted()) {
            return -1;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        distance += work->change[i];
    }
    return distance;
}

int kernel_edit_distance(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *distance) {
    Work work = {
        .rows = kernel_memory(vocabulary, sizeof(uint64_t)),
        .seen = kernel_zeros(vocabulary, sizeof(int64_t)),
        .change = kernel_memory(longest_segment(candidate), sizeof(int8_t)),
        .strip = 0,
    };
    int status = work.rows && work.seen && work.change ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < candidate->segments; i++) {
        int64_t j = i % reference->segments;
        int64_t found = distance_of(
            segment_ids(candidate, i), segment_length(candidate, i), segment_ids(reference, j),
            segment_length(reference, j), &work);
        if (found < 0) {
            status = KERNEL_INTERRUPTED;
        } else {
            distance[i] = (int32_t)found;
        }
    }
    free(work.rows);
    free(work.seen);
    free(work.change);
    return status;
}
