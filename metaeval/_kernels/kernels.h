/* What all kernels share: texts as arrays, memory, and a way to be interrupted.

   A text is a row of token ids with offsets: segment i owns ids[offsets[i]] up to ids[offsets[i + 1]]. Ids are from 0 to
   vocabulary - 1. The binding (module.c) has checked all of this before a kernel runs, so kernels check nothing.

   A candidate may hold several systems, one after the other: it then has a multiple of the reference's segments, and its
   segment s * reference.segments + i belongs to segment i of the reference. `segments` of results are the candidate's.

   Kernels return KERNEL_DONE, KERNEL_NO_MEMORY or KERNEL_INTERRUPTED. What they allocate grows with the length of a
   segment and with the vocabulary, never with the square of a length. They hold no state between calls and may run in
   several threads at once. */
#ifndef METAEVAL_KERNELS_H
#define METAEVAL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define KERNEL_DONE 0
#define KERNEL_NO_MEMORY (-1)
#define KERNEL_INTERRUPTED (-2)

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

/* Return the number of tokens of the longest segment. */
int64_t longest_segment(const Text *text);

/* Return whether the user wants to stop (Ctrl-C). Cheap: kernels ask after each segment, and inside long ones. */
int kernel_interrupted(void);

/* Return memory for at least one item, to be given back with free(), or NULL where there is none. */
void *kernel_memory(int64_t count, size_t size);
void *kernel_zeros(int64_t count, size_t size);

/* edits.c: the edit distance of each segment of a candidate to that of a reference: (segments,). */
int kernel_edit_distance(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *distance);

/* overlap.c: the tokens that each segment of two texts has in common, as often as both have them: (segments,). */
int kernel_bag_overlap(const Text *candidate, const Text *reference, int64_t vocabulary, int32_t *overlap);

/* ngrams.c: for each token, a bit for each order n (bit n - 1) if the n-gram that begins there is a clipped match with
   the reference: it is the k-th such n-gram of its segment, and the reference has it at least k times. Orders: 1 to 32.
   `references` holds n_references, one after the other; `hits` has a row of tokens for each. */
int kernel_ngram_hits(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int orders, uint32_t *hits);

/* ngrams.c: the number of hits of each segment and order: (segments, orders). */
int kernel_count_hits(const uint32_t *hits, const int64_t *offsets, int64_t segments, int orders, int32_t *counts);

/* ngrams.c: number and count all n-grams of a collection. `keys` (2 to the power of `bits`, zeros) and `numbers` (as many)
   are a table that has more places than there are n-grams; `counts` and `prefixes` have room for each n-gram: how often
   it occurs, and the number of its first n - 1 tokens, -1 for a unigram. `found` is the number of n-grams. */
int kernel_count_ngrams(
    const Text *text, int orders, int bits, uint64_t *keys, int32_t *numbers, int64_t *counts, int32_t *prefixes,
    int64_t *found);

/* ngrams.c: for each segment and order, the sum of the information of the n-grams that `hits` marks: (segments, orders).
   The table is that of kernel_count_ngrams, `information` has a number for each n-gram in it. */
int kernel_sum_information(
    const Text *candidate, int orders, int bits, const uint64_t *keys, const int32_t *numbers, const double *information,
    const uint32_t *hits, double *sums);

#endif
