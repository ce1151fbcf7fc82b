/* The search of TER for shifts: the plain definition, and what its words mean, is `metaeval.metrics.ter_shifts`.

   Every number is that of the plain definition. It is found faster in three ways.

   - A shift changes the text between the block and its new place. The rows before are known, and so are the distances
     from what comes behind, by the table of both texts read backwards: only the rows between are made for a shift tried.
     (For a reference of up to 64 words it is quicker to go on to the end.)
   - Rows are made without forgetting cells, 64 cells at a time. The distance so found is at most that with a beam. Only
     where it is good enough, but above `exact_up_to`, the rows with the beam have to tell.
   - A shift of a block of w words saves at most 2 w edits, and moving a block past w words is moving these. No text with
     the same words has a smaller distance than their bags. A shift that cannot be the best one by this is not tried.

   How far a beam changes nothing. Let n, m be the lengths, D(i, j) the distances without a beam, and d that of the whole.
   Suppose a cell of a cheapest way is forgotten, and (i, j) is the first. Then D(i, j) > c + beam, where c is the cost of
   the row's cheapest way to match or substitute, to a cell (i, k). Words of the text that the reference does not have cost
   an edit each, those before word i in c, the others in the rest of the cheapest way: so d > u + beam for u such words.
   And cells differ by at most as much as they lie apart, so |j - k| > beam; c >= |i - k|, and the rest of the way costs at
   least |(n - i) - (m - j)|:

     d >= |i - k| + beam + 1 + |(n - m) - (i - j)| >= |j - k| - |n - m| + beam + 1 >= 2 (beam + 1) - |n - m|.

   So where d is less than this, or not above u + beam, no cell of a cheapest way is forgotten. These cells then have
   their costs, and no cell has less than without a beam, so that the alignment, a cheapest way, is the same too. */
#include "ter_shifts.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of a pair. */
#define NUMBERS 9

typedef enum { MATCH_OR_SUBSTITUTE, INSERT, DELETE } Way;

static inline Way way_back(Search *search, int64_t i, int64_t j) {
    Pair *pair = &search->pair;
    if (i == 0 || j == 0) {
        return i ? INSERT : DELETE;
    }
    if (search->beamed) {
        const int32_t *row = row_of(pair, BEAMED, i), *above = row_of(pair, BEAMED, i - 1);
        int32_t cost = row[2 + j], unequal = pair->text[i - 1] != pair->reference.words[j - 1];
        if (above[0] < j && j - 1 <= above[1] && cost == above[2 + j - 1] + unequal) {
            return MATCH_OR_SUBSTITUTE;
        }
        return above[0] <= j && j <= above[1] && cost == above[2 + j] + 1 ? INSERT : DELETE;
    }
    int64_t blocks = pair->reference.blocks, block = (j - 1) >> 6, bit = (j - 1) & 63;
    const uint64_t *row = row_of(pair, FORWARD, i), *above = row_of(pair, FORWARD, i - 1);
    if (row[2 * blocks + block] >> bit & 1) {
        return MATCH_OR_SUBSTITUTE;
    }
    /* The cell costs as much as the one above and to the left; so one above that costs less is one less. */
    return above[blocks + block] >> bit & 1 ? INSERT : DELETE;
}

static void align_texts(Search *search) {
    const Reference *reference = &search->pair.reference;
    const int32_t *text = search->pair.text;
    int64_t n = search->pair.n_words, m = reference->length, i = n, j = m;
    search->insertions = search->deletions = search->substitutions = 0;
    while (i || j) {
        Way way = way_back(search, i, j);
        i -= way != DELETE;
        j -= way != INSERT;
        int unmatched = way != MATCH_OR_SUBSTITUTE || text[i] != reference->words[j];
        if (way != DELETE) {
            search->wrong_before[i + 1] = unmatched;
        }
        if (way != INSERT) {
            search->open_before[j + 1] = unmatched;
            search->places[j] = (int32_t)(way == DELETE ? i - 1 : i);
            search->deleted[j] = way == DELETE;
        }
        search->insertions += way == INSERT;
        search->deletions += way == DELETE;
        search->substitutions += way == MATCH_OR_SUBSTITUTE && unmatched;
    }
    search->distance_now = search->insertions + search->deletions + search->substitutions;
    search->wrong_before[0] = search->open_before[0] = 0;
    for (i = 0; i < n; i++) {
        search->wrong_before[i + 1] += search->wrong_before[i];
    }
    for (j = 0; j < m; j++) {
        search->open_before[j + 1] += search->open_before[j];
    }
    count_steps(&search->pair, n + m);
}

/* Align the text, whose words `from` up to `to` have changed; a text taken for the first time has no tables. Return 0
   where there is no memory. */
static int align_changed(Search *search, int first, int32_t from, int32_t to) {
    Pair *pair = &search->pair;
    int64_t n = pair->n_words, none = n + 1;
    int long_reference = pair->reference.blocks > 1;
    if (first && (!begin_table(pair, FORWARD) || (long_reference && !begin_table(pair, BACKWARD)))) {
        return 0;
    }
    fill_table(pair, FORWARD, from, first ? none : to);
    if (long_reference) {
        fill_table(pair, BACKWARD, n - to, first ? none : n - from);
    }
    search->free_distance = (int32_t)n + rise_of(row_of(pair, FORWARD, n), pair->reference.blocks, pair->reference.length);
    /* A shift is made only if it makes the distance smaller: once the beam changes nothing, it never does. */
    search->beamed = search->free_distance > search->exact_up_to;
    if (search->beamed && !pair->interrupted) {
        if (first && (!begin_table(pair, BEAMED) ||
                      !make_room(&search->costs, &search->costs_room, 2 * pair->tables[BEAMED].size))) {
            return 0;
        }
        fill_table(pair, BEAMED, from, none);
    }
    if (!pair->interrupted) {
        align_texts(search);
    }
    return 1;
}

/* Return the distance of the bags of words: no shift brings that of the texts below it. Count the words of the text that
   the reference does not have. */
static int32_t bag_distance(Search *search, int32_t *unknown) {
    const Reference *reference = &search->pair.reference;
    int32_t n = (int32_t)search->pair.n_words, m = reference->length, common = 0;
    search->left[0] = 0;
    for (int32_t type = 1; type <= reference->types; type++) {
        search->left[type] = reference->first[type + 1] - reference->first[type];
    }
    for (int32_t i = 0; i < n; i++) {
        common += search->left[search->pair.text[i]]-- > 0;
    }
    *unknown = -search->left[0];
    return larger(n, m) - common;
}

/* Find the shift to be made, and return whether there is one. No shift makes the distance less than `fewest`. */
static int find_best(Search *search, int32_t longest, int32_t fewest, Shift *best) {
    int32_t n = (int32_t)search->pair.n_words, saved = -1;
    int32_t overlooked = search->distance_now - search->free_distance;
    for (int32_t length = longest; length > 0; length--) {
        count_steps(&search->pair, n / 4);
        for (int32_t start = 0; start + length <= n; start++) {
            int32_t count = search->reach[start] >= length ? find_positions(search, start, length) : 0;
            for (int32_t k = 0; k < count; k++) {
                /* Above this limit a shift saves no more than the best one so far. */
                int32_t limit = search->distance_now - saved - 2;
                if (saved >= 2 * length || limit < fewest || search->pair.interrupted) {
                    return saved >= 0;
                }
                Shift shift = {start, length, search->offered[k]};
                int32_t passed = shift.position < start ? start - shift.position : shift.position - start;
                if (overlooked + 2 * smaller(passed, length) - 1 <= saved) {
                    continue;
                }
                int32_t cost = cost_of(search, shift, limit);
                if (cost <= limit) {
                    *best = shift;
                    saved = search->distance_now - cost - 1;
                }
            }
        }
    }
    return saved >= 0;
}

static void make_shift(Search *search, Shift shift) {
    int32_t *start = search->pair.text + shift.start, *end = start + shift.length;
    int32_t *position = search->pair.text + shift.position;
    memcpy(search->moved, start, (size_t)shift.length * sizeof(int32_t));
    if (position < start) {
        memmove(position + shift.length, position, (size_t)(start - position) * sizeof(int32_t));
    } else {
        memmove(start, end, (size_t)(position - start) * sizeof(int32_t));
    }
    memcpy(position, search->moved, (size_t)shift.length * sizeof(int32_t));
}

/* Find the numbers of a pair; return 0 where there is no memory. */
static int count_edits(Search *search, const ShiftLimits *limits, int32_t *numbers) {
    Pair *pair = &search->pair;
    int32_t n = (int32_t)pair->n_words, m = pair->reference.length, shifts = 0, words_shifted = 0;
    int64_t room = limits->choices;
    int stopped = 0;
    int32_t unknown, fewest = bag_distance(search, &unknown);
    search->exact_up_to = NO_LIMIT;
    if (limits->beam >= 0) {
        pair->beam = (int32_t)(limits->beam < FORGOTTEN ? limits->beam : FORGOTTEN);
        search->exact_up_to = larger(unknown + pair->beam, 2 * pair->beam + 1 - (n > m ? n - m : m - n));
    }
    if (!align_changed(search, 1, 0, n)) {
        return 0;
    }
    while (!pair->interrupted) {
        Shift best = {0, 0, 0};
        int32_t longest = find_reach(search);
        if (longest && limits->choices >= 0) {
            room -= count_electable(search, room);
            stopped = room < 0;
        }
        if (stopped || !find_best(search, longest, fewest, &best) || pair->interrupted) {
            break;
        }
        make_shift(search, best);
        Change change = change_of(best);
        if (!align_changed(search, 0, change.from, change.to)) {
            return 0;
        }
        shifts++;
        words_shifted += best.length;
    }
    int32_t found[NUMBERS] = {
        search->distance_now + shifts, search->insertions, search->deletions, search->substitutions, shifts,
        words_shifted, stopped, m, n};
    memcpy(numbers, found, sizeof found);
    return 1;
}

static int begin_search(Search *search, int64_t n, int64_t m, int64_t vocabulary) {
    search->pair.text = kernel_memory(n, sizeof(int32_t));
    search->places = kernel_memory(m, sizeof(int32_t));
    search->deleted = kernel_memory(m, sizeof(uint8_t));
    search->open_before = kernel_memory(m + 1, sizeof(int32_t));
    search->wrong_before = kernel_memory(n + 1, sizeof(int32_t));
    search->aims_begin = kernel_memory(n, sizeof(int32_t));
    search->aims_end = kernel_memory(n, sizeof(int32_t));
    search->reach = kernel_memory(n, sizeof(int32_t));
    search->offered = kernel_memory(n + 1, sizeof(int32_t));
    search->offered_to = kernel_zeros(n + 1, sizeof(int64_t));
    search->bits = kernel_memory(2 * (m / 64 + 1), sizeof(uint64_t));
    search->moved = kernel_memory(n, sizeof(int32_t));
    search->left = kernel_memory(m + 1, sizeof(int32_t));
    return begin_pair(&search->pair, m, vocabulary) && search->pair.text && search->places && search->deleted &&
           search->open_before && search->wrong_before && search->aims_begin && search->aims_end && search->reach &&
           search->offered && search->offered_to && search->bits && search->moved && search->left;
}

static void end_search(Search *search) {
    void *memory[] = {
        search->pair.text, search->places, search->deleted, search->open_before, search->wrong_before,
        search->aims_begin, search->aims_end, search->reach, search->offered, search->offered_to, search->bits,
        search->costs, search->moved, search->left};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        free(memory[k]);
    }
    end_pair(&search->pair);
}

static int32_t limit_or_none(int64_t limit) {
    return limit < 0 || limit > NO_LIMIT ? NO_LIMIT : (int32_t)limit;
}

int kernel_shift_edits(
    const Text *candidate, const Text *reference, int64_t vocabulary, const ShiftLimits *limits, int32_t *numbers) {
    Search search = {
        .pair = {.kept = limits->kept},
        .aligned_only = limits->aligned_only,
        .size = limit_or_none(limits->size),
        .distance = limit_or_none(limits->distance),
    };
    Pair *pair = &search.pair;
    int enough = begin_search(&search, longest_segment(candidate), longest_segment(reference), vocabulary);
    int status = enough ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t j = 0; status == KERNEL_DONE && j < reference->segments; j++) {
        set_reference(pair, segment_ids(reference, j), segment_length(reference, j));
        for (int64_t i = j; status == KERNEL_DONE && i < candidate->segments; i += reference->segments) {
            const int32_t *tokens = segment_ids(candidate, i);
            pair->n_words = segment_length(candidate, i);
            for (int64_t k = 0; k < pair->n_words; k++) {
                pair->text[k] = pair->reference.numbers[tokens[k]];
            }
            if (!count_edits(&search, limits, numbers + NUMBERS * i)) {
                status = KERNEL_NO_MEMORY;
            } else if (pair->interrupted || kernel_interrupted()) {
                status = KERNEL_INTERRUPTED;
            }
        }
    }
    end_search(&search);
    return status;
}
