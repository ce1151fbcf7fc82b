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
        for (int64_t k = 0; at->reach && k < count; k++) {
            int64_t token = candidate->offsets[at->segment] + grams->starts[k];
            if (at->reach[token] < order) {
                at->reach[token] = (uint8_t)order;
                at->where[token] = grams->places[grams->numbers[k]];
            }
        }
        for (int64_t k = 0; at->where && !at->reach && k < count; k++) {
            at->where[candidate->offsets[at->segment] + grams->starts[k]] = grams->places[grams->numbers[k]];
        }
        for (int64_t k = 0; k < count; k++) {
            const int32_t *restrict counts = gram(grams, grams->numbers[k])->counts;
            int32_t earlier = grams->earlier[k], *restrict of_start = marks + (int64_t)grams->starts[k] * width;
            for (int four = 0; four < width; four += 4) {
                for (int r = four; r < four + 4; r++) {
                    of_start[r] |= -(int32_t)(earlier < counts[r]) & bit;
                }
            }
        }
    }
    for (int r = 0; r < at->references; r++) {
        int64_t start = (at->first + r) * tokens + candidate->offsets[at->segment];
        for (int64_t j = 0; at->wide && j < length; j++) {
            ((uint32_t *)hits)[start + j] = (uint32_t)marks[j * width + r];
        }
        for (int64_t j = 0; !at->wide && j < length; j++) {
            ((uint8_t *)hits)[start + j] = (uint8_t)marks[j * width + r];
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
    Case at, const Text *references, int64_t n_references, int64_t room,
    void (*look)(Grams *, const Case *, int32_t *, void *), void *result) {
    Grams grams;
    int status = take_grams(&grams, at.candidate, references, n_references, at.orders, at.where != NULL);
    int32_t *numbers = kernel_memory(room * grams.width, sizeof(int32_t));
    status = status == KERNEL_DONE && !numbers ? KERNEL_NO_MEMORY : status;
    int64_t segments = n_references ? references->segments / n_references : 0;
    for (; status == KERNEL_DONE && at.first < n_references; at.first += TOGETHER) {
        int64_t rest = n_references - at.first;
        at.references = rest < TOGETHER ? (int)rest : TOGETHER;
        for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
            learn_grams(&grams, references, at.first, at.references, segments, i, at.orders);
            at.number = 0;
            for (at.segment = i; at.segment < at.candidate->segments; at.segment += segments) {
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

int kernel_ngram_hits(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int wide, void *hits,
    int32_t *where) {
    int64_t tokens = candidate->offsets[candidate->segments];
    Case at = {.candidate = candidate, .orders = orders, .wide = wide, .where = where};
    if (where) {
        memset(where, 0, (size_t)tokens * sizeof(int32_t));
        if (n_references > TOGETHER && !(at.reach = kernel_zeros(tokens, sizeof(uint8_t)))) {
            return KERNEL_NO_MEMORY;
        }
    }
    int status = compare(at, references, n_references, longest_segment(candidate), mark, hits);
    free(at.reach);
    return status;
}

int kernel_ngram_matches(
    const Text *candidate, const Text *references, int64_t n_references, int orders, int32_t *matches) {
    return compare((Case){.candidate = candidate, .orders = orders}, references, n_references, 1, count, matches);
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

/* --- information: n-grams of a whole collection of references ---------------------------------------------------------

   An n-gram is known by a number: a unigram by its token, others as they are found. What begins with an n-gram that occurs
   once occurs once as well and carries no information, so that it is left out: most n-grams are. */

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
} Level;

static int take_level(Level *level, int64_t tokens, int64_t vocabulary) {
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

static void free_level(Level *level) {
    void *all[] = {level->left,       level->places, level->next,   level->at, level->starts,
                   level->last_group, level->child,  level->groups, level->longer};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        free(all[k]);
    }
}

/* Sort the places of a group by the longer n-grams that stand there, which are numbered from `low` to `high`; those that occur
   again become groups. `number_at` has the number for each place of the group. */
static void regroup(
    Level *level, const int32_t *places, const int32_t *number_at, Group group, int64_t low, int64_t high, int order,
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
    Level level;
    int status = take_level(&level, tokens, vocabulary);
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
    free_level(&level);
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
static inline void add(double *sum, double *rest, double number) {
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
                    add(&sum[k], &rest[k], information[number]);
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
