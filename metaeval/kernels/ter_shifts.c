/* The search of TER: which shifts are electable, and the distance after a shift. */
#include "ter_shifts.h"

#include <string.h>

/* Electable shifts */

/* Return how many of some rising positions in the reference are placed before a word of the text: places rise as well. */
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

/* Return how many words the text and the reference have in common from a word of each on, up to a limit. */
static inline int32_t common_words(const int32_t *text, const int32_t *words, int32_t most) {
    int32_t length = 0;
    while (length < most && text[length] == words[length]) {
        length++;
    }
    return length;
}

int32_t find_reach(Search *search) {
    const Reference *reference = &search->pair.reference;
    const int32_t *text = search->pair.text, *positions = reference->positions;
    int32_t n = (int32_t)search->pair.n_words, m = reference->length, longest = 0;
    if (!search->wrong_before[n] || !search->open_before[m]) {
        return 0;
    }
    for (int32_t start = 0; start < n && !search->pair.interrupted; start++) {
        int32_t begin = 0, end = 0, reach = 0;
        if (text[start]) {
            begin = reference->first[text[start]];
            end = reference->first[text[start] + 1];
        }
        if (search->distance != NO_LIMIT) {
            int64_t nearest = (int64_t)start - search->distance, farthest = (int64_t)start + search->distance;
            end = begin + placed_before(search, positions + begin, end - begin, farthest + 1);
            begin += placed_before(search, positions + begin, end - begin, nearest);
        }
        for (int32_t k = begin; k < end; k++) {
            int32_t aim = positions[k], place = search->places[aim];
            int32_t most = smaller(search->size, smaller(n - start, m - aim));
            /* The place of the aim is to be outside of the block. */
            most = place < start ? most : smaller(most, place - start);
            int32_t length = common_words(text + start, reference->words + aim, most);
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

int32_t find_positions(Search *search, int32_t start, int32_t length) {
    const Reference *reference = &search->pair.reference;
    const int32_t *text = search->pair.text, *places = search->places;
    int32_t end = start + length, last = (int32_t)search->pair.n_words - length, count = 0;
    if (search->wrong_before[end] == search->wrong_before[start]) {
        return 0;
    }
    int64_t block = ++search->blocks_seen;
    for (int32_t k = search->aims_begin[start]; k < search->aims_end[start]; k++) {
        int32_t aim = reference->positions[k];
        if (aim + length > reference->length) {
            break;
        }
        count_steps(&search->pair, 1);
        if ((places[aim] >= start && places[aim] < end) ||
            search->open_before[aim + length] == search->open_before[aim] ||
            common_words(text + start, reference->words + aim, length) < length) {
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
        count_steps(&search->pair, length);
    }
    return count;
}

int64_t count_electable(Search *search, int64_t limit) {
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

/* The distance after a shift */

Change change_of(Shift shift) {
    int32_t start = shift.start, end = start + shift.length, position = shift.position;
    if (position < start) {
        return (Change){position, end, {start, position}, {end, start}};
    }
    return (Change){start, position + shift.length, {end, start}, {position + shift.length, end}};
}

/* Make the rows of some words of the text, for a reference of one block. */
static inline void next_rows_of_one_block(
    const uint64_t *masks, const int32_t *text, int64_t begin, int64_t end, uint64_t *row) {
    uint64_t rises = row[0], falls = row[1];
    for (int64_t k = begin; k < end; k++) {
        uint64_t grows = 1, shrinks = 0, diagonal;
        next_column(&masks[text[k]], &rises, &falls, &grows, &shrinks, &diagonal);
    }
    row[0] = rises;
    row[1] = falls;
}

/* Return the cost of the cheapest way that passes a row of the first words and the backward row of the others, or any
   number above a limit. The way through the last column costs `cost`. */
static int32_t cheapest_way(
    const uint64_t *row, const uint64_t *behind, int64_t blocks, int32_t m, int32_t cost, int32_t limit) {
    int32_t least = limit + 1;
    least = cost < least ? cost : least;
    for (int64_t b = 0; 64 * b < m; b++) {
        /* From the right, 64 columns at a time: the backward row has them in this order, the other row in the opposite
           one, so that its last column becomes the highest bit. */
        int64_t columns = m - 64 * b, block = (columns - 1) >> 6, shift = 63 - ((columns - 1) & 63);
        uint64_t rises = row[block] << shift, falls = row[blocks + block] << shift;
        if (shift && block) {
            rises |= row[block - 1] >> (64 - shift);
            falls |= row[blocks + block - 1] >> (64 - shift);
        }
        uint64_t up = behind[b], down = behind[blocks + b];
        columns = columns < 64 ? columns : 64;
        if (cost - 2 * columns >= least) {
            /* From column to column a cost changes by at most 1 in each row, so none of these is cheaper. */
            uint64_t ours = ~UINT64_C(0) << (64 - columns), theirs = ~UINT64_C(0) >> (64 - columns);
            cost += count_ones(up & theirs) - count_ones(down & theirs);
            cost += count_ones(falls & ours) - count_ones(rises & ours);
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

/* Return the distance after a shift without a beam, or any number above a limit. */
static int32_t free_cost(Search *search, const Change *change, int32_t limit) {
    Pair *pair = &search->pair;
    Reference *reference = &pair->reference;
    int32_t n = (int32_t)pair->n_words, m = reference->length;
    int64_t blocks = reference->blocks;
    const uint64_t *known = row_of(pair, FORWARD, change->from);
    if (blocks == 1) {
        uint64_t row[2] = {known[0], known[1]};
        next_rows_of_one_block(reference->masks[FORWARD], pair->text, change->begin[0], change->end[0], row);
        next_rows_of_one_block(reference->masks[FORWARD], pair->text, change->begin[1], change->end[1], row);
        next_rows_of_one_block(reference->masks[FORWARD], pair->text, change->to, n, row);
        count_steps(pair, n - change->from);
        return n + rise_of(row, 1, m);
    }
    uint64_t *row = search->bits;
    memcpy(row, known, 2 * (size_t)blocks * sizeof(uint64_t));
    for (int part = 0; part < 2; part++) {
        for (int32_t k = change->begin[part]; k < change->end[part]; k++) {
            next_row_of_bits(blocks, mask_of(reference, FORWARD, pair->text[k]), row, row, NULL);
            count_steps(pair, blocks);
        }
    }
    const uint64_t *behind = row_of(pair, BACKWARD, n - change->to);
    count_steps(pair, m / 2);
    return cheapest_way(row, behind, blocks, m, n + rise_of(row, blocks, m), limit);
}

/* Return by how much the cells of a row cost more than those of another, or INT32_MIN if not all differ alike. */
static int32_t difference_of(const int32_t *row, const int32_t *other) {
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
static int32_t beamed_cost(Search *search, const Change *change) {
    Pair *pair = &search->pair;
    const Table *table = &pair->tables[BEAMED];
    int32_t n = (int32_t)pair->n_words, m = pair->reference.length, done = change->from;
    const int32_t *row = row_of(pair, BEAMED, done);
    for (int part = 0; part < 3; part++) {
        int32_t begin = part < 2 ? change->begin[part] : change->to, end = part < 2 ? change->end[part] : n;
        for (int32_t k = begin; k < end && !pair->interrupted; k++) {
            done++;
            int32_t *after = (int32_t *)(void *)(search->costs + (done & 1) * table->size);
            next_row_of_costs(pair, pair->text[k], row, after, done == n);
            row = after;
            count_steps(pair, m / 2);
            if (done >= change->to && done < n && done % table->stride == 0) {
                /* Where all cells differ alike from what they were, so they do in the rows that follow. */
                int32_t difference = difference_of(row, row_of(pair, BEAMED, done));
                if (difference != INT32_MIN) {
                    return search->distance_now + difference;
                }
            }
        }
    }
    return row[2 + m];
}

int32_t cost_of(Search *search, Shift shift, int32_t limit) {
    Change change = change_of(shift);
    int32_t cost = free_cost(search, &change, limit);
    return cost <= limit && cost > search->exact_up_to ? beamed_cost(search, &change) : cost;
}
