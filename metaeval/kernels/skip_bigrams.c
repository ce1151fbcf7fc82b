/* Pairs of tokens in order (skip-bigrams), each counted as often as both texts have it.

   The distinct tokens of a reference get numbers. A candidate keeps only tokens that have one, since no other token is
   part of a match; so a pair of numbers points straight into a table, without hashing. The table is made once for all
   systems where a reference has few distinct tokens. Otherwise one row of it is made at a time, for the pairs with one
   first token, so that memory grows with the length of a segment and not with its square. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* References with more distinct tokens, or so long that a pair may not be counted in 32 bits, go row by row. */
#define MOST_DISTINCT 512
#define MOST_TOKENS 65536

/* Rows of a table after which to ask whether the user wants to stop. */
#define ROWS_BETWEEN_CHECKS 16

/* The tokens of a segment that the reference has. */
typedef struct {
    int32_t *numbers; /* from 0 to distinct - 1 */
    int32_t *places;  /* in the segment */
    int32_t *ends;    /* where those end that are near enough to be the second of a pair */
    int32_t *next;    /* where the same number comes again, -1 if nowhere; row by row only */
    int32_t *first;   /* (distinct) where a number comes first, -1 if nowhere; row by row only */
    int64_t count;
} KnownTokens;

static void select_tokens(const int32_t *ids, int64_t length, const int32_t *number_of, int64_t reach, KnownTokens *tokens) {
    int64_t count = 0;
    for (int64_t j = 0; j < length; j++) {
        int32_t number = number_of[ids[j]];
        tokens->numbers[count] = number - 1;
        tokens->places[count] = (int32_t)j;
        count += number != 0;
    }
    for (int64_t j = 0, end = 0; j < count; j++) {
        while (end < count && tokens->places[end] - tokens->places[j] <= reach) {
            end++;
        }
        tokens->ends[j] = (int32_t)end;
    }
    tokens->count = count;
}

/* Return whether the user wants to stop, asked after some rows only. */
static inline int should_stop(int64_t row) {
    return row % ROWS_BETWEEN_CHECKS == ROWS_BETWEEN_CHECKS - 1 && kernel_interrupted();
}

/* Count the pairs of a reference: (distinct, distinct). */
static int count_reference_pairs(const KnownTokens *b, int32_t *counts, int64_t distinct) {
    memset(counts, 0, (size_t)(distinct * distinct) * sizeof(int32_t));
    for (int64_t j = 0; j < b->count; j++) {
        int32_t *row = counts + b->numbers[j] * distinct;
        for (int64_t k = j + 1; k < b->ends[j]; k++) {
            row[b->numbers[k]]++;
        }
        if (should_stop(j)) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

/* Count the pairs of a candidate that a reference has; `left` has room for its counts, of which matches are taken. */
static int match_pairs(const KnownTokens *a, const int32_t *counts, int32_t *left, int64_t distinct, int64_t *hits) {
    memcpy(left, counts, (size_t)(distinct * distinct) * sizeof(int32_t));
    for (int64_t j = 0; j < a->count; j++) {
        int32_t *row = left + a->numbers[j] * distinct;
        for (int64_t k = j + 1; k < a->ends[j]; k++) {
            int32_t *pair = &row[a->numbers[k]], one = *pair > 0;
            *pair -= one;
            *hits += one;
        }
        if (should_stop(j)) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

static void link_equal_tokens(KnownTokens *tokens, int64_t distinct) {
    memset(tokens->first, -1, (size_t)distinct * sizeof(int32_t));
    for (int64_t j = tokens->count - 1; j >= 0; j--) {
        int32_t number = tokens->numbers[j];
        tokens->next[j] = tokens->first[number];
        tokens->first[number] = (int32_t)j;
    }
}

/* As count_reference_pairs() and match_pairs() together, with one row of the table at a time; `row` holds zeros. */
static int match_by_rows(const KnownTokens *a, const KnownTokens *b, int64_t *row, int64_t distinct, int64_t *hits) {
    for (int64_t number = 0; number < distinct; number++) {
        if (a->first[number] < 0) {
            continue;
        }
        for (int64_t j = b->first[number]; j >= 0; j = b->next[j]) {
            for (int64_t k = j + 1; k < b->ends[j]; k++) {
                row[b->numbers[k]]++;
            }
            if (kernel_interrupted()) {
                return KERNEL_INTERRUPTED;
            }
        }
        for (int64_t j = a->first[number]; j >= 0; j = a->next[j]) {
            for (int64_t k = j + 1; k < a->ends[j]; k++) {
                int64_t *pair = &row[a->numbers[k]], one = *pair > 0;
                *pair -= one;
                *hits += one;
            }
            if (kernel_interrupted()) {
                return KERNEL_INTERRUPTED;
            }
        }
        for (int64_t j = b->first[number]; j >= 0; j = b->next[j]) {
            for (int64_t k = j + 1; k < b->ends[j]; k++) {
                row[b->numbers[k]] = 0;
            }
            if (kernel_interrupted()) {
                return KERNEL_INTERRUPTED;
            }
        }
    }
    return KERNEL_DONE;
}

/* Give the distinct tokens of a segment numbers from 1 in `number_of`, and return how many there are. */
static int64_t number_distinct_tokens(const int32_t *ids, int64_t length, int32_t *number_of) {
    int32_t distinct = 0;
    for (int64_t j = 0; j < length; j++) {
        if (!number_of[ids[j]]) {
            number_of[ids[j]] = ++distinct;
        }
    }
    return distinct;
}

/* Count single tokens of a candidate that a reference has, but for the last `omitted` tokens of each. */
static int64_t match_singles(
    const KnownTokens *a, int64_t n, const KnownTokens *b, int64_t m, int64_t omitted, int32_t *left, int64_t distinct) {
    int64_t hits = 0;
    memset(left, 0, (size_t)distinct * sizeof(int32_t));
    for (int64_t j = 0; j < m - omitted; j++) {
        left[b->numbers[j]]++;
    }
    for (int64_t j = 0; j < a->count && a->places[j] < n - omitted; j++) {
        int32_t one = left[a->numbers[j]] > 0;
        left[a->numbers[j]] -= one;
        hits += one;
    }
    return hits;
}

static KnownTokens allocate_tokens(int64_t longest, int64_t distinct) {
    return (KnownTokens){
        .numbers = kernel_memory(longest, sizeof(int32_t)),
        .places = kernel_memory(longest, sizeof(int32_t)),
        .ends = kernel_memory(longest, sizeof(int32_t)),
        .next = kernel_memory(longest, sizeof(int32_t)),
        .first = kernel_memory(distinct, sizeof(int32_t)),
    };
}

static int are_allocated(const KnownTokens *tokens) {
    return tokens->numbers && tokens->places && tokens->ends && tokens->next && tokens->first;
}

static void free_tokens(KnownTokens *tokens) {
    free(tokens->numbers);
    free(tokens->places);
    free(tokens->ends);
    free(tokens->next);
    free(tokens->first);
}

int kernel_skip_bigrams(
    const Text *candidate, const Text *reference, int64_t vocabulary, int64_t reach, int singles, int64_t *hits) {
    int64_t longest = longest_segment(reference), most = longest < MOST_DISTINCT ? longest : MOST_DISTINCT;
    int32_t *number_of = kernel_zeros(vocabulary, sizeof(int32_t));
    int32_t *counts = kernel_memory(most * most, sizeof(int32_t));
    int32_t *left = kernel_memory(most * most > longest ? most * most : longest, sizeof(int32_t));
    int64_t *row = kernel_zeros(longest, sizeof(int64_t));
    KnownTokens a = allocate_tokens(longest_segment(candidate), longest), b = allocate_tokens(longest, longest);
    int status = number_of && counts && left && row && are_allocated(&a) && are_allocated(&b) ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < reference->segments; i++) {
        const int32_t *ids = segment_ids(reference, i);
        int64_t m = segment_length(reference, i), distinct = number_distinct_tokens(ids, m, number_of);
        int table = distinct <= MOST_DISTINCT && m < MOST_TOKENS;
        select_tokens(ids, m, number_of, reach, &b);
        if (table) {
            status = count_reference_pairs(&b, counts, distinct);
        } else {
            link_equal_tokens(&b, distinct);
        }
        for (int64_t k = i; status == KERNEL_DONE && k < candidate->segments; k += reference->segments) {
            int64_t n = segment_length(candidate, k);
            select_tokens(segment_ids(candidate, k), n, number_of, reach, &a);
            hits[k] = singles == SINGLES_NONE
                          ? 0
                          : match_singles(&a, n, &b, m, singles == SINGLES_BUT_LAST, left, distinct);
            if (table) {
                status = match_pairs(&a, counts, left, distinct, &hits[k]);
            } else {
                link_equal_tokens(&a, distinct);
                status = match_by_rows(&a, &b, row, distinct, &hits[k]);
            }
        }
        for (int64_t j = 0; j < m; j++) {
            number_of[ids[j]] = 0;
        }
        if (status == KERNEL_DONE && kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(number_of);
    free(counts);
    free(left);
    free(row);
    free_tokens(&a);
    free_tokens(&b);
    return status;
}
