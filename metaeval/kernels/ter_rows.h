/* What the search of TER knows of a text and a reference: which words are equal, and tables of edit distances.

   Three tables belong to a pair. Rows are numbered from 0; a row further on is made from the one before it and one word.
   - FORWARD: row i has the distances from the first i words of the text to the beginnings of the reference. A row is bits:
     whether the distance rises or falls from column to column, and whether the alignment may match or substitute there.
   - BACKWARD: the same for both texts read backwards, without the bits of the alignment.
   - BEAMED: as FORWARD, but rows forget cells as `metaeval.metrics.ter_shifts` tells. A row has its first and last cell that is
     not forgotten, and then all cells; those outside of the two are not written.

   Rows that are not kept are made again from the last row before them that is. All are kept in tables of up to `kept`
   bytes; of larger ones as many rows as fit, but at least about sqrt(rows). So a table needs twice `kept`, or what
   2 sqrt(rows) rows need where this is more. */
#ifndef METAEVAL_TER_ROWS_H
#define METAEVAL_TER_ROWS_H

#include "edit_distance_column.h"
#include "kernels.h"

/* Above all costs, and far enough below the largest int32 that costs can be added. */
#define FORGOTTEN (INT32_C(1) << 29)

/* The steps of about a millisecond: a step handles 64 cells of bits, or a few costs. */
#define STEPS_BETWEEN_LOOKS 200000

typedef enum { FORWARD, BACKWARD, BEAMED, N_KINDS } Kind;

typedef struct {
    const int32_t *tokens;
    int32_t length;
    int32_t types;       /* of words; the words of both texts are given as types, from 1 on, 0: not in the reference */
    int64_t blocks;      /* of 64 words, at least 1 */
    int32_t *numbers;    /* (vocabulary): the type of a token */
    int32_t *words;      /* (length): types */
    int32_t *first;      /* (types + 2): words of type t stand at positions[first[t]] up to positions[first[t + 1]] */
    int32_t *positions;  /* (length) */
    int64_t mask_room;   /* words of `masks`; enough for all types of a reference of one block, and for any one type */
    int all_masks;       /* whether `masks` are those of all types, or just of the type in `shown` */
    uint64_t *masks[2];  /* where the words of a type stand, from the beginning and from the end: blocks for each type */
    int32_t shown[2];
} Reference;

typedef struct {
    unsigned char *kept;   /* every stride-th row */
    unsigned char *block;  /* the rows from one that is kept to the next; at least 2 */
    int64_t kept_room, block_room, stride, cached;
    int64_t size;          /* of a row, in bytes */
} Table;

typedef struct {
    Reference reference;
    int32_t *text;  /* (n_words): types, shifted as the search goes on */
    int64_t n_words;
    int32_t beam;   /* only for BEAMED */
    int64_t kept;   /* see above */
    Table tables[N_KINDS];
    int64_t steps;
    int interrupted;
} Pair;

/* Count steps, and ask now and then whether the user wants to stop: `interrupted` then tells. */
static inline void count_steps(Pair *pair, int64_t steps) {
    pair->steps += steps;
    if (pair->steps >= STEPS_BETWEEN_LOOKS) {
        pair->steps = 0;
        pair->interrupted |= kernel_interrupted();
    }
}

/* Make, for references of up to `longest` words, the memory of a pair; 0 where there is none. All fields of the pair are
   0 before, except `kept`. */
int begin_pair(Pair *pair, int64_t longest, int64_t vocabulary);
void end_pair(Pair *pair);

/* Make memory larger where it is smaller than needed, without what it held; 0 where there is none. */
int make_room(unsigned char **memory, int64_t *room, int64_t needed);

/* Take another reference; the text and the tables are then those of no pair. */
void set_reference(Pair *pair, const int32_t *tokens, int64_t length);

/* Begin a table for a new text; 0 where there is no memory. */
int begin_table(Pair *pair, Kind kind);

/* Make all rows after row `from` again. Rows from `settled` on belong to words that are as they were: as soon as one of
   them is as it was, so are the others. (`settled` above the number of words: there was no such row.) */
void fill_table(Pair *pair, Kind kind, int64_t from, int64_t settled);

/* Return a row, to be used before the next call. */
const void *row_of(Pair *pair, Kind kind, int64_t row);

/* Where the words of a type stand: `blocks` words of 64 bits, to be used before the next call. */
static inline const uint64_t *mask_of(Reference *reference, Kind kind, int32_t type);

/* Make the row that follows by one word; the place may be that of the row itself. `aligned` may be NULL. */
static inline void next_row_of_bits(
    int64_t blocks, const uint64_t *mask, const uint64_t *before, uint64_t *after, uint64_t *aligned);

/* Make the next row of costs; the last row of a text forgets nothing. */
void next_row_of_costs(const Pair *pair, int32_t type, const int32_t *before, int32_t *after, int last);

/* Return the distance in the last column of a row of bits, less that in the first. */
int32_t rise_of(const uint64_t *row, int64_t blocks, int64_t columns);

void show_mask(Reference *reference, Kind kind, int32_t type);

static inline const uint64_t *mask_of(Reference *reference, Kind kind, int32_t type) {
    uint64_t *masks = reference->masks[kind];
    if (reference->all_masks) {
        return masks + type * reference->blocks;
    }
    if (reference->shown[kind] != type) {
        show_mask(reference, kind, type);
    }
    return masks;
}

static inline void next_row_of_bits(
    int64_t blocks, const uint64_t *mask, const uint64_t *before, uint64_t *after, uint64_t *aligned) {
    uint64_t grows = 1, shrinks = 0;
    for (int64_t b = 0; b < blocks; b++) {
        uint64_t equal = mask[b], rises = before[b], falls = before[blocks + b], diagonal;
        next_column(&equal, &rises, &falls, &grows, &shrinks, &diagonal);
        after[b] = rises;
        after[blocks + b] = falls;
        if (aligned) {
            aligned[b] = equal | ~diagonal;
        }
    }
}

#endif
