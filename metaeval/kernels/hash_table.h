/* Hash tables with open addressing: a place of the table holds the number of an entry, 0 where it is empty.

   Entries stand in an array of the user's, from number 1 on. Entry 0 is a sentinel: before a search it is made equal to what is
   looked for, so that an empty place ends the search as a hit does, without a branch of its own. */
#ifndef METAEVAL_HASH_TABLE_H
#define METAEVAL_HASH_TABLE_H

#include "kernels.h"

#include <string.h>

typedef struct {
    int32_t *numbers; /* (2 to the power of `bits`) */
    int bits;         /* from 1 to 63 */
} HashTable;

/* The golden ratio in 64 bits: the high bits of a product with it depend on all bits of the other factor. */
#define HASH_MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)

static inline uint64_t hash_of_word(uint64_t key) {
    return (key ^ key >> 29) * HASH_MULTIPLIER;
}

/* Return the bits of a table that has so many places for each of some entries, 16 places at least. */
static inline int hash_table_bits(int64_t entries, int64_t places_per_entry) {
    int bits = 4;
    while (bits < 40 && (INT64_C(1) << bits) < places_per_entry * entries) {
        bits++;
    }
    return bits;
}

/* Empty a table, of which this number of bits is used from now on; there must be room for so many places. */
static inline void empty_hash_table(HashTable *table, int bits) {
    table->bits = bits;
    memset(table->numbers, 0, sizeof(int32_t) << bits);
}

/* Whether an entry is the one that is looked for. */
typedef int (*IsEntry)(const void *entries, int32_t number, const void *key);

/* Return the place of the number of an entry, or the empty place where it belongs. */
static inline __attribute__((always_inline)) int32_t *find_in_hash_table(
    const HashTable *table, uint64_t hash, IsEntry is_entry, const void *entries, const void *key) {
    const uint64_t last = (UINT64_C(1) << table->bits) - 1;
    uint64_t place = hash >> (64 - table->bits);
    while (!is_entry(entries, table->numbers[place], key)) {
        place = (place + 1) & last;
    }
    return &table->numbers[place];
}

#endif
