/* Tables of two texts, 64 tokens of some references at a time.

   The table is cut into strips of 64 rows, one for each token of a reference. A token of the candidate updates whole words,
   those of some references side by side, by a few operations; what it changes in the last row of the strip, or carries out
   of it, is kept for each column and enters the next strip. So time is |candidate| * |reference| / 64 and memory
   |candidate|, whatever the lengths. The words of a strip serve all systems. */
#ifndef METAEVAL_REFERENCE_STRIPS_H
#define METAEVAL_REFERENCE_STRIPS_H

#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* References that are looked at together. */
#define REFERENCES_SIDE_BY_SIDE 4
typedef uint64_t Words __attribute__((vector_size(REFERENCES_SIDE_BY_SIDE * 8), aligned(8)));
typedef uint8_t Bytes __attribute__((vector_size(REFERENCES_SIDE_BY_SIDE), aligned(1)));

typedef struct {
    const Words *rows; /* (vocabulary): a bit for each row where a token stands */
    Words mask;        /* of rows that there are */
    int64_t segment, segments, first; /* of the references, and the first of these */
    int references, is_alone, is_first;
    void *kept; /* for each token of the systems, from one strip to the next, unless one stands alone */
} Strips;

static inline void set_rows(Words *rows, const Text *references, const Strips *strip, int64_t start, int are_there) {
    for (int r = 0; r < strip->references; r++) {
        const int64_t number = (strip->first + r) * strip->segments + strip->segment;
        const int64_t rest = segment_length(references, number) - start;
        for (int64_t j = 0; j < rest && j < 64; j++) {
            Words *row = &rows[segment_ids(references, number)[start + j]];
            (*row)[r] = are_there ? (*row)[r] | UINT64_C(1) << j : 0;
        }
    }
}

/* Look at each strip of each segment, for all systems. */
static inline __attribute__((always_inline)) int for_each_strip(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, size_t of_token,
    void (*use_strip)(const Text *, const Strips *, int32_t *), int32_t *found) {
    const int64_t segments = references->segments / n_references, tokens = most_tokens(candidate, segments);
    Words *rows = kernel_zeros(vocabulary, sizeof *rows);
    Strips strip = {.rows = rows, .segments = segments, .kept = kernel_memory(tokens, of_token)};
    int status = rows && strip.kept ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (; status == KERNEL_DONE && strip.first < n_references; strip.first += REFERENCES_SIDE_BY_SIDE) {
        const int64_t left = n_references - strip.first;
        strip.references = left < REFERENCES_SIDE_BY_SIDE ? (int)left : REFERENCES_SIDE_BY_SIDE;
        for (strip.segment = 0; status == KERNEL_DONE && strip.segment < segments; strip.segment++) {
            int64_t longest = 0;
            for (int r = 0; r < strip.references; r++) {
                int64_t length = segment_length(references, (strip.first + r) * segments + strip.segment);
                longest = length > longest ? length : longest;
            }
            strip.is_alone = longest <= 64;
            for (int64_t start = 0; status == KERNEL_DONE && (start == 0 || start < longest); start += 64) {
                for (int r = 0; r < strip.references; r++) {
                    int64_t height = segment_length(references, (strip.first + r) * segments + strip.segment) - start;
                    strip.mask[r] = height <= 0 ? 0 : height >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << height) - 1;
                }
                strip.is_first = start == 0;
                set_rows(rows, references, &strip, start, 1);
                use_strip(candidate, &strip, found);
                set_rows(rows, references, &strip, start, 0);
                /* Asked as often as there was work: a clock is looked at only now and then. */
                for (int64_t done = 0; status == KERNEL_DONE && done <= tokens; done += 1 << 16) {
                    status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
                }
            }
        }
    }
    free(rows);
    free(strip.kept);
    return status;
}

#endif
