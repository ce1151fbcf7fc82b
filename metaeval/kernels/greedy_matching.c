/* The greedy matching of GTM: on the grid of a candidate and its references side by side, the longest free run is taken
   first, of equally long ones that which begins last in the candidate, then last in the references, until none is free.

   No list of hits or runs is kept. Each token of the candidate keeps the longest run that begins there, and where. Cells are
   only ever taken away, so that this length can only fall: it is looked up again when its turn has come and something is in
   the way. Memory grows as n + m; time is about that of the hits, and its cube only where long segments repeat a few tokens.

   Source: Turian, Shen, Melamed (2003), Evaluation of machine translation and its evaluation; the order of runs is that
   of the General Text Matcher 1.4. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What stands in the place of a token that is matched, and after the last one. They differ, so that no run goes on there. */
#define ROW_TAKEN (-2)
#define COLUMN_TAKEN (-1)

/* Tokens that are compared before the user is asked whether to stop. */
#define STEPS_BETWEEN_CHECKS 65536

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

/* A token in the references of the segment at hand. */
typedef struct {
    int32_t count; /* of columns */
    int32_t last;  /* the last one, if there is any */
} Token;

typedef struct {
    Grid grid;
    Token *tokens;       /* (vocabulary) */
    int32_t *references; /* (m + 1): side by side, and an end */
    int32_t *before;     /* (m): the column before with the same token, -1 for the first */
    int32_t *longest;    /* (n): the length of the longest run that begins in a row, at most */
    int32_t *column;     /* (n): where that run begins */
    int64_t steps;       /* tokens compared since the user was asked whether to stop */
} Work;

/* Return the length of the longest free run that begins in a row, at most `most`, and the last column where it does. */
static int32_t longest_at(Work *work, int32_t row, int32_t most, int32_t *column) {
    const int32_t *a = work->grid.rows + row;
    const Token *token = &work->tokens[a[0]];
    int32_t best = 0;
    int64_t steps = 1;
    for (int32_t c = token->count ? token->last : -1; c >= 0 && best < most; c = work->before[c]) {
        const int32_t *b = work->grid.columns + c;
        if (best < work->grid.m - c && a[best] == b[best]) {
            int32_t length = 0;
            while (a[length] == b[length]) {
                length++;
            }
            steps += length;
            if (length > best) {
                best = length;
                *column = c;
            }
        }
    }
    work->steps += steps;
    return best;
}

/* Return whether the user wants to stop, asked as often as there was work. */
static inline int is_interrupted(Work *work) {
    for (; work->steps >= STEPS_BETWEEN_CHECKS; work->steps -= STEPS_BETWEEN_CHECKS) {
        if (kernel_interrupted()) {
            return 1;
        }
    }
    return 0;
}

/* Match greedily until the cap is reached or no run is free. */
static int match_greedily(Work *work, Size *size) {
    int32_t n = (int32_t)work->grid.n, length = 0;
    int32_t *longest = work->longest, *column = work->column;
    for (int32_t r = 0; r < n; r++) {
        longest[r] = longest_at(work, r, n - r, &column[r]);
        length = longest[r] > length ? longest[r] : length;
        if (is_interrupted(work)) {
            return KERNEL_INTERRUPTED;
        }
    }
    while (length > 0) {
        int32_t next = 0;
        work->steps += n;
        for (int32_t r = n - 1; r >= 0; r--) {
            if (longest[r] == length) {
                const int32_t *a = work->grid.rows + r, *b = work->grid.columns + column[r];
                int32_t k = 0;
                while (k < length && a[k] == b[k]) {
                    k++;
                }
                if (k < length) {
                    longest[r] = longest_at(work, r, length, &column[r]);
                    if (is_interrupted(work)) {
                        return KERNEL_INTERRUPTED;
                    }
                }
            }
            if (longest[r] == length) {
                if (add_run(size, length)) {
                    return KERNEL_DONE;
                }
                take_run(&work->grid, r, column[r], length);
                memset(longest + r, 0, (size_t)length * sizeof(int32_t));
            } else if (longest[r] > next) {
                next = longest[r];
            }
        }
        length = next;
        if (is_interrupted(work)) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

/* Match a candidate of n tokens. */
static int match_candidate(Work *work, const int32_t *ids, Size *size) {
    Grid *grid = &work->grid;
    memcpy(grid->rows, ids, (size_t)grid->n * sizeof(int32_t));
    grid->rows[grid->n] = ROW_TAKEN;
    memcpy(grid->columns, work->references, (size_t)(grid->m + 1) * sizeof(int32_t));
    return match_greedily(work, size);
}

/* Look at the references of a segment, once for all systems. */
static void set_references(Work *work, const int32_t *ids, int64_t m) {
    for (int64_t c = 0; c < m; c++) {
        Token *token = &work->tokens[ids[c]];
        work->references[c] = ids[c];
        work->before[c] = token->count ? token->last : -1;
        token->last = (int32_t)c;
        token->count++;
    }
    work->references[m] = COLUMN_TAKEN;
    work->grid.m = m;
}

static void forget_references(Work *work) {
    for (int64_t c = 0; c < work->grid.m; c++) {
        work->tokens[work->references[c]].count = 0;
    }
}

int kernel_greedy_matching(
    const Text *candidate, const Text *references, int64_t vocabulary, const double *caps, const double *weights,
    double *whole, double *rest) {
    int64_t segments = references->segments, n = longest_segment(candidate), m = longest_segment(references);
    Work work = {
        .grid = {.rows = kernel_memory(n + 1, sizeof(int32_t)), .columns = kernel_memory(m + 1, sizeof(int32_t))},
        .tokens = kernel_zeros(vocabulary, sizeof(Token)),
        .references = kernel_memory(m + 1, sizeof(int32_t)),
        .before = kernel_memory(m, sizeof(int32_t)),
        .longest = kernel_memory(n, sizeof(int32_t)),
        .column = kernel_memory(n, sizeof(int32_t)),
    };
    int status = work.grid.rows && work.grid.columns && work.tokens && work.references && work.before &&
                         work.longest && work.column
                     ? KERNEL_DONE
                     : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
        set_references(&work, segment_ids(references, i), segment_length(references, i));
        for (int64_t k = i; status == KERNEL_DONE && k < candidate->segments; k += segments) {
            Size size = {.weights = weights, .left = caps[k], .whole = isnan(caps[k]) ? caps[k] : 0.0, .rest = 0.0};
            work.grid.n = segment_length(candidate, k);
            if (!isnan(caps[k])) {
                status = match_candidate(&work, segment_ids(candidate, k), &size);
            }
            whole[k] = size.whole;
            rest[k] = size.rest;
            if (status == KERNEL_DONE && kernel_interrupted()) {
                status = KERNEL_INTERRUPTED;
            }
        }
        forget_references(&work);
    }
    free(work.grid.rows);
    free(work.grid.columns);
    free(work.tokens);
    free(work.references);
    free(work.before);
    free(work.longest);
    free(work.column);
    return status;
}
