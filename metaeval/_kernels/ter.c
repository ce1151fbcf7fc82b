/* The search of TER for shifts: the plain definition, and what its words mean, is `metaeval.metrics.shifts`.

   The result is that of the plain definition in every number. It is found faster in these ways.

   - A shift changes the text between the block and its new place. Rows before are known, and so are the distances from all
     that comes behind, by the table for both texts read backwards. So only the rows between are made for a shift tried.
   - Rows are made without forgetting cells, 64 cells at a time. The distance so found is at most that with a beam. Where
     it is good enough, and above `exact_up_to`, the rows with a beam tell.
   - No shift of w words saves more than 2 w edits, and none more than it saves to move the w words it passes. No text with
     the same words has a distance below that of the bags of words. Where that is not enough, nothing is tried.

   Up to which distance d a beam changes nothing. Let n, m be the lengths, D(i, j) the distances without a beam, and let
   row i be the first that forgets a cell (i, j) on a cheapest way, which costs d in all. Then D(i, j) is more than c + beam,
   where c is the cost of a cell (i, k) of the row. So d > beam. Cells that lie x columns apart differ by at most x, so k is
   more than beam columns away from j. And c >= |i - k|, and the rest of the way costs at least |(n - i) - (m - j)|, so

     d >= |i - k| + beam + 1 + |(n - m) - (i - j)| >= |j - k| - |n - m| + beam + 1 >= 2 (beam + 1) - |n - m|.

   As long as d is less, or not more than the beam, no cell of a cheapest way is forgotten. They then have their costs, no
   other cell has less than without a beam, and the alignment, which is one of the cheapest ways, is the same. */
#include "ter_rows.h"

#include <stdlib.h>
#include <string.h>

#define NO_LIMIT INT32_MAX

typedef struct {
    int32_t start, length, position;
} Shift;

typedef struct {
    Pair pair;
    int aligned_only;
    int32_t size, distance, exact_up_to;
    /* The alignment. */
    int beamed;              /* whether its table is BEAMED */
    int32_t free_distance;   /* without a beam */
    int32_t distance_now, insertions, deletions, substitutions;
    int32_t *places;         /* (reference) */
    uint8_t *deleted;        /* (reference) */
    int32_t *open_before;    /* (reference + 1): unmatched words of the reference before a word */
    int32_t *wrong_before;   /* (text + 1): unmatched words of the text before a word */
    /* The electable shifts. */
    int32_t *aims_begin, *aims_end;  /* (text): which positions of the word in the reference are near enough */
    int32_t *reach;                  /* (text): the longest block from a word on that may be electable */
    int32_t *offered;                /* (text + 1): where a block may go */
    int64_t *offered_to;             /* (text + 1): the number of the block to which a position was offered last */
    int64_t blocks_seen;
    /* Shifts tried. */
    uint64_t *bits;                  /* (2 * blocks): a row */
    unsigned char *costs;            /* two rows of costs */
    int64_t costs_room;
    int32_t *moved;                  /* (text): room for a block */
    int32_t *left;                   /* (types + 1): words not yet found in the other text */
} Search;

static inline int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* The alignment */

/* Return whether the way from cell (i, j) back matches or substitutes (0), inserts (1) or deletes (2). */
static inline int way_back(Search *search, int64_t i, int64_t j) {
    Pair *pair = &search->pair;
    if (i == 0 || j == 0) {
        return i ? 1 : 2;
    }
    if (!search->beamed) {
        const uint64_t *row = row_of(pair, FORWARD, i);
        int64_t blocks = pair->reference.blocks, block = (j - 1) >> 6, bit = (j - 1) & 63;
        if (row[2 * blocks + block] >> bit & 1) {
            return 0;
        }
        const uint64_t *above = row_of(pair, FORWARD, i - 1);
        return above[blocks + block] >> bit & 1 ? 1 : 2;
    }
    const int32_t *row = row_of(pair, BEAMED, i);
    int32_t cost = row[2 + j];
    const int32_t *above = row_of(pair, BEAMED, i - 1);
    if (j - 1 >= above[0] && j - 1 <= above[1] &&
        cost == above[2 + j - 1] + (pair->text[i - 1] != pair->reference.words[j - 1])) {
        return 0;
    }
    return j >= above[0] && j <= above[1] && cost == above[2 + j] + 1 ? 1 : 2;
}

static void align(Search *search) {
    const Reference *reference = &search->pair.reference;
    const int32_t *text = search->pair.text;
    int64_t n = search->pair.n_words, m = reference->length, i = n, j = m;
    search->insertions = search->deletions = search->substitutions = 0;
    while (i || j) {
        int way = way_back(search, i, j);
        i -= way != 2;
        j -= way != 1;
        int unmatched = way || text[i] != reference->words[j];
        if (way != 2) {
            search->wrong_before[i + 1] = unmatched;
        }
        if (way != 1) {
            search->places[j] = (int32_t)(way ? i - 1 : i);
            search->deleted[j] = way == 2;
            search->open_before[j + 1] = unmatched;
        }
        search->insertions += way == 1;
        search->deletions += way == 2;
        search->substitutions += way == 0 && unmatched;
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

/* The electable shifts */

/* Return how many of some rising positions are placed before a word. */
static int32_t placed_before(const Search *search, const int32_t *positions, int32_t count, int64_t word) {
    int32_t begin = 0;
    while (count > 0) {
        int32_t half = count / 2;
        if (search->places[positions[begin + half]] < word) {
            begin += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return begin;
}

/* Find the aims of each word, and how long blocks may be; return the longest. */
static int32_t find_reach(Search *search) {
    const Reference *reference = &search->pair.reference;
    const int32_t *text = search->pair.text, *words = reference->words;
    int32_t n = (int32_t)search->pair.n_words, m = reference->length, longest = 0;
    if (!search->wrong_before[n] || !search->open_before[m]) {
        return 0;
    }
    for (int32_t start = 0; start < n && !search->pair.interrupted; start++) {
        int32_t begin = reference->first[text[start]], end = reference->first[text[start] + 1], reach = 0;
        if (text[start] == 0) {
            end = begin;
        } else if (search->distance != NO_LIMIT) {
            const int32_t *positions = reference->positions;
            int64_t nearest = (int64_t)start - search->distance, farthest = (int64_t)start + search->distance;
            end = begin + placed_before(search, positions + begin, end - begin, farthest + 1);
            begin += placed_before(search, positions + begin, end - begin, nearest);
        }
        for (int32_t k = begin; k < end; k++) {
            int32_t aim = reference->positions[k], place = search->places[aim];
            int32_t most = smaller(search->size, smaller(n - start, m - aim)), length = 0;
            if (place >= start) {
                most = smaller(most, place - start);
            }
            while (length < most && text[start + length] == words[aim + length]) {
                length++;
            }
            reach = larger(reach, length);
            count_steps(&search->pair, 2 + length / 4);
        }
        search->aims_begin[start] = begin;
        search->aims_end[start] = end;
        search->reach[start] = reach;
        longest = larger(longest, reach);
    }
    return longest;
}

/* List the positions to which a block may go, each once, in the order in which ties are settled; return their number. */
static int32_t find_positions(Search *search, int32_t start, int32_t length) {
    const Reference *reference = &search->pair.reference;
    const int32_t *text = search->pair.text, *words = reference->words, *places = search->places;
    int32_t end = start + length, last = (int32_t)search->pair.n_words - length, count = 0;
    if (search->wrong_before[end] == search->wrong_before[start]) {
        return 0;
    }
    int64_t block = ++search->blocks_seen;
    for (int32_t k = search->aims_begin[start]; k < search->aims_end[start]; k++) {
        int32_t aim = reference->positions[k], same = 1;
        if (aim + length > reference->length) {
            break;
        }
        if ((places[aim] >= start && places[aim] < end) ||
            search->open_before[aim + length] == search->open_before[aim]) {
            continue;
        }
        while (same < length && text[start + same] == words[aim + same]) {
            same++;
        }
        if (same < length) {
            continue;
        }
        int front = aim == 0 && !search->aligned_only;
        for (int32_t j = front ? -1 : larger(0, aim - 1); j < aim + length; j++) {
            if (j >= 0 && search->aligned_only && search->deleted[j]) {
                continue;
            }
            int32_t behind = j < 0 ? -1 : places[j];
            int32_t position = behind < start ? behind + 1 : behind < end ? smaller(behind, last) : behind + 1 - length;
            if (position != start && search->offered_to[position] != block) {
                search->offered_to[position] = block;
                search->offered[count++] = position;
            }
        }
        count_steps(&search->pair, 1 + length);
    }
    count_steps(&search->pair, 1);
    return count;
}

/* Return the number of electable shifts, or a number above a limit. */
static int64_t count_electable(Search *search, int64_t limit) {
    int64_t count = 0;
    for (int32_t start = 0; start < search->pair.n_words; start++) {
        for (int32_t length = 1; length <= search->reach[start]; length++) {
            count += find_positions(search, start, length);
            if (count > limit || search->pair.interrupted) {
                return count;
            }
        }
    }
    return count;
}

/* Shifts tried */

/* The words between the block and its new place, in their new order: two parts of the text. */
typedef struct {
    int32_t begin[2], end[2];
    int32_t from, to;  /* the words before and behind are as they were */
} Change;

static Change change_of(Shift shift) {
    int32_t start = shift.start, end = start + shift.length, position = shift.position;
    if (position < start) {
        return (Change){{start, position}, {end, start}, position, end};
    }
    return (Change){{end, start}, {position + shift.length, end}, start, position + shift.length};
}

/* Return the cheapest way from a row of the first words to the backward row of the other words, or more than a limit. */
static int32_t cheapest_join(
    const uint64_t *row, const uint64_t *behind, int64_t blocks, int32_t m, int32_t cost, int32_t limit) {
    /* From the last column back: `cost` is that of the way through it. */
    int32_t least = limit + 1;
    least = cost < least ? cost : least;
    for (int64_t b = 0; 64 * b < m; b++) {
        /* The bits of 64 columns of the row, the last column highest. */
        int64_t columns = m - 64 * b, block = (columns - 1) >> 6, shift = 63 - ((columns - 1) & 63);
        uint64_t rises = row[block] << shift, falls = row[blocks + block] << shift;
        if (shift && block) {
            rises |= row[block - 1] >> (64 - shift);
            falls |= row[blocks + block - 1] >> (64 - shift);
        }
        uint64_t up = behind[b], down = behind[blocks + b];
        columns = columns < 64 ? columns : 64;
        if (cost - 2 * columns >= least) {
            uint64_t ours = ~UINT64_C(0) << (64 - columns), theirs = ~UINT64_C(0) >> (64 - columns);
            cost += count_ones(up & theirs) - count_ones(down & theirs) - count_ones(rises & ours) +
                    count_ones(falls & ours);
            continue;
        }
        for (int64_t k = 0; k < columns; k++) {
            cost += (int32_t)(up & 1) - (int32_t)(down & 1) - (int32_t)(rises >> 63) + (int32_t)(falls >> 63);
            least = cost < least ? cost : least;
            up >>= 1;
            down >>= 1;
            rises <<= 1;
            falls <<= 1;
        }
    }
    return least;
}

/* Make the rows of some words of the text for references of up to 64 words. */
static inline void pass_words(const uint64_t *masks, const int32_t *text, int64_t begin, int64_t end, uint64_t *row) {
    uint64_t rises = row[0], falls = row[1];
    for (int64_t k = begin; k < end; k++) {
        uint64_t equal = masks[text[k]];
        uint64_t free = (((equal & rises) + rises) ^ rises) | equal | falls;
        uint64_t grown = (falls | ~(free | rises)) << 1 | 1, shrunk = (rises & free) << 1;
        rises = shrunk | ~(free | grown);
        falls = free & grown;
    }
    row[0] = rises;
    row[1] = falls;
}

/* Return the distance after a shift without a beam, or more than a limit. */
static int32_t free_cost(Search *search, Shift shift, int32_t limit) {
    Pair *pair = &search->pair;
    Reference *reference = &pair->reference;
    Change change = change_of(shift);
    int32_t n = (int32_t)pair->n_words, m = reference->length;
    int64_t blocks = reference->blocks;
    const uint64_t *known = row_of(pair, FORWARD, change.from);
    if (blocks == 1) {
        uint64_t row[2] = {known[0], known[1]};
        pass_words(reference->masks[FORWARD], pair->text, change.begin[0], change.end[0], row);
        pass_words(reference->masks[FORWARD], pair->text, change.begin[1], change.end[1], row);
        pass_words(reference->masks[FORWARD], pair->text, change.to, n, row);
        count_steps(pair, n - change.from);
        return n + rise_of(row, 1, m);
    }
    uint64_t *row = search->bits;
    memcpy(row, known, 16 * (size_t)blocks);
    for (int part = 0; part < 2; part++) {
        for (int32_t k = change.begin[part]; k < change.end[part]; k++) {
            next_bits(blocks, mask_of(reference, FORWARD, pair->text[k]), row, row, NULL);
            count_steps(pair, blocks);
        }
    }
    const uint64_t *behind = row_of(pair, BACKWARD, n - change.to);
    count_steps(pair, m / 2);
    return cheapest_join(row, behind, blocks, m, n + rise_of(row, blocks, m), limit);
}

/* Return by how much the cells of a row cost more than those of another one, or INT32_MIN if not all differ alike. */
static int32_t constant_difference(const int32_t *row, const int32_t *other) {
    if (row[0] != other[0] || row[1] != other[1]) {
        return INT32_MIN;
    }
    int32_t difference = row[2 + row[0]] - other[2 + row[0]];
    for (int32_t j = row[0]; j <= row[1]; j++) {
        int32_t here = row[2 + j], there = other[2 + j];
        if (here == FORGOTTEN || there == FORGOTTEN ? here != there : here - there != difference) {
            return INT32_MIN;
        }
    }
    return difference;
}

/* Return the distance after a shift with the beam. */
static int32_t beamed_cost(Search *search, Shift shift) {
    Pair *pair = &search->pair;
    const Table *table = &pair->tables[BEAMED];
    Change change = change_of(shift);
    int32_t n = (int32_t)pair->n_words, m = pair->reference.length, done = change.from;
    const int32_t *row = row_of(pair, BEAMED, change.from);
    for (int part = 0; part < 3; part++) {
        int32_t begin = part < 2 ? change.begin[part] : change.to, end = part < 2 ? change.end[part] : n;
        for (int32_t k = begin; k < end && !pair->interrupted; k++) {
            int32_t *after = (int32_t *)(void *)(search->costs + (++done & 1) * table->size);
            next_costs(pair, pair->text[k], row, after, done == n);
            row = after;
            count_steps(pair, m / 2);
            if (done >= change.to && done < n && done % table->stride == 0) {
                int32_t more = constant_difference(row, row_of(pair, BEAMED, done));
                if (more != INT32_MIN) {
                    return search->distance_now + more;
                }
            }
        }
    }
    return row[2 + m];
}

/* Return the distance after a shift if it is not above a limit, else any number above it. */
static int32_t cost_of(Search *search, Shift shift, int32_t limit) {
    int32_t cost = free_cost(search, shift, limit);
    return search->beamed && cost <= limit && cost > search->exact_up_to ? beamed_cost(search, shift) : cost;
}

/* Find the shift to be made, and return whether there is one. `fewest` is what no text with these words can go below. */
static int find_best(Search *search, int32_t longest, int32_t fewest, Shift *best) {
    int32_t n = (int32_t)search->pair.n_words, saved = -1;
    int32_t overlooked = search->distance_now - search->free_distance;
    for (int32_t length = longest; length > 0; length--) {
        for (int32_t start = 0; start + length <= n; start++) {
            int32_t count = search->reach[start] >= length ? find_positions(search, start, length) : 0;
            for (int32_t k = 0; k < count; k++) {
                Shift shift = {start, length, search->offered[k]};
                int32_t passed = shift.position < start ? start - shift.position : shift.position - start;
                int32_t limit = search->distance_now - 2 - saved;
                if (saved >= 2 * length || limit < fewest || search->pair.interrupted) {
                    return saved >= 0;
                }
                if (overlooked + 2 * smaller(passed, length) - 1 <= saved) {
                    continue;
                }
                int32_t cost = cost_of(search, shift, limit);
                if (cost <= limit) {
                    *best = shift;
                    saved = search->distance_now - 1 - cost;
                }
            }
        }
    }
    return saved >= 0;
}

static void apply(Search *search, Shift shift) {
    int32_t *text = search->pair.text;
    Change change = change_of(shift);
    size_t block = (size_t)shift.length * sizeof(int32_t);
    memcpy(search->moved, text + shift.start, block);
    if (shift.position < shift.start) {
        memmove(text + change.from + shift.length, text + change.from, (size_t)(shift.start - change.from) * sizeof(int32_t));
    } else {
        memmove(text + shift.start, text + shift.start + shift.length, (size_t)(shift.position - shift.start) * sizeof(int32_t));
    }
    memcpy(text + shift.position, search->moved, block);
}

/* Return the distance of the bags of words, below which no shift can bring that of the texts. */
static int32_t bag_distance(Search *search) {
    const Reference *reference = &search->pair.reference;
    int32_t n = (int32_t)search->pair.n_words, m = reference->length, common = 0;
    for (int32_t type = 0; type <= reference->types; type++) {
        search->left[type] = type ? reference->first[type + 1] - reference->first[type] : 0;
    }
    for (int32_t i = 0; i < n; i++) {
        common += search->left[search->pair.text[i]]-- > 0;
    }
    return larger(n, m) - common;
}

/* Bring the tables up to the text, of which words `from` up to `to` have changed, and align it; 0 without memory. */
static int update(Search *search, int first, int32_t from, int32_t to) {
    Pair *pair = &search->pair;
    int64_t n = pair->n_words;
    if (first && (!begin_table(pair, FORWARD) || (pair->reference.blocks > 1 && !begin_table(pair, BACKWARD)))) {
        return 0;
    }
    fill_table(pair, FORWARD, from, first ? n + 1 : to);
    if (pair->reference.blocks > 1) {
        fill_table(pair, BACKWARD, n - to, first ? n + 1 : n - from);
    }
    const uint64_t *last = row_of(pair, FORWARD, n);
    search->free_distance = (int32_t)n + rise_of(last, pair->reference.blocks, pair->reference.length);
    search->beamed = search->free_distance > search->exact_up_to;
    if (search->beamed && !pair->interrupted) {
        if (first && (!begin_table(pair, BEAMED) || !make_room(&search->costs, &search->costs_room, 2 * pair->tables[BEAMED].size))) {
            return 0;
        }
        fill_table(pair, BEAMED, from, n + 1);
    }
    if (!pair->interrupted) {
        align(search);
    }
    return 1;
}

/* Count the edits of a pair; 0 without memory. */
static int count_edits(Search *search, const ShiftLimits *limits, int32_t *counts) {
    Pair *pair = &search->pair;
    int32_t n = (int32_t)pair->n_words, m = pair->reference.length, shifts = 0, words_shifted = 0;
    int64_t room = limits->choices;
    int stopped = 0;
    search->exact_up_to = NO_LIMIT;
    if (limits->beam >= 0) {
        pair->beam = (int32_t)(limits->beam < FORGOTTEN ? limits->beam : FORGOTTEN);
        search->exact_up_to = larger(pair->beam, 2 * pair->beam + 1 - (n > m ? n - m : m - n));
    }
    int32_t fewest = bag_distance(search);
    Change change = {.from = 0, .to = n};
    for (int first = 1;; first = 0) {
        if (!update(search, first, change.from, change.to)) {
            return 0;
        }
        Shift best = {0};
        int32_t longest = pair->interrupted ? 0 : find_reach(search);
        if (longest && limits->choices >= 0) {
            room -= count_electable(search, room);
            stopped = room < 0;
        }
        if (!longest || stopped || !find_best(search, longest, fewest, &best) || pair->interrupted) {
            break;
        }
        apply(search, best);
        change = change_of(best);
        shifts++;
        words_shifted += best.length;
    }
    int32_t edits = search->distance_now + shifts;
    int32_t numbers[] = {edits, search->insertions, search->deletions, search->substitutions, shifts, words_shifted,
                         stopped, m, n};
    memcpy(counts, numbers, sizeof numbers);
    return 1;
}

static int begin_search(Search *search, int64_t n, int64_t m, int64_t vocabulary) {
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
    search->pair.text = kernel_memory(n, sizeof(int32_t));
    return pair_begin(&search->pair, m, vocabulary) && search->places && search->deleted && search->open_before &&
           search->wrong_before && search->aims_begin && search->aims_end && search->reach && search->offered &&
           search->offered_to && search->bits && search->moved && search->left && search->pair.text;
}

static void end_search(Search *search) {
    void *memory[] = {
        search->places, search->deleted, search->open_before, search->wrong_before, search->aims_begin,
        search->aims_end, search->reach, search->offered, search->offered_to, search->bits, search->costs,
        search->moved, search->left, search->pair.text};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        free(memory[k]);
    }
    pair_end(&search->pair);
}

static int32_t limit_of(int64_t limit) {
    return limit < 0 || limit > NO_LIMIT ? NO_LIMIT : (int32_t)limit;
}

int kernel_shift_edits(
    const Text *candidate, const Text *reference, int64_t vocabulary, const ShiftLimits *limits, int32_t *counts) {
    Search search = {
        .aligned_only = limits->aligned_only,
        .size = limit_of(limits->size),
        .distance = limit_of(limits->distance),
    };
    Pair *pair = &search.pair;
    int status = KERNEL_DONE;
    if (!begin_search(&search, longest_segment(candidate), longest_segment(reference), vocabulary)) {
        status = KERNEL_NO_MEMORY;
    }
    for (int64_t j = 0; status == KERNEL_DONE && j < reference->segments; j++) {
        set_reference(pair, segment_ids(reference, j), segment_length(reference, j));
        for (int64_t i = j; status == KERNEL_DONE && i < candidate->segments; i += reference->segments) {
            const int32_t *tokens = segment_ids(candidate, i);
            pair->n_words = segment_length(candidate, i);
            for (int64_t k = 0; k < pair->n_words; k++) {
                pair->text[k] = pair->reference.numbers[tokens[k]];
            }
            if (!count_edits(&search, limits, counts + 9 * i)) {
                status = KERNEL_NO_MEMORY;
            } else if (pair->interrupted || kernel_interrupted()) {
                status = KERNEL_INTERRUPTED;
            }
        }
    }
    end_search(&search);
    return status;
}
