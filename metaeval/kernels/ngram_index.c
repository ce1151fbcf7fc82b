/* The n-grams of one segment of some references; see ngram_index.h. */
#include "ngram_index.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_PER_NGRAM 4

int allocate_ngram_index(
    NgramIndex *grams, const Text *candidate, const Text *references, int64_t n_references, int orders, int with_places) {
    int64_t longest = longest_segment(references), other = longest_segment(candidate);
    int64_t together = n_references < REFERENCES_TOGETHER ? n_references : REFERENCES_TOGETHER;
    int64_t most = longest * orders * together;
    longest = longest > other ? longest : other;
    grams->width = (int)((together + 3) / 4 * 4);
    grams->size = (int32_t)((sizeof(Ngram) + (size_t)grams->width * sizeof(int32_t)) / BYTES_OF_UNIT);
    if (most >= INT32_MAX / grams->size) {
        return KERNEL_TOO_LONG;
    }
    grams->grams = kernel_zeros((most + 1) * grams->size, BYTES_OF_UNIT);
    grams->table.numbers = kernel_memory(INT64_C(1) << hash_table_bits(most, PLACES_PER_NGRAM), sizeof(int32_t));
    grams->starts = kernel_memory(longest, sizeof(int32_t));
    grams->numbers = kernel_memory(longest, sizeof(int32_t));
    grams->earlier = kernel_memory(longest, sizeof(int32_t));
    grams->places = with_places ? kernel_memory((most + 1) * grams->size, sizeof(int32_t)) : NULL;
    grams->next = 0;
    int taken = (grams->places || !with_places) && grams->grams && grams->table.numbers && grams->starts &&
                grams->numbers && grams->earlier;
    return taken ? KERNEL_DONE : KERNEL_NO_MEMORY;
}

void free_ngram_index(NgramIndex *grams) {
    free(grams->grams);
    free(grams->table.numbers);
    free(grams->places);
    free(grams->starts);
    free(grams->numbers);
    free(grams->earlier);
}

void index_reference_ngrams(
    NgramIndex *grams, const Text *references, int64_t first, int n_references, int64_t segments, int64_t i, int orders) {
    int64_t tokens = 0;
    for (int r = 0; r < n_references; r++) {
        tokens += segment_length(references, (first + r) * segments + i);
    }
    memset(grams->grams, 0, (size_t)grams->next * BYTES_OF_UNIT);
    grams->next = grams->size;
    empty_hash_table(&grams->table, hash_table_bits(tokens * orders, PLACES_PER_NGRAM));
    for (int r = 0; r < n_references; r++) {
        const int32_t *ids = segment_ids(references, (first + r) * segments + i);
        int64_t length = segment_length(references, (first + r) * segments + i);
        for (int order = 1; order <= orders; order++) {
            for (int64_t j = 0; j + order <= length; j++) {
                uint64_t key = key_of(order == 1 ? 0 : grams->numbers[j], ids[j + order - 1]);
                int32_t *place = find_ngram(grams, key);
                int32_t known = *place, number = known ? known : grams->next;
                grams->next += known ? 0 : grams->size;
                *place = number;
                if (grams->places && !known) {
                    grams->places[number] = (int32_t)(ids + j - references->ids);
                }
                ngram_of(grams, number)->key = key;
                ngram_of(grams, number)->counts[r]++;
                grams->numbers[j] = number;
            }
        }
    }
}
