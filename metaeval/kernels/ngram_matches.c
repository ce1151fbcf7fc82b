/* N-grams: which of a candidate are clipped matches, and how many are. */
#include "ngram_index.h"

#include <stdlib.h>
#include <string.h>

/* A candidate's segment, which is compared with some of the references. */
typedef struct {
    const Text *candidate;
    int64_t segment, first; /* the first of the references looked at */
    int references, orders;
    uint32_t number; /* of the system, from 1 */
    int wide;        /* hits have 4 bytes, not 1 */
    int32_t *where;  /* (tokens): see kernel_ngram_hits(), or NULL */
    uint8_t *reach;  /* (tokens): the order of the n-gram that stands there; NULL where all references are looked at together */
} Comparison;

/* Mark hits: a bit for an order. `hits` is (references, tokens), `marks` has room for (longest segment, width). */
static void mark_hits(NgramIndex *grams, const Comparison *comparison, int32_t *marks, void *hits) {
    const Text *candidate = comparison->candidate;
    const int32_t *ids = segment_ids(candidate, comparison->segment);
    int64_t length = segment_length(candidate, comparison->segment), tokens = candidate->offsets[candidate->segments];
    int width = grams->width;
    memset(marks, 0, (size_t)(length * width) * sizeof(int32_t));
    int64_t count = length;
    for (int order = 1; order <= comparison->orders && count; order++) {
        count = look_up_ngrams(grams, ids, length, order, count, comparison->number);
        int32_t bit = (int32_t)(UINT32_C(1) << (order - 1));
        for (int64_t k = 0; comparison->reach && k < count; k++) {
            int64_t token = candidate->offsets[comparison->segment] + grams->starts[k];
            if (comparison->reach[token] < order) {
                comparison->reach[token] = (uint8_t)order;
                comparison->where[token] = grams->places[grams->numbers[k]];
            }
        }
        for (int64_t k = 0; comparison->where && !comparison->reach && k < count; k++) {
            comparison->where[candidate->offsets[comparison->segment] + grams->starts[k]] = grams->places[grams->numbers[k]];
        }
        for (int64_t k = 0; k < count; k++) {
            const int32_t *restrict counts = ngram_of(grams, grams->numbers[k])->counts;
            int32_t earlier = grams->earlier[k], *restrict of_start = marks + (int64_t)grams->starts[k] * width;
            for (int four = 0; four < width; four += 4) {
                for (int r = four; r < four + 4; r++) {
                    of_start[r] |= -(int32_t)(earlier < counts[r]) & bit;
                }
            }
        }
    }
    for (int r = 0; r < comparison->references; r++) {
        int64_t start = (comparison->first + r) * tokens + candidate->offsets[comparison->segment];
        for (int64_t j = 0; comparison->wide && j < length; j++) {
            ((uint32_t *)hits)[start + j] = (uint32_t)marks[j * width + r];
        }
        for (int64_t j = 0; !comparison->wide && j < length; j++) {
            ((uint8_t *)hits)[start + j] = (uint8_t)marks[j * width + r];
        }
    }
}

/* Count hits: `matches` is (references, segments, orders), `sums` has room for the width. */
static void count_matches(NgramIndex *grams, const Comparison *comparison, int32_t *sums, void *matches) {
    const int32_t *ids = segment_ids(comparison->candidate, comparison->segment);
    int64_t length = segment_length(comparison->candidate, comparison->segment), count = length;
    int width = grams->width;
    for (int order = 1; order <= comparison->orders; order++) {
        memset(sums, 0, (size_t)width * sizeof(int32_t));
        count = look_up_ngrams(grams, ids, length, order, count, comparison->number);
        for (int64_t k = 0; k < count; k++) {
            const int32_t *counts = ngram_of(grams, grams->numbers[k])->counts;
            int32_t earlier = grams->earlier[k];
            for (int four = 0; four < width; four += 4) {
                for (int r = four; r < four + 4; r++) {
                    sums[r] += earlier < counts[r];
                }
            }
        }
        for (int r = 0; r < comparison->references; r++) {
            int64_t row = (comparison->first + r) * comparison->candidate->segments + comparison->segment;
            ((int32_t *)matches)[row * comparison->orders + order - 1] = sums[r];
        }
    }
}

/* Compare each segment of a candidate with all references; `room` is for the numbers that each case needs. */
static int compare_with_references(
    Comparison comparison, const Text *references, int64_t n_references, int64_t room,
    void (*use_segment)(NgramIndex *, const Comparison *, int32_t *, void *), void *result) {
    NgramIndex grams = {0};
    int with_places = comparison.where != NULL;
    int status =
        allocate_ngram_index(&grams, comparison.candidate, references, n_references, comparison.orders, with_places);
    int32_t *numbers = kernel_memory(room * grams.width, sizeof(int32_t));
    status = status == KERNEL_DONE && !numbers ? KERNEL_NO_MEMORY : status;
    int64_t segments = n_references ? references->segments / n_references : 0;
    for (; status == KERNEL_DONE && comparison.first < n_references; comparison.first += REFERENCES_TOGETHER) {
        int64_t rest = n_references - comparison.first;
        comparison.references = rest < REFERENCES_TOGETHER ? (int)rest : REFERENCES_TOGETHER;
        for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
            index_reference_ngrams(&grams, references, comparison.first, comparison.references, segments, i, comparison.orders);
            comparison.number = 0;
            for (comparison.segment = i; comparison.segment < comparison.candidate->segments; comparison.segment += segments) {
                comparison.number++;
                use_segment(&grams, &comparison, numbers, result);
            }
            status = kernel_interrupted() ? KERNEL_INTERRUPTED : status;
        }
    }
    free_ngram_index(&grams);
    free(numbers);
    return status;
}

int kernel_ngram_hits(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int wide, void *hits,
    int32_t *where) {
    int64_t tokens = candidate->offsets[candidate->segments];
    Comparison comparison = {.candidate = candidate, .orders = orders, .wide = wide, .where = where};
    if (where) {
        memset(where, 0, (size_t)tokens * sizeof(int32_t));
        if (n_references > REFERENCES_TOGETHER && !(comparison.reach = kernel_zeros(tokens, sizeof(uint8_t)))) {
            return KERNEL_NO_MEMORY;
        }
    }
    int status = compare_with_references(comparison, references, n_references, longest_segment(candidate), mark_hits, hits);
    free(comparison.reach);
    return status;
}

int kernel_ngram_matches(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int32_t *matches) {
    const Comparison comparison = {.candidate = candidate, .orders = orders};
    return compare_with_references(comparison, references, n_references, 1, count_matches, matches);
}

int kernel_count_hits(
    const void *hits, int wide, const int64_t *offsets, int64_t segments, int orders, int32_t *counts) {
    for (int64_t i = 0; i < segments; i++) {
        int32_t *count = counts + i * orders;
        memset(count, 0, (size_t)orders * sizeof(int32_t));
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            uint32_t here = hits_at(hits, wide, j);
            for (int order = 0; order < orders; order++) {
                count[order] += here >> order & 1;
            }
        }
    }
    return KERNEL_DONE;
}
