/* The edit distance and the longest common subsequence of token sequences, 64 tokens of some references at a time.

   The table of either is cut into strips of 64 rows. Bits of a word tell how it changes from row to row of a strip in a column:
   the distance up, down or neither; the length, up or not. A token of the candidate updates whole words, those of some
   references side by side, by a few operations; what it changes in the last row of the strip, or carries out of it, is kept
   for each column and enters the next strip. So time is |candidate| * |reference| / 64 and memory |candidate|, whatever the
   lengths. The words of a strip serve all systems.

   Sources: for the edit distance, edit_distance_column.h; for the subsequence, Hyyrö (2004), Bit-parallel LCS-length computation
   revisited, and Crochemore, Iliopoulos, Pinzon, Reid (2001). */
#include "edit_distance_column.h"
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* References that are looked at together. */
#define SIDE 4
typedef uint64_t Words __attribute__((vector_size(SIDE * 8), aligned(8)));
typedef uint8_t Bytes __attribute__((vector_size(SIDE), aligned(1)));

typedef struct {
    const Words *rows; /* (vocabulary): a bit for each row where a token stands */
    Words mask;        /* of rows that there are */
    int64_t segment, segments, first; /* of the references, and the first of these */
    int references, is_alone, is_first;
    void *kept; /* for each token of the systems, from one strip to the next, unless one stands alone */
} Strips;

static inline void set_rows(Words *rows, const Text *references, const Strips *at, int64_t start, int are_there) {
    for (int r = 0; r < at->references; r++) {
        const int64_t number = (at->first + r) * at->segments + at->segment, rest = segment_length(references, number) - start;
        for (int64_t j = 0; j < rest && j < 64; j++) {
            Words *row = &rows[segment_ids(references, number)[start + j]];
            (*row)[r] = are_there ? (*row)[r] | UINT64_C(1) << j : 0;
        }
    }
}

/* Look at each strip of each segment, for all systems. */
static inline __attribute__((always_inline)) int each_strip(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, size_t of_token,
    void (*look)(const Text *, const Strips *, int32_t *), int32_t *found) {
    const int64_t segments = references->segments / n_references, tokens = most_tokens(candidate, segments);
    Words *rows = kernel_zeros(vocabulary, sizeof *rows);
    Strips at = {.rows = rows, .segments = segments, .kept = kernel_memory(tokens, of_token)};
    int status = rows && at.kept ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (; status == KERNEL_DONE && at.first < n_references; at.first += SIDE) {
        at.references = n_references - at.first < SIDE ? (int)(n_references - at.first) : SIDE;
        for (at.segment = 0; status == KERNEL_DONE && at.segment < segments; at.segment++) {
            int64_t longest = 0;
            for (int r = 0; r < at.references; r++) {
                int64_t length = segment_length(references, (at.first + r) * segments + at.segment);
                longest = length > longest ? length : longest;
            }
            at.is_alone = longest <= 64;
            for (int64_t start = 0; status == KERNEL_DONE && (start == 0 || start < longest); start += 64) {
                for (int r = 0; r < at.references; r++) {
                    int64_t height = segment_length(references, (at.first + r) * segments + at.segment) - start;
                    at.mask[r] = height <= 0 ? 0 : height >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << height) - 1;
                }
                at.is_first = start == 0;
                set_rows(rows, references, &at, start, 1);
                look(candidate, &at, found);
                set_rows(rows, references, &at, start, 0);
                /* Asked as often as there was work: a clock is looked at only now and then. */
                for (int64_t done = 0; status == KERNEL_DONE && done <= tokens; done += 1 << 16) {
                    status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
                }
            }
        }
    }
    free(rows);
    free(at.kept);
    return status;
}

/* Find the rows of a strip where the length does not grow at the end of the candidate; `carry` is NULL for a strip alone.
   Rows below the end of a reference equal no token, so that the length never grows there. */
static inline void find_flat(const int32_t *a, int64_t n, const Words *rows, Bytes *carry, Words *found) {
    Words flat = ~(Words){0};
    for (int64_t i = 0; i < n; i++) {
        Words equal = rows[a[i]], sum = flat + (flat & equal);
        if (carry) {
            Words total = sum + __builtin_convertvector(carry[i], Words);
            carry[i] = __builtin_convertvector((Words)((sum < flat) | (total < sum)) & 1, Bytes);
            sum = total;
        }
        flat = sum | (flat & ~equal);
    }
    *found = flat;
}

static inline void add_lengths(const Text *candidate, const Strips *at, int32_t *lengths) {
    Bytes *carry = at->kept;
    for (int64_t k = at->segment; k < candidate->segments; k += at->segments) {
        const int32_t *a = segment_ids(candidate, k);
        int64_t n = segment_length(candidate, k);
        if (at->is_first && !at->is_alone) {
            memset(carry, 0, (size_t)n * sizeof *carry);
        }
        Words flat;
        if (at->is_alone) {
            find_flat(a, n, at->rows, NULL, &flat);
        } else {
            find_flat(a, n, at->rows, carry, &flat);
            carry += n;
        }
        for (int r = 0; r < at->references; r++) {
            int32_t *length = &lengths[(at->first + r) * candidate->segments + k];
            *length = (at->is_first ? 0 : *length) + count_ones(~flat[r]);
        }
    }
}

WIDE int kernel_lcs_length(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int32_t *lengths) {
    return each_strip(candidate, references, n_references, vocabulary, sizeof(Bytes), add_lengths, lengths);
}

/* What a column changes in the row above a strip, then in its last row: 1 for up or down. */
typedef struct {
    Bytes up, down;
} Change;

/* A system's segment while a strip is looked at; `changes` (length) is NULL where the strip stands alone. */
typedef struct {
    const int32_t *ids;
    int64_t length;
    Change *changes;
    Words up, down;
} Lane;

DEFINE_NEXT_COLUMN(next_columns, Words)

static inline void take_column(Lane *lane, int64_t j, const Words *rows, int is_first) {
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
static inline void take_strip(Lane *one, Lane *other, const Words *rows, int is_first) {
    int64_t both = one->length < other->length ? one->length : other->length;
    for (int64_t j = 0; j < both; j++) {
        take_column(one, j, rows, is_first);
        take_column(other, j, rows, is_first);
    }
    for (int64_t j = both; j < one->length; j++) {
        take_column(one, j, rows, is_first);
    }
    for (int64_t j = both; j < other->length; j++) {
        take_column(other, j, rows, is_first);
    }
}

static inline void add_distances(const Text *candidate, const Strips *at, int32_t *distances) {
    Change *change = at->kept;
    for (int64_t k = at->segment; k < candidate->segments; k += 2 * at->segments) {
        const int64_t n_lanes = k + at->segments < candidate->segments ? 2 : 1;
        Lane lanes[2] = {{0}};
        for (int64_t n = 0; n < n_lanes; n++) {
            const int64_t segment = k + n * at->segments, length = segment_length(candidate, segment);
            lanes[n] = (Lane){segment_ids(candidate, segment), length, change, ~(Words){0}, {0}};
            change += length;
        }
        if (at->is_alone) {
            lanes[0].changes = lanes[1].changes = NULL;
            take_strip(&lanes[0], &lanes[1], at->rows, 1);
        } else {
            take_strip(&lanes[0], &lanes[1], at->rows, at->is_first);
        }
        for (int64_t n = 0; n < n_lanes; n++) {
            Words up = lanes[n].up & at->mask, down = lanes[n].down & at->mask;
            for (int r = 0; r < at->references; r++) {
                int32_t *distance = &distances[(at->first + r) * candidate->segments + k + n * at->segments];
                *distance = (at->is_first ? (int32_t)lanes[n].length : *distance) + count_ones(up[r]) - count_ones(down[r]);
            }
        }
    }
}

WIDE int kernel_edit_distance(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int32_t *distances) {
    return each_strip(candidate, references, n_references, vocabulary, sizeof(Change), add_distances, distances);
}
