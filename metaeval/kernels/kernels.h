/* What all kernels share: texts as arrays, memory, and a way to be interrupted.

   A text is a row of token ids with offsets: segment i owns ids[offsets[i]] up to ids[offsets[i + 1]]. Ids are from 0 to
   vocabulary - 1. The binding (module.c) has checked all of this before a kernel runs, so kernels check nothing.

   A candidate may hold several systems, one after the other: it then has a multiple of the reference's segments, and its
   segment s * reference.segments + i belongs to segment i of the reference. `segments` of results are the candidate's.

   Kernels return KERNEL_DONE or one of the codes below it. What they allocate grows with the length of a
   segment and with the vocabulary, never with the square of a length. They hold no state between calls and may run in
   several threads at once. */
#ifndef METAEVAL_KERNELS_H
#define METAEVAL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A kernel that adds and compares numbers is compiled for wide vectors too; the machine chooses when the library is loaded. The
   same operations follow each other in both, and none is fused, so that they give the same bits. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define KERNEL_DONE 0
#define KERNEL_NO_MEMORY (-1)
#define KERNEL_INTERRUPTED (-2)
#define KERNEL_TOO_LONG (-3) /* a segment has more n-grams than can be numbered */

typedef struct {
    const int32_t *ids;
    const int64_t *offsets;
    int64_t segments;
} Text;

static inline const int32_t *segment_ids(const Text *text, int64_t segment) {
    return text->ids + text->offsets[segment];
}

static inline int64_t segment_length(const Text *text, int64_t segment) {
    return text->offsets[segment + 1] - text->offsets[segment];
}

static inline int32_t count_ones(uint64_t word) {
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* Return the place of the lowest bit of a word that is not 0. */
static inline int lowest_bit(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return count_ones((word & (0 - word)) - 1);
#endif
}

/* Return the number of tokens of the longest segment. */
int64_t longest_segment(const Text *text);

/* Return the number of tokens that all systems together have in the segment for which they have most. */
int64_t most_tokens(const Text *candidate, int64_t segments);

/* Return whether the user wants to stop (Ctrl-C). Cheap: kernels ask after each segment, and inside long ones. */
int kernel_interrupted(void);

/* Return memory for at least one item, to be given back with free(), or NULL where there is none. */
void *kernel_memory(int64_t count, size_t size);
void *kernel_zeros(int64_t count, size_t size);

/* encode.c: the tokens of texts, which white space separates. Segment i is bytes[offsets[i]] up to bytes[offsets[i + 1]],
   UTF-8. If `marks_apart`, a mark of ASCII's punctuation at the end of a longer token, or else at its beginning, is a token
   of its own. `ids` has room for half as many tokens as there are bytes (for as many, if marks are apart), and one for each
   segment; `starts` and `ends`, where the first of equal tokens stands, for as many. `types` is the number of different
   tokens. */
int kernel_encode(
    const uint8_t *bytes, const int64_t *offsets, int64_t segments, int marks_apart, int32_t *ids, int64_t *token_offsets,
    int64_t *starts, int64_t *ends, int64_t *types);

/* encode.c: the characters (code points) of such texts, without white space unless it is kept; there is room for as many as
   there are bytes. */
int kernel_characters(
    const uint8_t *bytes, const int64_t *offsets, int64_t segments, int keep_space, int32_t *characters,
    int64_t *character_offsets);

/* split_judgments.c: the judgments of items that have equally many, (items, count), put in the order of their keys, (draws,
   items, count), of which equal ones stay as they are: the first and the second of them, the first and the mean of the
   others, and the means of two halves, of which the first has one more where `longer`, (draws, items), says so; NULL of an
   even number. Both sides of each stand in an array (2, cells), or NULL; that of an item and a draw, at its place and so
   many steps. There are 2 to SPLIT_MOST judgments. */
#define SPLIT_MOST 64
typedef struct {
    int64_t draws, items, count, step, cells;
} SplitShape;

int kernel_split_judgments(
    const double *values, const double *keys, const uint8_t *longer, const int64_t *places, const SplitShape *shape,
    double *single, double *rest, double *halves);

/* pool_documents.c: what documents add up to; `indices` are (documents, length). */
typedef struct {
    int64_t systems, all_segments, statistics, documents, length;
} PooledShape;

/* pool_documents.c: the sums of the statistics of each document, (statistics, documents, systems), from those of all segments,
   (systems, all segments, statistics). An index names one of `segments`. */
int kernel_pool_documents(
    const double *values, const int64_t *segments, int64_t n_segments, const int32_t *indices, const PooledShape *shape,
    double *sums);

/* pcg.c: the states of generators PCG64, (streams, 4), the upper half of state and increment before the lower: as numpy's
   SeedSequence makes them of words, (streams, n_words). */
void kernel_seed_generators(const uint32_t *words, int64_t streams, int64_t n_words, uint64_t *states);

/* draw_judgments.c: the sums of a judgment of each segment of a document that is drawn, and of how many segments have any:
   (documents, systems); for two, those of another judgment of each behind. The judgments of an item begin in `values` where
   `starts` says, and `counts` says how many there are, both (systems, segments). Each of the equal parts that documents come
   in has a generator for each system: `states` is (repeats, systems, 4). */
int kernel_draw_judgments(
    const uint64_t *states, int64_t repeats, const int32_t *segments, const int64_t *starts, const int64_t *counts,
    const double *values, const PooledShape *shape, int two, double *sums, double *numbers);

/* round_to_scale.c: scores, (n,), rounded to 40 bits of one scale or of one for each. */
void kernel_round_to_scale(const double *scores, int64_t n, const double *scales, int64_t n_scales, double *found);

/* rank_correlations.c: Spearman's coefficients of lines, (lines, rows), corrected for ties or by the formula that presumes
   none. Scores are x (lines, rows, n) and y (rows, n), and all are numbers; n is 2 to RANKED_MOST. */
#define RANKED_MOST 64
int kernel_spearman(
    const double *x, const double *y, int64_t lines, int64_t rows, int64_t n, int corrected, double *found);

/* rank_correlations.c: how many pairs of the scores of a row, x and y (rows, n), are of each kind: (5, rows), as
   metaeval/correlation/pair_counts.py has them. Scores of x that differ by `epsilon` or less are tied, and those of y by less than
   `gap`; n is up to RANKED_MOST. */
int kernel_count_pairs(
    const double *x, const double *y, int64_t rows, int64_t n, double epsilon, double gap, int64_t *counts);

/* ordinal_ranks.c: the ranks 1 to n of each row; equal numbers stand in an order that depends on `start` and the row: (rows,
   n). n is up to ORDERED_MOST. */
#define ORDERED_MOST (1 << 29)
int kernel_ordinal_ranks(const double *x, int64_t rows, int64_t n, uint64_t start, double *ranks);

/* p_value_agreement.c: 1 less the mean distance of the p-values of the differences of systems, of each line from the human
   ones: (lines, rows), NaN where a score is none. The scores are x (lines, rows, systems) and y (rows, systems); each
   difference of an earlier system from a later one is multiplied by a scale, (lines, pairs) and (pairs,). `table` has, for
   each node from -NORMAL_MIDDLE to NORMAL_MIDDLE steps, the distribution function and five derivatives, over their
   factorials; beyond its ends the function is 0 or 1 to all digits that matter here. There are at least two systems. */
#define NORMAL_STEPS 32
#define NORMAL_MIDDLE 272
#define NORMAL_TERMS 6
int kernel_p_value_agreement(
    const double *x, const double *y, const double *x_scale, const double *y_scale, const double *table, int64_t lines,
    int64_t rows, int64_t systems, double *agreement);

typedef struct {
    int64_t sides, systems, replicates;
} ExceedanceShape;

/* count_exceedances.c: in how many replicates the difference of the sums of two systems is at least a bound, (sides,
   systems, systems) as the bounds. A side has the sums, (..., systems, replicates), that `first` names, and those that
   `second` names are added to them, unless `added` is NULL. */
int kernel_count_exceedances(
    const double *sums, const double *added, const int32_t *first, const int32_t *second, const double *least,
    const ExceedanceShape *shape, int64_t *counts);

/* largest_running_sums.c: the largest of the running sums of steps in each replicate: (replicates,). A step r adds the
   weight of row r, as often as the replicate has drawn it; ~r takes it away. The first sum is that of the starts, each as
   often as its row was drawn. `counts` is (replicates, rows). */
int kernel_largest_running_sums(
    const int32_t *steps, int64_t n_steps, const double *starts, const double *weights, const uint16_t *counts,
    int64_t replicates, int64_t rows, double *largest);

/* edit_distance.c: the edit distance of each segment of a candidate to those of references, which stand one after the other:
   (references, segments). */
int kernel_edit_distance(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int32_t *distances);

/* bag_overlap.c: the tokens that each segment of two texts has in common, as often as both have them: (segments,). */
int kernel_bag_overlap(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *overlap);

/* lcs_length.c: the length of the longest common subsequence of such segments: (references, segments). */
int kernel_lcs_length(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int32_t *lengths);

/* weighted_lcs.c: the weight of a common subsequence of each pair of segments, as the paper defines it, or as
   ROUGE-1.5.5 finds it: (segments,). `weights` are those of runs of 0, 1, 2, ... tokens, up to the shorter of the
   longest segments. */
int kernel_weighted_lcs(
    const Text *candidate, const Text *reference, int64_t vocabulary, const double *weights, double *weight);
int kernel_weighted_runs(
    const Text *candidate, const Text *reference, int64_t vocabulary, const double *weights, double *weight);

/* skip_bigrams.c: the pairs of tokens in order that each pair of segments has in common, as often as both have them:
   (segments,). The second token stands at most `reach` places after the first. Single tokens may count as well. */
#define SINGLES_NONE 0
#define SINGLES_ALL 1
#define SINGLES_BUT_LAST 2 /* all but the last of each segment */
int kernel_skip_bigrams(
    const Text *candidate, const Text *reference, int64_t vocabulary, int64_t reach, int singles, int64_t *hits);

/* greedy_matching.c: the greedy matching of each segment of a candidate with its references. `references` has them side by
   side, with an id between them that the candidate does not have. `caps` are the hits that may stay, nan where nothing is to
   be matched; `weights` are those of runs of 0, 1, 2, ... tokens, up to the shorter of the longest segments. `whole` is the
   weight of the runs that stay whole (nan for nan), `rest` the hits of the run at which the cap is reached (0 if it is not):
   (segments,). */
int kernel_greedy_matching(
    const Text *candidate, const Text *references, int64_t vocabulary, const double *caps, const double *weights,
    double *whole, double *rest);

/* ter.c: the edits with shifts of each segment of a candidate to that of a reference, as `metaeval.metrics.ter_shifts` tells:
   edits, insertions, deletions, substitutions, shifts, words shifted, whether the search was stopped, length of the
   reference, length of the candidate: (segments, 9). Segments have less than 2 to the power of 28 tokens. Beside arrays of
   a segment's length there are three tables (ter_rows.h): up to 6 `kept` bytes, or what sqrt(length) rows of each need. */
typedef struct {
    int aligned_only; /* blocks go to aligned places only */
    int64_t size, distance, beam, choices; /* below 0: no limit */
    int64_t kept;     /* tables of up to so many bytes are kept whole; this changes no number */
} ShiftLimits;
int kernel_shift_edits(
    const Text *candidate, const Text *reference, int64_t vocabulary, const ShiftLimits *limits, int32_t *numbers);

/* ngram_matches.c: for each token, a bit for each order n (bit n - 1) if the n-gram that begins there is a clipped match with
   the reference: it is the k-th such n-gram of its segment, and the reference has it at least k times. Orders: 1 to 32.
   `references` holds n_references, one after the other; `hits` has a row of tokens for each, of 4 bytes each if they are wide,
   else of 1, which is enough for 8 orders: fresh memory takes as long as much else. `where`, unless it is NULL, gets for each
   token a place among the ids of the references where the longest n-gram stands that begins there and that a reference has. */
int kernel_ngram_hits(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int wide, void *hits,
    int32_t *where);

static inline uint32_t hits_at(const void *hits, int wide, int64_t token) {
    return wide ? ((const uint32_t *)hits)[token] : ((const uint8_t *)hits)[token];
}

/* ngram_matches.c: the number of such matches with each reference, of each segment and order: (references, segments,
   orders). */
int kernel_ngram_matches(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int32_t *matches);

/* ngram_matches.c: the number of hits of each segment and order: (segments, orders). */
int kernel_count_hits(
    const void *hits, int wide, const int64_t *offsets, int64_t segments, int orders, int32_t *counts);

/* ngram_information.c: number and count the n-grams of a collection, but for those whose first n - 1 tokens occur once.
   Unigrams have the numbers of their tokens, up to `vocabulary`; `numbers` are those of the longer ones that begin at each
   token, (tokens, orders - 1), -1 where none does. `counts` and `prefixes` have room for all: how often each occurs, and the
   number of its first n - 1 tokens, -1 for a unigram. `found` is the number of n-grams. */
int kernel_number_ngrams(
    const Text *text, int64_t vocabulary, int orders, int32_t *numbers, int32_t *counts, int32_t *prefixes,
    int64_t *found);

/* ngram_information.c: add to the counts of n-grams how often they occur in some tokens of such a collection; (n-grams,). */
int kernel_count_numbers(const int32_t *ids, const int32_t *numbers, int64_t tokens, int orders, int32_t *counts);

/* ngram_information.c: for each segment and order, the sum of the information of the n-grams that `hits` marks: (segments,
   orders). `where` is that of kernel_ngram_hits, `numbers` those of the references that were looked at, with these `ids`;
   `information` has a number for each n-gram. */
int kernel_sum_information(
    const int64_t *offsets, int64_t segments, int orders, const int32_t *where, const int32_t *ids,
    const int32_t *numbers, const double *information, const void *hits, int wide, double *sums);

#endif
