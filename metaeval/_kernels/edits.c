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

/* Return the change of the distance over all columns in the last row of a strip that stands alone. */
static inline int64_t change_alone(const int32_t *a, int64_t n, const uint64_t *rows, int64_t height) {
    Strip strip = {.up = ~UINT64_C(0)};
    int64_t change = 0;
    for (int64_t i = 0; i < n; i++) {
        advance(&strip, rows[a[i]], 1, 0);
        change += (int64_t)(strip.grows >> (height - 1) & 1) - (int64_t)(strip.shrinks >> (height - 1) & 1);
    }
    return change;
}

/* Take the changes of each column from the row above a strip to its last row; return their sum. */
static inline int64_t change_of(const int32_t *a, int64_t n, const uint64_t *rows, int64_t height, int8_t *changes) {
    Strip strip = {.up = ~UINT64_C(0)};
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        advance(&strip, rows[a[i]], changes[i] > 0, changes[i] < 0);
        changes[i] = (int8_t)((int)(strip.grows >> (height - 1) & 1) - (int)(strip.shrinks >> (height - 1) & 1));
        sum += changes[i];
    }
    return sum;
}

int kernel_edit_distance(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *distance) {
    uint64_t *rows = kernel_zeros(vocabulary, sizeof(uint64_t)); /* where a token stands in the strip */
    int8_t *changes = kernel_memory(most_tokens(candidate, reference->segments), sizeof(int8_t));
    int status = rows && changes ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < reference->segments; i++) {
        const int32_t *b = segment_ids(reference, i);
        int64_t m = segment_length(reference, i);
        for (int64_t k = i; k < candidate->segments; k += reference->segments) {
            distance[k] = (int32_t)segment_length(candidate, k); /* from an empty reference */
        }
        for (int64_t start = 0; status == KERNEL_DONE && start < m; start += 64) {
            int64_t height = m - start < 64 ? m - start : 64;
            for (int64_t j = 0; j < height; j++) {
                rows[b[start + j]] |= UINT64_C(1) << j;
            }
            int8_t *change = changes;
            for (int64_t k = i; k < candidate->segments; k += reference->segments) {
                const int32_t *a = segment_ids(candidate, k);
                int64_t n = segment_length(candidate, k);
                if (start == 0) {
                    memset(change, 1, (size_t)n); /* row 0 grows with each token of the candidate */
                }
                /* From an empty candidate all tokens of the reference are missing. */
                distance[k] = (int32_t)(m + (m <= 64 ? change_alone(a, n, rows, height)
                                                     : change_of(a, n, rows, height, change)));
                change += n;
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
