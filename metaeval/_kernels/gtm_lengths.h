/* Greedy matching by length, and what it shares with that by rows (gtm.c): the grid of a segment, and the size of a matching
   as it grows. */
#ifndef METAEVAL_GTM_LENGTHS_H
#define METAEVAL_GTM_LENGTHS_H

#include "kernels.h"

/* What stands in the place of a token that is matched, and after the last one. They differ, so that no run goes on there. */
#define ROW_TAKEN (-2)
#define COLUMN_TAKEN (-1)

typedef struct {
    int64_t n, m;     /* rows and columns */
    int32_t *rows;    /* (n + 1): what is free of the candidate */
    int32_t *columns; /* (m + 1): what is free of the references, side by side */
} Grid;

/* The size of a matching as it grows. */
typedef struct {
    const double *weights; /* of runs of 0, 1, 2, ... tokens */
    double left;           /* hits until the cap */
    double whole;          /* weight of the runs that the cap leaves whole */
    double rest;           /* hits of the run that it cuts, or that it ends with; 0 if it was not reached */
} Size;

/* Add a run, and return whether the cap is reached. */
static inline int add_run(Size *size, int64_t length) {
    if ((double)length >= size->left) {
        size->rest = size->left;
        return 1;
    }
    size->whole += size->weights[length];
    size->left -= (double)length;
    return 0;
}

/* Take the rows and columns of a run. */
static inline void take_run(Grid *grid, int64_t row, int64_t column, int64_t length) {
    for (int64_t k = 0; k < length; k++) {
        grid->rows[row + k] = ROW_TAKEN;
        grid->columns[column + k] = COLUMN_TAKEN;
    }
}

/* What is needed to match by length. */
typedef struct Lengths Lengths;

/* Return what is needed for grids of up to n rows and m columns, to be given back with gtm_free_lengths(), or NULL. */
Lengths *gtm_new_lengths(int64_t n, int64_t m);
void gtm_free_lengths(Lengths *lengths);

/* Match greedily by length until the cap is reached or no run is free. */
int gtm_match_by_length(Grid *grid, Lengths *lengths, Size *size);

#endif
