/* N-grams: which of a candidate are clipped matches, and what information the matches carry.

   An n-gram is known by a number, and (number of its first n - 1 tokens, last token) leads to that number through a hash
   table. Keys are compared whole, so equal numbers mean equal n-grams. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

static inline uint64_t key_of(int32_t prefix, int32_t token) {
    return (uint64_t)(uint32_t)prefix << 32 | (uint32_t)token;
}

/* A multiplier of random bits; the high bits of the product depend on all bits of the key. */
static inline uint64_t place_of(uint64_t key, int shift) {
    key ^= key >> 29;
    return key * UINT64_C(0x9E3779B97F4A7C15) >> shift;
}

/* References are looked at together, so that an n-gram of a candidate is looked up once for all of them; but not too many
   together, since every n-gram keeps a count for each. */
#define TOGETHER 16

/* A place in the table: the n-gram of a key, if the stamp is that of the segment at hand. */
typedef struct {
    uint64_t key;
    int32_t number;
    uint32_t stamp;
} Place;

/* The n-grams of one segment of some references. */
typedef struct {
    Place *unigrams; /* (vocabulary) */
    Place *table;    /* (capacity) */
    int32_t *counts; /* (n-grams, TOGETHER): how often each reference has them */
    int32_t *used;   /* (n-grams): how many the system at hand has had so far */
    uint32_t *system; /* (n-grams): the system for which `used` holds */
    int32_t *prefix; /* (longest segment): the number of the (n - 1)-gram that begins at a token, -1 if it has none */
    int shift;
    int32_t count;
} Grams;

static int bits_for(int64_t entries) {
    int bits = 4;
    while (bits < 40 && (INT64_C(1) << bits) < 2 * entries) {
        bits++;
    }
    return bits;
}

/* Return the place of a key, or the empty place where it belongs. */
static inline Place *find(const Grams *grams, uint64_t key, uint32_t stamp) {
    uint64_t mask = (UINT64_C(1) << (64 - grams->shift)) - 1, at = place_of(key, grams->shift);
    while (grams->table[at].stamp == stamp && grams->table[at].key != key) {
        at = (at + 1) & mask;
    }
    return &grams->table[at];
}

/* Count one more of the n-gram of a place in a reference, and return its number. */
static inline int32_t add_one(Grams *grams, Place *place, uint64_t key, uint32_t stamp, int reference) {
    if (place->stamp != stamp) {
        place->stamp = stamp;
        place->key = key;
        place->number = grams->count++;
        grams->system[place->number] = 0;
        memset(grams->counts + (int64_t)place->number * TOGETHER, 0, TOGETHER * sizeof(int32_t));
    }
    grams->counts[(int64_t)place->number * TOGETHER + reference]++;
    return place->number;
}

static void learn(Grams *grams, const int32_t *ids, int64_t length, int orders, uint32_t stamp, int reference) {
    for (int64_t j = 0; j < length; j++) {
        grams->prefix[j] = add_one(grams, &grams->unigrams[ids[j]], 0, stamp, reference);
    }
    for (int order = 2; order <= orders; order++) {
        for (int64_t j = 0; j + order <= length; j++) {
            uint64_t key = key_of(grams->prefix[j], ids[j + order - 1]);
            grams->prefix[j] = add_one(grams, find(grams, key, stamp), key, stamp, reference);
        }
    }
}

/* Mark one more of an n-gram of a system as a hit with each reference that has as many. */
static inline void mark(
    Grams *grams, int32_t number, uint32_t system, int references, uint32_t bit, uint32_t *hits, int64_t stride) {
    if (grams->system[number] != system) {
        grams->system[number] = system;
        grams->used[number] = 0;
    }
    int32_t earlier = grams->used[number]++;
    const int32_t *counts = grams->counts + (int64_t)number * TOGETHER;
    for (int r = 0; r < references; r++) {
        hits[r * stride] |= earlier < counts[r] ? bit : 0;
    }
}

/* `system` is above 0 and differs from system to system; the hits of reference r stand at hits[r * stride]. */
static void match(
    Grams *grams, const int32_t *ids, int64_t length, int orders, uint32_t stamp, uint32_t system, int references,
    uint32_t *hits, int64_t stride) {
    for (int64_t j = 0; j < length; j++) {
        const Place *place = &grams->unigrams[ids[j]];
        grams->prefix[j] = place->stamp == stamp ? place->number : -1;
        if (grams->prefix[j] >= 0) {
            mark(grams, grams->prefix[j], system, references, 1, hits + j, stride);
        }
    }
    for (int order = 2; order <= orders; order++) {
        for (int64_t j = 0; j + order <= length; j++) {
            if (grams->prefix[j] < 0) {
                continue;
            }
            const Place *place = find(grams, key_of(grams->prefix[j], ids[j + order - 1]), stamp);
            grams->prefix[j] = place->stamp == stamp ? place->number : -1;
            if (grams->prefix[j] >= 0) {
                mark(grams, grams->prefix[j], system, references, UINT32_C(1) << (order - 1), hits + j, stride);
            }
        }
    }
}

/* Mark hits with some of the references, which are at most TOGETHER. */
static int hits_with(
    const Text *candidate, const Text *all, int64_t first, int references, int64_t segments, int orders, Grams *grams,
    uint32_t *hits) {
    int64_t tokens = candidate->offsets[candidate->segments];
    for (int64_t i = 0; i < segments; i++) {
        uint32_t stamp = (uint32_t)(i + 1);
        int64_t total = 0;
        for (int r = 0; r < references; r++) {
            total += segment_length(all, (first + r) * segments + i);
        }
        /* A small part of the table for a short segment stays in the cache. */
        grams->shift = 64 - bits_for(total * (orders - 1));
        grams->count = 0;
        for (int r = 0; r < references; r++) {
            int64_t place = (first + r) * segments + i;
            learn(grams, segment_ids(all, place), segment_length(all, place), orders, stamp, r);
        }
        uint32_t system = 1;
        for (int64_t k = i; k < candidate->segments; k += segments) {
            match(
                grams, segment_ids(candidate, k), segment_length(candidate, k), orders, stamp, system++, references,
                hits + first * tokens + candidate->offsets[k], tokens);
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}

int kernel_ngram_hits(
    const Text *candidate, const Text *references, int64_t n_references, int64_t vocabulary, int orders, uint32_t *hits) {
    int64_t segments = n_references ? references->segments / n_references : 0;
    int64_t longest = longest_segment(references), other = longest_segment(candidate);
    /* The most n-grams that some references have together in one segment. */
    int64_t most = longest * orders * (n_references < TOGETHER ? n_references : TOGETHER);
    Grams grams = {
        .unigrams = kernel_memory(vocabulary, sizeof(Place)),
        .table = kernel_memory(INT64_C(1) << bits_for(most), sizeof(Place)),
        .counts = kernel_memory(most, TOGETHER * sizeof(int32_t)),
        .used = kernel_memory(most, sizeof(int32_t)),
        .system = kernel_memory(most, sizeof(uint32_t)),
        .prefix = kernel_memory(longest > other ? longest : other, sizeof(int32_t)),
    };
    int status = KERNEL_DONE;
    if (!grams.unigrams || !grams.table || !grams.counts || !grams.used || !grams.system || !grams.prefix) {
        status = KERNEL_NO_MEMORY;
    } else {
        memset(hits, 0, (size_t)(n_references * candidate->offsets[candidate->segments]) * sizeof(uint32_t));
    }
    for (int64_t first = 0; status == KERNEL_DONE && first < n_references; first += TOGETHER) {
        int64_t rest = n_references - first;
        memset(grams.unigrams, 0, (size_t)vocabulary * sizeof(Place));
        memset(grams.table, 0, ((size_t)1 << bits_for(most)) * sizeof(Place));
        status = hits_with(
            candidate, references, first, rest < TOGETHER ? (int)rest : TOGETHER, segments, orders, &grams, hits);
    }
    free(grams.unigrams);
    free(grams.table);
    free(grams.counts);
    free(grams.used);
    free(grams.system);
    free(grams.prefix);
    return status;
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
