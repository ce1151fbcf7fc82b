/* The n-grams of a whole collection of references, and the information that those of a candidate carry.

   An n-gram is known by a number: a unigram by its token, others as they are found. What begins with an n-gram that occurs
   once occurs once as well and carries no information, so that it is left out: most n-grams are. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* The places where an n-gram stands that occurs again, but for those where its segment ends. */
typedef struct {
    int32_t number, first, end; /* among the places of its order */
} Group;

/* The n-grams of one order, and room for those that are a token longer. Places are sorted by their n-gram. */
typedef struct {
    uint8_t *left;               /* (tokens): how many stand from here to the end of the segment, up to 255 */
    int32_t *places, *next;      /* (tokens) */
    int32_t *at, *starts;        /* (tokens): of the longer n-grams of a group: the number at each place, where its places begin */
    int32_t *last_group, *child; /* (vocabulary): the group that a token followed last, and the number of both together */
    Group *groups, *longer;      /* (tokens / 2) */
    int64_t n_groups, n_longer;
} NgramsOfOrder;

static int allocate_order(NgramsOfOrder *level, int64_t tokens, int64_t vocabulary) {
    level->left = kernel_memory(tokens, sizeof(uint8_t));
    level->places = kernel_memory(tokens, sizeof(int32_t));
    level->next = kernel_memory(tokens, sizeof(int32_t));
    level->at = kernel_memory(tokens, sizeof(int32_t));
    level->starts = kernel_memory(tokens > vocabulary ? tokens : vocabulary, sizeof(int32_t));
    level->last_group = kernel_memory(vocabulary, sizeof(int32_t));
    level->child = kernel_memory(vocabulary, sizeof(int32_t));
    level->groups = kernel_memory(tokens / 2, sizeof(Group));
    level->longer = kernel_memory(tokens / 2, sizeof(Group));
    level->n_longer = 0;
    int taken = level->left && level->places && level->next && level->at && level->starts && level->last_group &&
                level->child && level->groups && level->longer;
    return taken ? KERNEL_DONE : KERNEL_NO_MEMORY;
}

static void free_order(NgramsOfOrder *level) {
    void *all[] = {level->left,       level->places, level->next,   level->at, level->starts,
                   level->last_group, level->child,  level->groups, level->longer};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        free(all[k]);
    }
}

/* Sort the places of a group by the longer n-grams that stand there, which are numbered from `low` to `high`; those that occur
   again become groups. `number_at` has the number for each place of the group. */
static void regroup(
    NgramsOfOrder *level, const int32_t *places, const int32_t *number_at, Group group, int64_t low, int64_t high, int order,
    const int32_t *counts) {
    int32_t start = group.first;
    for (int64_t number = low; number < high; number++) {
        level->starts[number - low] = start;
        start += counts[number] > 1 ? counts[number] : 0;
    }
    for (int32_t k = group.first; k < group.end; k++) {
        int32_t number = number_at[k - group.first];
        if (counts[number] > 1 && level->left[places[k]] > order) {
            level->next[level->starts[number - low]++] = places[k];
        }
    }
    start = group.first;
    for (int64_t number = low; number < high; number++) {
        if (level->starts[number - low] > start) {
            level->longer[level->n_longer++] = (Group){(int32_t)number, start, level->starts[number - low]};
        }
        start += counts[number] > 1 ? counts[number] : 0;
    }
}

int kernel_number_ngrams(
    const Text *text, int64_t vocabulary, int orders, int32_t *numbers, int32_t *counts, int32_t *prefixes,
    int64_t *found) {
    int64_t tokens = text->offsets[text->segments], count = vocabulary;
    const int32_t *ids = text->ids;
    NgramsOfOrder level;
    int status = allocate_order(&level, tokens, vocabulary);
    for (int64_t i = 0; status == KERNEL_DONE && i < text->segments; i++) {
        for (int64_t j = text->offsets[i]; j < text->offsets[i + 1]; j++) {
            int64_t left = text->offsets[i + 1] - j;
            level.left[j] = (uint8_t)(left < 255 ? left : 255);
        }
    }
    if (status == KERNEL_DONE) {
        memset(numbers, 0xff, (size_t)(tokens * (orders - 1)) * sizeof(int32_t)); /* -1 everywhere */
    }
    for (int64_t token = 0; status == KERNEL_DONE && token < vocabulary; token++) {
        counts[token] = 0;
        prefixes[token] = level.last_group[token] = -1;
    }
    for (int64_t j = 0; status == KERNEL_DONE && j < tokens; j++) {
        counts[ids[j]]++;
        level.places[j] = (int32_t)j;
    }
    if (status == KERNEL_DONE) {
        regroup(&level, level.places, ids, (Group){-1, 0, (int32_t)tokens}, 0, vocabulary, 1, counts);
    }
    for (int order = 2; status == KERNEL_DONE && order <= orders; order++) {
        int32_t *places = level.next;
        Group *groups = level.longer;
        level.next = level.places;
        level.places = places;
        level.longer = level.groups;
        level.groups = groups;
        level.n_groups = level.n_longer;
        level.n_longer = 0;
        for (int64_t g = 0; status == KERNEL_DONE && g < level.n_groups; g++) {
            Group group = groups[g];
            int64_t low = count;
            for (int32_t k = group.first; k < group.end; k++) {
                int32_t token = ids[places[k] + order - 1];
                if (level.last_group[token] != group.number) {
                    level.last_group[token] = group.number;
                    level.child[token] = (int32_t)count;
                    counts[count] = 0;
                    prefixes[count++] = group.number;
                }
                int32_t number = level.child[token];
                counts[number]++;
                level.at[k - group.first] = number;
                numbers[(int64_t)places[k] * (orders - 1) + order - 2] = number;
            }
            regroup(&level, places, level.at, group, low, count, order, counts);
            status = kernel_interrupted() ? KERNEL_INTERRUPTED : status;
        }
    }
    free_order(&level);
    *found = count;
    return status;
}

int kernel_count_numbers(const int32_t *ids, const int32_t *numbers, int64_t tokens, int orders, int32_t *counts) {
    for (int64_t j = 0; j < tokens; j++) {
        counts[ids[j]]++;
        for (int64_t k = j * (orders - 1); k < (j + 1) * (orders - 1); k++) {
            if (numbers[k] >= 0) {
                counts[numbers[k]]++;
            }
        }
    }
    return KERNEL_DONE;
}

/* Add a number to a sum that is kept in two parts, so that the total is rounded once (Knuth's two-sum). */
static inline void add_exactly(double *sum, double *rest, double number) {
    double total = *sum + number, other = total - *sum;
    *rest += (*sum - (total - other)) + (number - other);
    *sum = total;
}

int kernel_sum_information(
    const int64_t *offsets, int64_t segments, int orders, const int32_t *where, const int32_t *ids,
    const int32_t *numbers, const double *information, const void *hits, int wide, double *sums) {
    const uint32_t looked_at = UINT32_MAX >> (32 - orders);
    double sum[32], rest[32];
    for (int64_t i = 0; i < segments; i++) {
        for (int k = 0; k < orders; k++) {
            sum[k] = rest[k] = 0.0;
        }
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            const int32_t *longer = numbers + (int64_t)where[j] * (orders - 1) - 1;
            for (uint32_t left = hits_at(hits, wide, j) & looked_at; left; left &= left - 1) {
                int k = lowest_bit(left); /* of order k + 1 */
                int32_t number = k == 0 ? ids[where[j]] : longer[k];
                if (number >= 0) {
                    add_exactly(&sum[k], &rest[k], information[number]);
                }
            }
        }
        for (int k = 0; k < orders; k++) {
            sums[i * orders + k] = sum[k] + rest[k];
        }
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}
