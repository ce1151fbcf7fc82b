/* N-grams: which of a candidate are clipped matches, and how many are. */
#include "grams.h"

#include <stdlib.h>
#include <string.h>

/* A candidate's segment, which is compared with some of the references. */
typedef struct {
    const Text *candidate;
    int64_t segment, first; /* the first of the references looked at */
    int references, orders;
    uint32_t number; /* of the system, from 1 */
} Case;

/* Mark hits: a bit for an order. `hits` is (references, tokens), `marks` has room for (longest segment, width). */
static void mark(Grams *grams, const Case *at, int32_t *marks, void *hits) {
    const Text *candidate = at->candidate;
    const int32_t *ids = segment_ids(candidate, at->segment);
    int64_t length = segment_length(candidate, at->segment), tokens = candidate->offsets[candidate->segments];
    int width = grams->width;
    memset(marks, 0, (size_t)(length * width) * sizeof(int32_t));
    int64_t count = length;
    for (int order = 1; order <= at->orders && count; order++) {
        count = look_up_order(grams, ids, length, order, count, at->number);
        int32_t bit = (int32_t)(UINT32_C(1) << (order - 1));
        for (int64_t k = 0; k < count; k++) {
            const int32_t *counts = gram(grams, grams->numbers[k])->counts;
            int32_t earlier = grams->earlier[k], *of_start = marks + (int64_t)grams->starts[k] * width;
            for (int four = 0; four < width; four += 4) {
                for (int r = four; r < four + 4; r++) {
                    of_start[r] |= earlier < counts[r] ? bit : 0;
                }
            }
        }
    }
    for (int r = 0; r < at->references; r++) {
        uint32_t *row = (uint32_t *)hits + (at->first + r) * tokens + candidate->offsets[at->segment];
        for (int64_t j = 0; j < length; j++) {
            row[j] = (uint32_t)marks[j * width + r];
        }
    }
}

/* Count hits: `matches` is (references, segments, orders), `sums` has room for the width. */
static void count(Grams *grams, const Case *at, int32_t *sums, void *matches) {
    const int32_t *ids = segment_ids(at->candidate, at->segment);
    int64_t length = segment_length(at->candidate, at->segment), count = length;
    int width = grams->width;
    for (int order = 1; order <= at->orders; order++) {
        memset(sums, 0, (size_t)width * sizeof(int32_t));
        count = look_up_order(grams, ids, length, order, count, at->number);
        for (int64_t k = 0; k < count; k++) {
            const int32_t *counts = gram(grams, grams->numbers[k])->counts;
            int32_t earlier = grams->earlier[k];
            for (int four = 0; four < width; four += 4) {
                for (int r = four; r < four + 4; r++) {
                    sums[r] += earlier < counts[r];
                }
            }
        }
        for (int r = 0; r < at->references; r++) {
            int64_t row = (at->first + r) * at->candidate->segments + at->segment;
            ((int32_t *)matches)[row * at->orders + order - 1] = sums[r];
        }
    }
}

/* Compare each segment of a candidate with all references; `room` is for the numbers that each case needs. */
static int compare(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int64_t room,
    void (*look)(Grams *, const Case *, int32_t *, void *), void *result) {
    Grams grams;
    int status = take_grams(&grams, candidate, references, n_references, orders);
    int32_t *numbers = kernel_memory(room * grams.width, sizeof(int32_t));
    status = status == KERNEL_DONE && !numbers ? KERNEL_NO_MEMORY : status;
    int64_t segments = n_references ? references->segments / n_references : 0;
    Case at = {.candidate = candidate, .orders = orders};
    for (; status == KERNEL_DONE && at.first < n_references; at.first += TOGETHER) {
        int64_t rest = n_references - at.first;
        at.references = rest < TOGETHER ? (int)rest : TOGETHER;
        for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
            learn_grams(&grams, references, at.first, at.references, segments, i, orders);
            at.number = 0;
            for (at.segment = i; at.segment < candidate->segments; at.segment += segments) {
                at.number++;
                look(&grams, &at, numbers, result);
            }
            status = kernel_interrupted() ? KERNEL_INTERRUPTED : status;
        }
    }
    free_grams(&grams);
    free(numbers);
    return status;
}

int kernel_ngram_hits(const Text *candidate, const Text *references, int64_t n_references, int orders, uint32_t *hits) {
    return compare(candidate, references, n_references, orders, longest_segment(candidate), mark, hits);
}

int kernel_ngram_matches(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int32_t *matches) {
    return compare(candidate, references, n_references, orders, 1, count, matches);
}

int kernel_count_hits(const uint32_t *hits, const int64_t *offsets, int64_t segments, int orders, int32_t *counts) {
    for (int64_t i = 0; i < segments; i++) {
        int32_t *count = counts + i * orders;
        memset(count, 0, (size_t)orders * sizeof(int32_t));
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            for (int order = 0; order < orders; order++) {
                count[order] += hits[j] >> order & 1;
            }
        }
    }
    return KERNEL_DONE;
}

/* A multiplier of random bits; the high bits of the product depend on all bits of the key. */
static inline uint64_t place_of(uint64_t key, int shift) {
    key ^= key >> 29;
    return key * UINT64_C(0x9E3779B97F4A7C15) >> shift;
}

/* --- information: n-grams of a whole collection of references ---------------------------------------------------------

   A table of (prefix, token) keys that the caller keeps between calls: keys (capacity), 0 where empty, numbers (capacity).
   Unigrams have the prefix -1 and are keyed like all others. A stored key is the key plus one, so that it is never 0. */

static inline uint64_t stored(int32_t prefix, int32_t token) {
    return key_of(prefix + 1, token) + 1;
}

/* Return the place of a key, from where it may begin, or the empty place where it belongs. */
static inline uint64_t look_up(const uint64_t *keys, int bits, uint64_t key, uint64_t place) {
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    while (keys[place] != 0 && keys[place] != key) {
        place = (place + 1) & mask;
    }
    return place;
}

/* The table is far larger than the caches. So the places of all n-grams of a segment and an order are asked for first,
   and looked at when they have come. */
static inline uint64_t ask_for(const uint64_t *keys, const int32_t *numbers, int bits, uint64_t key) {
    uint64_t place = place_of(key, 64 - bits);
#if defined(__GNUC__)
    __builtin_prefetch(keys + place);
    __builtin_prefetch(numbers + place);
#else
    (void)keys;
    (void)numbers;
#endif
    return place;
}

int kernel_count_ngrams(
    const Text *text, int orders, int bits, uint64_t *keys, int32_t *numbers, int64_t *counts, int32_t *prefixes,
    int64_t *found) {
    int64_t longest = longest_segment(text), count = 0;
    int32_t *prefix = kernel_memory(longest, sizeof(int32_t));
    uint64_t *places = kernel_memory(longest, sizeof(uint64_t));
    int status = prefix && places ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < text->segments; i++) {
        const int32_t *ids = segment_ids(text, i);
        int64_t length = segment_length(text, i);
        for (int64_t j = 0; j < length; j++) {
            prefix[j] = -1;
        }
        for (int order = 1; order <= orders; order++) {
            for (int64_t j = 0; j + order <= length; j++) {
                places[j] = ask_for(keys, numbers, bits, stored(prefix[j], ids[j + order - 1]));
            }
            for (int64_t j = 0; j + order <= length; j++) {
                uint64_t key = stored(prefix[j], ids[j + order - 1]), place = look_up(keys, bits, key, places[j]);
                if (keys[place] == 0) {
                    keys[place] = key;
                    numbers[place] = (int32_t)count;
                    counts[count] = 0;
                    prefixes[count++] = prefix[j];
                }
                counts[prefix[j] = numbers[place]]++;
            }
        }
        if (kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(prefix);
    free(places);
    *found = count;
    return status;
}

/* Add a number to a sum that is kept in two parts, so that the total is rounded once (Knuth's two-sum). */
static inline void add(double *sum, double *rest, double number) {
    double total = *sum + number, other = total - *sum;
    *rest += (*sum - (total - other)) + (number - other);
    *sum = total;
}

int kernel_sum_information(
    const Text *candidate, int orders, int bits, const uint64_t *keys, const int32_t *numbers, const double *information,
    const uint32_t *hits, double *sums) {
    int64_t longest = longest_segment(candidate);
    int32_t *prefix = kernel_memory(longest, sizeof(int32_t));
    uint64_t *places = kernel_memory(longest, sizeof(uint64_t));
    int status = prefix && places ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t i = 0; status == KERNEL_DONE && i < candidate->segments; i++) {
        const int32_t *ids = segment_ids(candidate, i);
        const uint32_t *wanted = hits + candidate->offsets[i];
        int64_t length = segment_length(candidate, i);
        for (int64_t j = 0; j < length; j++) {
            prefix[j] = -1;
        }
        for (int order = 1; order <= orders; order++) {
            double sum = 0.0, rest = 0.0;
            /* An n-gram is followed as long as a longer one that begins with it is wanted. */
            for (int64_t j = 0; j + order <= length; j++) {
                if (wanted[j] >> (order - 1)) {
                    places[j] = ask_for(keys, numbers, bits, stored(prefix[j], ids[j + order - 1]));
                }
            }
            for (int64_t j = 0; j + order <= length; j++) {
                if (wanted[j] >> (order - 1)) {
                    uint64_t key = stored(prefix[j], ids[j + order - 1]), place = look_up(keys, bits, key, places[j]);
                    /* What is not in the table carries nothing, and neither does what begins with it. */
                    prefix[j] = keys[place] == key ? numbers[place] : -2;
                    if (prefix[j] >= 0 && wanted[j] >> (order - 1) & 1) {
                        add(&sum, &rest, information[prefix[j]]);
                    }
                }
            }
            sums[i * orders + order - 1] = sum + rest;
        }
        if (kernel_interrupted()) {
            status = KERNEL_INTERRUPTED;
        }
    }
    free(prefix);
    free(places);
    return status;
}
