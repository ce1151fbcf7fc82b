/* Common subsequences whose runs weigh more than their tokens one by one: that of the paper, and that of ROUGE-1.5.5.

   Both fill a table, of which one row is kept: ROUGE-1.5.5's cell by cell, the paper's where a row changes. The sums are added
   in the order of the plain definition, so that they are the same to the last bit.

   Source: Lin and Och (2004), the dynamic programme of WLCS; ROUGE-1.5.5.pl, the way back. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* The way back from a cell. */
#define LEFT 0
#define UP 1
#define MATCH 2

typedef struct {
    const double *weights; /* of runs of 0, 1, 2, ... tokens */
    double *best;          /* (columns): the weight so far, in the row above and, from the left on, in this one */
    double *before;        /* (columns): the weight before the run that ends in a cell; the paper's only */
    int32_t *run;          /* (columns): the length of that run, 0 if there is none */
    /* The paper's only, places plus one, 0 where there is none: */
    int32_t *last;    /* (vocabulary): where a token stands last in the reference */
    int32_t *earlier; /* (columns): where the same token stands before */
    /* ROUGE-1.5.5 only, see rouge_script_weight(): */
    int64_t height;        /* rows of a block */
    uint8_t *way;          /* (height, columns) */
    double *kept_best;     /* (blocks, columns) */
    int32_t *kept_run;     /* (blocks, columns) */
    uint8_t *matched;      /* (longest reference) */
} Work;

static void clear_row(Work *work, int64_t columns) {
    memset(work->run, 0, (size_t)columns * sizeof(int32_t));
    for (int64_t j = 0; j < columns; j++) {
        work->best[j] = 0.0;
    }
}

/* Fill a row of the paper's table; return whether no cell of it is below the one to its left. */
static int fill_row(Work *work, int32_t token, const int32_t *b, int64_t m) {
    double *best = work->best, *before = work->before;
    int32_t *run = work->run, run_diagonal = 0;
    double here = 0.0, diagonal = 0.0, before_diagonal = 0.0;
    int rises = 1;
    for (int64_t j = 0; j < m; j++) {
        double above = best[j], before_above = before[j], left = here;
        int32_t run_above = run[j];
        if (b[j] == token) {
            double start = run_diagonal ? before_diagonal : diagonal;
            here = start + work->weights[run_diagonal + 1];
            before[j] = start;
            run[j] = run_diagonal + 1;
        } else {
            here = above > here ? above : here;
            run[j] = 0;
        }
        rises &= j == 0 || here >= left;
        best[j] = here;
        diagonal = above;
        before_diagonal = before_above;
        run_diagonal = run_above;
    }
    return rises;
}

/* Do the same where the row above rises: of such a row, matches and some cells behind them are all that changes. They are done
   from the last on, so that what stands before a match is still that of the row above. */
static int change_row(Work *work, int32_t token, int32_t last_token, int64_t m) {
    double *best = work->best, *before = work->before;
    int32_t *run = work->run;
    int64_t end = m;
    for (int64_t j = work->last[token]; j-- > 0; end = j, j = work->earlier[j]) {
        int32_t length = j && run[j - 1] ? run[j - 1] : 0;
        double start = length ? before[j - 1] : j ? best[j - 1] : 0.0, here = start + work->weights[length + 1];
        best[j] = here;
        before[j] = start;
        run[j] = length + 1;
        for (int64_t k = j + 1; k < end && !(best[k] >= here); k++) {
            best[k] = here;
        }
    }
    if (last_token != token && last_token >= 0) {
        for (int64_t j = work->last[last_token]; j-- > 0; j = work->earlier[j]) {
            run[j] = 0;
        }
    }
    int rises = 1;
    for (int64_t j = work->last[token]; j-- > 0; j = work->earlier[j]) {
        rises &= j == 0 || best[j] >= best[j - 1];
    }
    return rises;
}

/* Find the weight of the paper's WLCS: a row for each token of the candidate, a column for each of the reference. */
static int paper_weight(Work *work, const int32_t *a, int64_t n, const int32_t *b, int64_t m, double *weight) {
    clear_row(work, m);
    int status = KERNEL_DONE, rises = 1;
    for (int64_t i = 0; status == KERNEL_DONE && i < n; i++) {
        rises = rises ? change_row(work, a[i], i ? a[i - 1] : -1, m) : fill_row(work, a[i], b, m);
        status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
    }
    *weight = n && m ? work->best[m - 1] : 0.0;
    return status;
}

/* Fill rows of the table of ROUGE-1.5.5, for `m` tokens of the reference, and the way back from each of their cells. */
static int fill_rows(Work *work, const int32_t *a, int64_t columns, const int32_t *b, int64_t m, int64_t stride) {
    double *best = work->best;
    int32_t *run = work->run;
    for (int64_t i = 0; i < m; i++) {
        uint8_t *way = work->way + i * stride;
        int32_t token = b[i], run_diagonal = 0;
        double here = 0.0, diagonal = 0.0;
        for (int64_t j = 0; j < columns; j++) {
            double above = best[j];
            int32_t run_above = run[j];
            if (a[j] == token) {
                here = diagonal + work->weights[run_diagonal + 1] - work->weights[run_diagonal];
                run[j] = run_diagonal + 1;
                way[j] = MATCH;
            } else {
                way[j] = above >= here ? UP : LEFT;
                here = above > here ? above : here;
                run[j] = 0;
            }
            best[j] = here;
            diagonal = above;
            run_diagonal = run_above;
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

/* Return the number of rows whose way back is kept at a time: what is kept of all blocks is about as large. */
static int64_t rows_of_block(int64_t rows) {
    int64_t block = 128;
    while (block * block < rows * (int64_t)(sizeof(double) + sizeof(int32_t))) {
        block *= 2;
    }
    return block;
}

/* Find the weight of the runs that ROUGE-1.5.5 finds: it goes back through the table and marks tokens of the reference.

   The way back is kept for one block of rows. Of the others there is the row above the block, from which the block is
   filled again when the way back comes to it. So memory is |candidate| * sqrt(|reference|). */
static int rouge_script_weight(Work *work, const int32_t *a, int64_t n, const int32_t *b, int64_t m, double *weight) {
    int64_t height = work->height, blocks = (m + height - 1) / height, column = n;
    clear_row(work, n);
    memset(work->matched, 0, (size_t)m);
    for (int64_t block = 0; block < blocks; block++) {
        int64_t first = block * height, rows = m - first < height ? m - first : height;
        memcpy(work->kept_best + block * n, work->best, (size_t)n * sizeof(double));
        memcpy(work->kept_run + block * n, work->run, (size_t)n * sizeof(int32_t));
        if (fill_rows(work, a, n, b + first, rows, n) != KERNEL_DONE) {
            return KERNEL_INTERRUPTED;
        }
    }
    for (int64_t block = blocks - 1; block >= 0 && column > 0; block--) {
        int64_t first = block * height, rows = m - first < height ? m - first : height;
        if (block < blocks - 1) {
            memcpy(work->best, work->kept_best + block * n, (size_t)column * sizeof(double));
            memcpy(work->run, work->kept_run + block * n, (size_t)column * sizeof(int32_t));
            if (fill_rows(work, a, column, b + first, rows, n) != KERNEL_DONE) {
                return KERNEL_INTERRUPTED;
            }
        }
        for (int64_t row = rows; row > 0 && column > 0;) {
            uint8_t step = work->way[(row - 1) * n + column - 1];
            row -= step != LEFT;
            column -= step != UP;
            if (step == MATCH) {
                work->matched[first + row] = 1;
            }
        }
    }
    double sum = 0.0;
    for (int64_t i = 0, run = 0; i < m; i++) {
        run = work->matched[i] ? run + 1 : 0;
        if (run && (i + 1 == m || !work->matched[i + 1])) {
            sum += work->weights[run];
        }
    }
    *weight = sum;
    return KERNEL_DONE;
}

typedef int (*Weigh)(Work *, const int32_t *, int64_t, const int32_t *, int64_t, double *);

static int weigh_all_segments(
    const Text *candidate, const Text *reference, int64_t vocabulary, Weigh weigh, const double *weights,
    double *weight) {
    int64_t columns = longest_segment(candidate), rows = longest_segment(reference);
    int64_t either = columns > rows ? columns : rows;
    int scripts = weigh == rouge_script_weight;
    Work work = {
        .weights = weights,
        .best = kernel_memory(either, sizeof(double)),
        .run = kernel_memory(either, sizeof(int32_t)),
        .height = rows_of_block(rows),
    };
    int64_t blocks = (rows + work.height - 1) / work.height, height = rows < work.height ? rows : work.height;
    work.before = kernel_memory(scripts ? 0 : rows, sizeof(double));
    work.last = kernel_zeros(scripts ? 0 : vocabulary, sizeof(int32_t));
    work.earlier = kernel_memory(scripts ? 0 : rows, sizeof(int32_t));
    work.way = kernel_memory(scripts ? height * columns : 0, sizeof(uint8_t));
    work.kept_best = kernel_memory(scripts ? blocks * columns : 0, sizeof(double));
    work.kept_run = kernel_memory(scripts ? blocks * columns : 0, sizeof(int32_t));
    work.matched = kernel_memory(scripts ? rows : 0, sizeof(uint8_t));
    int status = KERNEL_DONE;
    if (!work.last || !work.earlier || !work.best || !work.before || !work.run || !work.way || !work.kept_best ||
        !work.kept_run || !work.matched) {
        status = KERNEL_NO_MEMORY;
    }
    for (int64_t k = 0; status == KERNEL_DONE && k < reference->segments; k++) {
        const int32_t *b = segment_ids(reference, k);
        int64_t m = segment_length(reference, k);
        for (int64_t j = 0; !scripts && j < m; j++) {
            work.earlier[j] = work.last[b[j]];
            work.last[b[j]] = (int32_t)j + 1;
        }
        for (int64_t i = k; status == KERNEL_DONE && i < candidate->segments; i += reference->segments) {
            status = weigh(&work, segment_ids(candidate, i), segment_length(candidate, i), b, m, &weight[i]);
        }
        for (int64_t j = 0; !scripts && j < m; j++) {
            work.last[b[j]] = 0;
        }
    }
    free(work.last);
    free(work.earlier);
    free(work.best);
    free(work.before);
    free(work.run);
    free(work.way);
    free(work.kept_best);
    free(work.kept_run);
    free(work.matched);
    return status;
}

int kernel_weighted_lcs(
    const Text *candidate, const Text *reference, int64_t vocabulary, const double *weights, double *weight) {
    return weigh_all_segments(candidate, reference, vocabulary, paper_weight, weights, weight);
}

int kernel_weighted_runs(
    const Text *candidate, const Text *reference, int64_t vocabulary, const double *weights, double *weight) {
    return weigh_all_segments(candidate, reference, vocabulary, rouge_script_weight, weights, weight);
}
