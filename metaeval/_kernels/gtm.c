/* The greedy matching of GTM: on the grid of a candidate and its references side by side, the longest free run is taken
   first, of equally long ones that which begins last in the candidate, then last in the references, until none is free.

   There are two ways to the same runs, neither of which keeps a list of hits or runs. Here is the one for grids of few
   hits. Each token of the candidate keeps the longest run that begins there, and where. Cells are only ever taken away, so
   that this length can only fall: it is looked up again when its turn has come and something is in the way. Grids of many
   hits are matched by length (gtm_lengths.c).

   Source: Turian, Shen, Melamed (2003), Evaluation of machine translation and its evaluation; the order of runs is that
   of the General Text Matcher 1.4. */
#include "gtm_lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates longer than this are matched by length: rows would have to be looked at too often. */
#define MOST_ROWS 512

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
    Lengths *lengths;
} Work;

/* Return the length of the longest free run that begins in a row, at most `most`, and the last column where it does. */
static int32_t longest_at(const Work *work, int32_t row, int32_t most, int32_t *column) {
    const int32_t *a = work->grid.rows + row;
    const Token *token = &work->tokens[a[0]];
    int32_t best = 0;
    for (int32_t c = token->count ? token->last : -1; c >= 0 && best < most; c = work->before[c]) {
        const int32_t *b = work->grid.columns + c;
        if (best < work->grid.m - c && a[best] == b[best]) {
            int32_t length = 0;
            while (a[length] == b[length]) {
                length++;
            }
            if (length > best) {
                best = length;
                *column = c;
            }
        }
    }
    return best;
}

static int match_by_rows(Work *work, Size *size) {
    int32_t n = (int32_t)work->grid.n, length = 0;
    int32_t *longest = work->longest, *column = work->column;
    for (int32_t r = 0; r < n; r++) {
        longest[r] = longest_at(work, r, n - r, &column[r]);
        length = longest[r] > length ? longest[r] : length;
    }
    while (length > 0) {
        int32_t next = 0;
        for (int32_t r = n - 1; r >= 0; r--) {
            if (longest[r] == length) {
                const int32_t *a = work->grid.rows + r, *b = work->grid.columns + column[r];
                int32_t k = 0;
                while (k < length && a[k] == b[k]) {
                    k++;
                }
                if (k < length) {
                    longest[r] = longest_at(work, r, length, &column[r]);
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
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

/* Match a candidate of n tokens. */
static int match(Work *work, const int32_t *ids, double many_hits, Size *size) {
    Grid *grid = &work->grid;
    int64_t hits = 0;
    for (int64_t r = 0; r < grid->n; r++) {
        grid->rows[r] = ids[r];
        hits += work->tokens[ids[r]].count;
    }
    grid->rows[grid->n] = ROW_TAKEN;
    memcpy(grid->columns, work->references, (size_t)(grid->m + 1) * sizeof(int32_t));
    if (grid->n <= MOST_ROWS && (double)hits <= many_hits * (double)(grid->n + grid->m)) {
        return match_by_rows(work, size);
    }
    return gtm_match_by_length(grid, work->lengths, size);
}

/* Look at the references of a segment, once for all systems. */
static void lay_out(Work *work, const int32_t *ids, int64_t m) {
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

static void clear_away(Work *work) {
    for (int64_t c = 0; c < work->grid.m; c++) {
        work->tokens[work->references[c]].count = 0;
    }
}

int kernel_greedy_matching(
    const Text *candidate, const Text *references, int64_t vocabulary, const double *caps, const double *weights,
    double many_hits, double *whole, double *rest) {
    int64_t segments = references->segments, n = longest_segment(candidate), m = longest_segment(references);
    Work work = {
        .grid = {.rows = kernel_memory(n + 1, sizeof(int32_t)), .columns = kernel_memory(m + 1, sizeof(int32_t))},
        .tokens = kernel_zeros(vocabulary, sizeof(Token)),
        .references = kernel_memory(m + 1, sizeof(int32_t)),
        .before = kernel_memory(m, sizeof(int32_t)),
        .longest = kernel_memory(n, sizeof(int32_t)),
        .column = kernel_memory(n, sizeof(int32_t)),
        .lengths = gtm_new_lengths(n, m),
    };
    int status = work.grid.rows && work.grid.columns && work.tokens && work.references && work.before &&
                         work.longest && work.column && work.lengths
                     ? KERNEL_DONE
                     : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
        lay_out(&work, segment_ids(references, i), segment_length(references, i));
        for (int64_t k = i; status == KERNEL_DONE && k < candidate->segments; k += segments) {
            Size size = {.weights = weights, .left = caps[k], .whole = isnan(caps[k]) ? caps[k] : 0.0, .rest = 0.0};
            work.grid.n = segment_length(candidate, k);
            if (!isnan(caps[k])) {
                status = match(&work, segment_ids(candidate, k), many_hits, &size);
            }
            whole[k] = size.whole;
            rest[k] = size.rest;
            if (status == KERNEL_DONE && kernel_interrupted()) {
                status = KERNEL_INTERRUPTED;
            }
        }
        clear_away(&work);
    }
    free(work.grid.rows);
    free(work.grid.columns);
    free(work.tokens);
    free(work.references);
    free(work.before);
    free(work.longest);
    free(work.column);
    gtm_free_lengths(work.lengths);
    return status;
}
