/* Tables of edit distances for the search of TER: see ter_rows.h.

   A row of bits is a column of edit_distance_column.h, turned by a quarter, for the whole reference at once. */
#include "ter_rows.h"

#include <stdlib.h>
#include <string.h>

int begin_pair(Pair *pair, int64_t longest, int64_t vocabulary) {
    Reference *reference = &pair->reference;
    int64_t most = pair->kept / 512;
    most = most < 65 ? 65 : most;
    most = most < longest / 64 + 1 ? longest / 64 + 1 : most;
    reference->mask_room = most;
    reference->numbers = kernel_zeros(vocabulary, sizeof(int32_t));
    reference->words = kernel_memory(longest, sizeof(int32_t));
    reference->first = kernel_memory(longest + 2, sizeof(int32_t));
    reference->positions = kernel_memory(longest, sizeof(int32_t));
    reference->masks[FORWARD] = kernel_memory(most, sizeof(uint64_t));
    reference->masks[BACKWARD] = kernel_memory(most, sizeof(uint64_t));
    return reference->numbers && reference->words && reference->first && reference->positions &&
           reference->masks[FORWARD] && reference->masks[BACKWARD];
}

void end_pair(Pair *pair) {
    Reference *reference = &pair->reference;
    free(reference->numbers);
    free(reference->words);
    free(reference->first);
    free(reference->positions);
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (kind != BEAMED) {
            free(reference->masks[kind]);
        }
        free(pair->tables[kind].kept);
        free(pair->tables[kind].block);
    }
}

/* Set or clear the bits of the words of a type. */
static void mark_places(const Reference *reference, Kind kind, int32_t type, uint64_t *mask, int clear) {
    for (int32_t k = reference->first[type]; type && k < reference->first[type + 1]; k++) {
        int32_t place = reference->positions[k];
        place = kind == FORWARD ? place : reference->length - 1 - place;
        mask[place >> 6] = clear ? 0 : mask[place >> 6] | UINT64_C(1) << (place & 63);
    }
}

void show_mask(Reference *reference, Kind kind, int32_t type) {
    mark_places(reference, kind, reference->shown[kind], reference->masks[kind], 1);
    mark_places(reference, kind, type, reference->masks[kind], 0);
    reference->shown[kind] = type;
}

void set_reference(Pair *pair, const int32_t *tokens, int64_t length) {
    Reference *reference = &pair->reference;
    for (int64_t j = 0; j < reference->length; j++) {
        reference->numbers[reference->tokens[j]] = 0;
    }
    reference->tokens = tokens;
    reference->length = (int32_t)length;
    reference->blocks = length ? (length + 63) / 64 : 1;
    reference->types = 0;
    int32_t *first = reference->first;
    for (int64_t j = 0; j < length; j++) {
        int32_t *number = &reference->numbers[tokens[j]];
        if (!*number) {
            *number = ++reference->types;
            first[*number] = 0;
        }
        reference->words[j] = *number;
        first[*number]++;
    }
    /* From how many there are to where they end, and by filling in from the end to where they begin. */
    first[0] = 0;
    for (int32_t type = 1; type <= reference->types; type++) {
        first[type] += first[type - 1];
    }
    first[reference->types + 1] = (int32_t)length;
    for (int64_t j = length - 1; j >= 0; j--) {
        reference->positions[--first[reference->words[j]]] = (int32_t)j;
    }
    int64_t rows = reference->types + 1;
    reference->all_masks = rows * reference->blocks <= reference->mask_room;
    for (Kind kind = FORWARD; kind <= BACKWARD; kind++) {
        reference->shown[kind] = 0;
        size_t words = (size_t)(reference->all_masks ? rows * reference->blocks : reference->blocks);
        memset(reference->masks[kind], 0, words * sizeof(uint64_t));
        for (int32_t type = 1; reference->all_masks && type < rows; type++) {
            mark_places(reference, kind, type, reference->masks[kind] + type * reference->blocks, 0);
        }
    }
}

int make_room(unsigned char **memory, int64_t *room, int64_t needed) {
    if (*room < needed) {
        free(*memory);
        *memory = kernel_memory(needed, 1);
        *room = *memory ? needed : 0;
    }
    return *memory != NULL;
}

int begin_table(Pair *pair, Kind kind) {
    Table *table = &pair->tables[kind];
    int64_t m = pair->reference.length, rows = pair->n_words + 1, blocks = pair->reference.blocks;
    table->size = 8 * (kind == FORWARD ? 3 * blocks : kind == BACKWARD ? 2 * blocks : (m + 4) / 2);
    table->stride = 1;
    while (rows / table->stride > table->stride && rows / table->stride * table->size > pair->kept) {
        table->stride++;
    }
    table->cached = -1;
    int64_t block = table->stride < 2 ? 2 : table->stride;
    if (!make_room(&table->kept, &table->kept_room, ((rows - 1) / table->stride + 1) * table->size) ||
        !make_room(&table->block, &table->block_room, block * table->size)) {
        return 0;
    }
    if (kind == BEAMED) {
        int32_t *row = (int32_t *)(void *)table->kept;
        row[0] = 0;
        row[1] = (int32_t)m;
        for (int64_t j = 0; j <= m; j++) {
            row[2 + j] = (int32_t)j;
        }
    } else {
        memset(table->kept, 0, (size_t)table->size);
        memset(table->kept, 0xFF, 8 * (size_t)blocks);
    }
    return 1;
}

static void make_row(Pair *pair, Kind kind, int64_t row, const void *before, void *after) {
    int64_t blocks = pair->reference.blocks, n = pair->n_words;
    if (kind == BEAMED) {
        next_row_of_costs(pair, pair->text[row - 1], before, after, row == n);
        count_steps(pair, pair->reference.length / 2);
        return;
    }
    int32_t type = pair->text[kind == FORWARD ? row - 1 : n - row];
    const uint64_t *mask = mask_of(&pair->reference, kind, type);
    next_row_of_bits(blocks, mask, before, after, kind == FORWARD ? (uint64_t *)after + 2 * blocks : NULL);
    count_steps(pair, blocks);
}

static inline unsigned char *kept_row(const Table *table, int64_t row) {
    return table->kept + row / table->stride * table->size;
}

void fill_table(Pair *pair, Kind kind, int64_t from, int64_t settled) {
    Table *table = &pair->tables[kind];
    int64_t stride = table->stride, n = pair->n_words, row = from / stride * stride;
    const unsigned char *before = kept_row(table, row);
    table->cached = -1;
    while (row < n && !pair->interrupted) {
        row++;
        int kept = row % stride == 0;
        unsigned char *after = kept && row < settled ? kept_row(table, row) : table->block + (row & 1) * table->size;
        make_row(pair, kind, row, before, after);
        if (kept && row >= settled) {
            unsigned char *old = kept_row(table, row);
            int same = memcmp(old, after, 16 * (size_t)pair->reference.blocks) == 0;
            memcpy(old, after, (size_t)table->size);
            if (same) {
                return;
            }
            after = old;
        }
        before = after;
    }
}

const void *row_of(Pair *pair, Kind kind, int64_t row) {
    Table *table = &pair->tables[kind];
    int64_t stride = table->stride;
    if (stride == 1) {
        return table->kept + row * table->size;
    }
    int64_t block = row / stride, inside = row % stride, left = pair->n_words - block * stride;
    if (inside == 0) {
        return kept_row(table, row);
    }
    if (table->cached != block) {
        const unsigned char *before = kept_row(table, row);
        for (int64_t k = 1; k < stride && k <= left; k++) {
            make_row(pair, kind, block * stride + k, before, table->block + k * table->size);
            before = table->block + k * table->size;
        }
        table->cached = block;
    }
    return table->block + inside * table->size;
}

void next_row_of_costs(const Pair *pair, int32_t type, const int32_t *before, int32_t *after, int last) {
    const int32_t *words = pair->reference.words, *above = before + 2;
    int32_t *costs = after + 2, m = pair->reference.length;
    int32_t begin = before[0], end = before[1], j = begin, least = FORGOTTEN;
    /* The first cell that is not forgotten can go on to its own column, the last one to the next column. */
    int32_t cost = above[j] + 1;
    costs[j] = cost;
    for (j++; j <= end; j++) {
        int32_t aligned = above[j - 1] + (words[j - 1] != type), inserted = above[j] + 1;
        least = aligned < least ? aligned : least;
        cost = cost + 1 < aligned ? cost + 1 : aligned;
        cost = inserted < cost ? inserted : cost;
        costs[j] = cost;
    }
    if (j <= m) {
        int32_t aligned = above[j - 1] + (words[j - 1] != type);
        least = aligned < least ? aligned : least;
        cost = cost + 1 < aligned ? cost + 1 : aligned;
        costs[j] = cost;
        end = j++;
    }
    if (last || least >= FORGOTTEN) {
        for (; j <= m; j++) {
            costs[j] = ++cost;
        }
        end = m;
    } else {
        int32_t most = least + pair->beam;
        for (; j <= m && cost < most; j++) {
            costs[j] = ++cost;
            end = j;
        }
        while (costs[begin] > most) {
            begin++;
        }
        while (costs[end] > most) {
            end--;
        }
        for (j = begin; j <= end; j++) {
            costs[j] = costs[j] > most ? FORGOTTEN : costs[j];
        }
    }
    after[0] = begin;
    after[1] = end;
}

int32_t rise_of(const uint64_t *row, int64_t blocks, int64_t columns) {
    int32_t rise = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t left = columns - 64 * b;
        uint64_t inside = left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
        rise += count_ones(row[b] & inside) - count_ones(row[blocks + b] & inside);
    }
    return rise;
}
