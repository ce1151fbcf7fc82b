/* The n-grams of one segment of some references, in which those of candidates are looked up.

   An n-gram is known by a number above 0, and (number of its first n - 1 tokens, last token) leads to that number through a
   hash table; the first 0 tokens have the number 0. Keys are compared whole, so equal numbers mean equal n-grams. The table
   has 4 bytes a place, so that that of a segment stays in the nearest cache.

   Whether a reference has the next n-gram of a candidate, and whether the candidate has had it before, cannot be foreseen, and
   a wrong guess of the processor costs more than all else here; so looking up has no branch for either. */
#ifndef METAEVAL_NGRAM_INDEX_H
#define METAEVAL_NGRAM_INDEX_H

#include "hash_table.h"
#include "kernels.h"

/* References are looked at together, so that an n-gram of a candidate is looked up once for all of them; but not too many
   together, since every n-gram keeps a count for each. */
#define REFERENCES_TOGETHER 16

/* What is known of an n-gram. */
typedef struct {
    uint64_t key;
    uint64_t used;   /* the last candidate that had it, times 2 to the power of 32, and how often that has had it so far */
    int32_t counts[]; /* (width): how often each reference has it */
} Ngram;

/* A number says where a gram stands, in units of this many bytes. */
#define BYTES_OF_UNIT 16

typedef struct {
    char *grams;  /* (n-grams + 1): the first stands for all that no reference has */
    int32_t next; /* the number of the next new n-gram */
    int32_t size; /* units of an Ngram */
    int width;    /* a multiple of 4, above which no reference is */
    HashTable table;
    int32_t *places; /* by number: where it stands first among the ids of the references; NULL if nobody asks */
    /* Of the candidate at hand, for each of its n-grams of one order that a reference has: where it begins, its number,
       and how many such n-grams the candidate had before. Each has room for the longest segment. */
    int32_t *starts, *numbers, *earlier;
} NgramIndex;

/* Take memory for the n-grams of the references of any segment, at most REFERENCES_TOGETHER of them. Return a status. All
   fields are 0 before. */
int allocate_ngram_index(
    NgramIndex *grams, const Text *candidate, const Text *references, int64_t n_references, int orders, int with_places);
void free_ngram_index(NgramIndex *grams);

/* Learn the n-grams of segment i of some references, the first of which stands at `first`; forget all others. */
void index_reference_ngrams(
    NgramIndex *grams, const Text *references, int64_t first, int n_references, int64_t segments, int64_t i, int orders);

static inline Ngram *ngram_of(const NgramIndex *grams, int32_t number) {
    return (Ngram *)(grams->grams + (size_t)number * BYTES_OF_UNIT);
}

static inline int is_ngram(const void *entries, int32_t number, const void *key) {
    return ngram_of(entries, number)->key == *(const uint64_t *)key;
}

/* Return the place of an n-gram in the table, or the empty place where it belongs. */
static inline int32_t *find_ngram(const NgramIndex *grams, uint64_t key) {
    ngram_of(grams, 0)->key = key;
    return find_in_hash_table(&grams->table, hash_of_word(key), is_ngram, grams, &key);
}

static inline uint64_t key_of(int32_t prefix, int32_t token) {
    return (uint64_t)(uint32_t)prefix << 32 | (uint32_t)token;
}

/* Look up the n-grams of a candidate that begin with an (n - 1)-gram that was found, of which there are `count`; every token
   begins one of no tokens. Return how many were found. `candidate` is larger for every candidate of the segment. */
static inline int64_t look_up_ngrams(
    NgramIndex *grams, const int32_t *ids, int64_t length, int order, int64_t count, uint32_t candidate) {
    int32_t *starts = grams->starts, *numbers = grams->numbers, *earlier = grams->earlier;
    uint64_t none = (uint64_t)candidate << 32;
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) {
        int32_t start = order == 1 ? (int32_t)k : starts[k], prefix = order == 1 ? 0 : numbers[k];
        if (start + order > length) {
            break;
        }
        int32_t number = *find_ngram(grams, key_of(prefix, ids[start + order - 1]));
        Ngram *of_number = ngram_of(grams, number);
        uint64_t used = of_number->used > none ? of_number->used : none;
        of_number->used = used + 1;
        /* What was not found is written over. */
        starts[found] = start;
        numbers[found] = number;
        earlier[found] = (int32_t)used;
        found += number != 0;
    }
    return found;
}

#endif
