/* The electable shifts of a search of TER, and what each costs. The words are defined in `metaeval.metrics.ter_shifts`. */
#ifndef METAEVAL_TER_SHIFTS_H
#define METAEVAL_TER_SHIFTS_H

#include "ter_rows.h"

#define NO_LIMIT INT32_MAX

/* A block of the text that is to begin at a position of the text without it. */
typedef struct {
    int32_t start, length, position;
} Shift;

/* Words `from` up to `to` of the text change by a shift: two parts of it then stand there, one after the other. */
typedef struct {
    int32_t from, to;
    int32_t begin[2], end[2];
} Change;

typedef struct {
    Pair pair;
    int aligned_only;       /* whether a block may go to aligned places only */
    int32_t size, distance; /* limits */
    int32_t exact_up_to;    /* up to this distance the beam changes nothing: see ter.c */
    /* The alignment. */
    int beamed;             /* whether its table is BEAMED, else FORWARD */
    int32_t free_distance;  /* of the text from the reference without a beam */
    int32_t distance_now, insertions, deletions, substitutions;
    int32_t *places;        /* (reference) */
    uint8_t *deleted;       /* (reference) */
    int32_t *open_before;   /* (reference + 1): how many words before one are not matched */
    int32_t *wrong_before;  /* (text + 1): the same for the text */
    /* The electable shifts. */
    int32_t *aims_begin, *aims_end; /* (text): which positions of the word in the reference are placed near enough */
    int32_t *reach;                 /* (text): no longer block from a word on is electable */
    int32_t *offered;               /* (text + 1): where a block may go */
    int64_t *offered_to;            /* (text + 1): the number of the last block to which a position was offered */
    int64_t blocks_seen;
    /* What is needed to try and to make a shift. */
    uint64_t *bits;         /* a row of bits */
    unsigned char *costs;   /* two rows of costs */
    int64_t costs_room;
    int32_t *moved;         /* (text): a block */
    int32_t *left;          /* (types + 1): words of the reference not found in the text so far */
} Search;

static inline int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* Find the aims of each word of the text, and how long blocks may be; return the longest. */
int32_t find_reach(Search *search);

/* List in `offered` the positions to which a block may go, each once, in the order in which ties are settled; return
   their number. */
int32_t find_positions(Search *search, int32_t start, int32_t length);

/* Return the number of electable shifts, or any number above a limit. */
int64_t count_electable(Search *search, int64_t limit);

Change change_of(Shift shift);

/* Return the distance after a shift if it is not above a limit, else any number above the limit. */
int32_t cost_of(Search *search, Shift shift, int32_t limit);

#endif
