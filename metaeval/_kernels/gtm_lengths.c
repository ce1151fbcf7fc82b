/* Greedy matching by length: all runs of the greatest length are taken at once, then those of the next.

   The rows and columns where free stretches of this length begin are sorted into classes of equal stretches; the last row
   comes first, and takes the last free column of its class. To tell which stretches are equal, those of 2, 4, 8, ... tokens
   are numbered beforehand: two of them, overlapping, stand for one of any length. The next length is found by bisection,
   since a free run holds shorter ones.

   Runs in n tokens have at most sqrt(2 n) different lengths, so time is (n + m) sqrt(n) log n at worst, and memory
   (n + m) log n, even where every cell of the grid is a hit.

   Source: Karp, Miller, Rosenberg (1972), Rapid identification of repeated patterns in strings, trees and arrays. */
#include "gtm_lengths.h"
#include "hash_table.h"

#include <stdlib.h>
#include <string.h>

/* A class of equal stretches. */
typedef struct {
    uint64_t key;
    int32_t place; /* the first row of the class, or its last column that is not known to be taken */
} Class;

struct Lengths {
    int32_t *names;    /* (levels, n + m): of stretches of 2 to the power of the level; -1 if only one side has them */
    int32_t *class_of; /* (n): the number of the class of a row, 0 if it has none */
    int32_t *next;     /* (m): the column before in the same class */
    uint8_t *found;    /* (n): whether the columns have the class of which this is the first row */
    Class *classes;    /* (n + 1), by number */
    int32_t n_classes;
    HashTable table;
};

#define PLACES_PER_CLASS 2

/* Return the level of the longest numbered stretches that are not longer than this. */
static int level_of(int64_t length) {
    int level = 0;
    while (length >> (level + 1)) {
        level++;
    }
    return level;
}

Lengths *gtm_new_lengths(int64_t n, int64_t m) {
    Lengths *lengths = kernel_zeros(1, sizeof(Lengths));
    if (!lengths) {
        return NULL;
    }
    lengths->names = kernel_memory((level_of(n < m ? n : m) + 1) * (n + m), sizeof(int32_t));
    lengths->class_of = kernel_memory(n, sizeof(int32_t));
    lengths->next = kernel_memory(m, sizeof(int32_t));
    lengths->found = kernel_memory(n, sizeof(uint8_t));
    lengths->classes = kernel_memory(n + 1, sizeof(Class));
    lengths->table.numbers = kernel_memory(INT64_C(1) << hash_table_bits(n, PLACES_PER_CLASS), sizeof(int32_t));
    if (!lengths->names || !lengths->class_of || !lengths->next || !lengths->found || !lengths->classes ||
        !lengths->table.numbers) {
        gtm_free_lengths(lengths);
        return NULL;
    }
    return lengths;
}

void gtm_free_lengths(Lengths *lengths) {
    if (lengths) {
        free(lengths->names);
        free(lengths->class_of);
        free(lengths->next);
        free(lengths->found);
        free(lengths->classes);
        free(lengths->table.numbers);
        free(lengths);
    }
}

#define NO_KEY UINT64_MAX

/* Two stretches of one level, the second some tokens after the first. */
static inline uint64_t key_of(const int32_t *names, int64_t after) {
    return names[0] < 0 || names[after] < 0 ? NO_KEY : (uint64_t)names[0] << 32 | (uint32_t)names[after];
}

static inline int is_class(const void *entries, int32_t number, const void *key) {
    return ((const Class *)entries)[number].key == *(const uint64_t *)key;
}

static inline int32_t *find_class_place(const Lengths *lengths, uint64_t key) {
    lengths->classes[0].key = key;
    return find_in_hash_table(&lengths->table, hash_of_word(key), is_class, lengths->classes, &key);
}

/* Return the class of a key, or NULL. */
static inline Class *find_class(const Lengths *lengths, uint64_t key) {
    int32_t number = key == NO_KEY ? 0 : *find_class_place(lengths, key);
    return number ? &lengths->classes[number] : NULL;
}

/* Return the number of the class of a key, which is made with this place if it is new; 0 of no key. */
static inline int32_t find_or_make_class(Lengths *lengths, uint64_t key, int32_t place) {
    if (key == NO_KEY) {
        return 0;
    }
    int32_t *number = find_class_place(lengths, key);
    if (!*number) {
        *number = ++lengths->n_classes;
        lengths->classes[*number] = (Class){.key = key, .place = place};
    }
    return *number;
}

static void forget_classes(Lengths *lengths, int64_t n) {
    lengths->n_classes = 0;
    empty_hash_table(&lengths->table, hash_table_bits(n, PLACES_PER_CLASS));
}

/* A look for Ctrl-C once in a while. */
static inline int stopped_at(int64_t position) {
    return position % 1024 == 0 && kernel_interrupted();
}

/* Number the stretches of a level above 0 that both sides have. Return whether there are any, or KERNEL_INTERRUPTED. */
static int number_stretches(const Grid *grid, Lengths *lengths, int level) {
    int64_t n = grid->n, m = grid->m, half = INT64_C(1) << (level - 1);
    int32_t *names = lengths->names + level * (n + m);
    const int32_t *halves = names - (n + m);
    int any = 0;
    forget_classes(lengths, n);
    for (int64_t r = 0; r < n; r++) {
        if (stopped_at(r)) {
            return KERNEL_INTERRUPTED;
        }
        uint64_t key = r + 2 * half <= n ? key_of(halves + r, half) : NO_KEY;
        int32_t class = find_or_make_class(lengths, key, (int32_t)r);
        names[r] = class ? lengths->classes[class].place : -1;
        lengths->found[r] = 0;
    }
    for (int64_t c = 0; c < m; c++) {
        if (stopped_at(c)) {
            return KERNEL_INTERRUPTED;
        }
        uint64_t key = c + 2 * half <= m ? key_of(halves + n + c, half) : NO_KEY;
        const Class *class = find_class(lengths, key);
        names[n + c] = -1;
        if (class) {
            names[n + c] = class->place;
            lengths->found[class->place] = 1;
            any = 1;
        }
    }
    for (int64_t r = 0; r < n; r++) {
        if (names[r] >= 0 && !lengths->found[names[r]]) {
            names[r] = -1;
        }
    }
    return any;
}

/* Sort the free stretches of a length into classes. Return whether there is a free run, or KERNEL_INTERRUPTED. */
static int sort_stretches(const Grid *grid, Lengths *lengths, int64_t length) {
    int64_t n = grid->n, m = grid->m;
    int level = level_of(length), any = 0;
    int64_t after = length - (INT64_C(1) << level);
    const int32_t *rows = lengths->names + level * (n + m), *columns = rows + n;
    forget_classes(lengths, n);
    for (int64_t r = n - 1, free_rows = 0; r >= 0; r--) {
        if (stopped_at(r)) {
            return KERNEL_INTERRUPTED;
        }
        free_rows = grid->rows[r] == ROW_TAKEN ? 0 : free_rows + 1;
        uint64_t key = free_rows >= length ? key_of(rows + r, after) : NO_KEY;
        lengths->class_of[r] = find_or_make_class(lengths, key, -1);
    }
    for (int64_t end = 1, free_columns = 0; end <= m; end++) {
        if (stopped_at(end)) {
            return KERNEL_INTERRUPTED;
        }
        int64_t c = end - length;
        free_columns = grid->columns[end - 1] == COLUMN_TAKEN ? 0 : free_columns + 1;
        uint64_t key = free_columns >= length ? key_of(columns + c, after) : NO_KEY;
        Class *class = find_class(lengths, key);
        if (class) {
            lengths->next[c] = class->place;
            class->place = (int32_t)c;
            any = 1;
        }
    }
    return any;
}

/* Sort the stretches of the length of the longest free run, which is at most `most`. Return this length (0 if no run is
   free), or KERNEL_INTERRUPTED. */
static int64_t sort_longest(const Grid *grid, Lengths *lengths, int64_t most) {
    /* There are free runs of length `low` and none of length `high`. Most often the next length is near. */
    int64_t low = most, high = most + 1, sorted = 0;
    for (int64_t step = 1; low > 0; step *= 2) {
        int any = sort_stretches(grid, lengths, low);
        if (any < 0) {
            return KERNEL_INTERRUPTED;
        }
        if (any) {
            sorted = low;
            break;
        }
        high = low;
        low = low > step ? low - step : 0;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        int any = sort_stretches(grid, lengths, middle);
        if (any < 0) {
            return KERNEL_INTERRUPTED;
        }
        sorted = middle;
        *(any ? &low : &high) = middle;
    }
    if (low > 0 && sorted != low && sort_stretches(grid, lengths, low) < 0) {
        return KERNEL_INTERRUPTED;
    }
    return low;
}

/* Take the runs of the length that was sorted. Return whether the cap is reached, or KERNEL_INTERRUPTED. */
static int take_runs(Grid *grid, Lengths *lengths, int64_t length, Size *size) {
    const int32_t *rows = grid->rows, *columns = grid->columns;
    for (int64_t r = grid->n - length; r >= 0; r--) {
        if (stopped_at(r)) {
            return KERNEL_INTERRUPTED;
        }
        /* A stretch that was free when it was sorted can overlap runs of its own length alone: at one of its ends. */
        if (!lengths->class_of[r] || rows[r] == ROW_TAKEN || rows[r + length - 1] == ROW_TAKEN) {
            continue;
        }
        Class *class = &lengths->classes[lengths->class_of[r]];
        int32_t c = class->place;
        while (c >= 0 && (columns[c] == COLUMN_TAKEN || columns[c + length - 1] == COLUMN_TAKEN)) {
            c = lengths->next[c];
        }
        class->place = c;
        if (c >= 0) {
            if (add_run(size, length)) {
                return 1;
            }
            take_run(grid, r, c, length);
        }
    }
    return 0;
}

int gtm_match_by_length(Grid *grid, Lengths *lengths, Size *size) {
    int64_t n = grid->n, m = grid->m, shorter = n < m ? n : m;
    memcpy(lengths->names, grid->rows, (size_t)n * sizeof(int32_t));
    memcpy(lengths->names + n, grid->columns, (size_t)m * sizeof(int32_t));
    int level = 0, any = 1;
    while (any && INT64_C(2) << level <= shorter) {
        any = number_stretches(grid, lengths, level + 1);
        if (any < 0) {
            return KERNEL_INTERRUPTED;
        }
        level += any;
    }
    int64_t longest = (INT64_C(2) << level) - 1;
    longest = longest < shorter ? longest : shorter;
    while ((longest = sort_longest(grid, lengths, longest)) > 0) {
        int full = take_runs(grid, lengths, longest, size);
        if (full) {
            return full < 0 ? KERNEL_INTERRUPTED : KERNEL_DONE;
        }
        longest--;
    }
    return longest < 0 ? KERNEL_INTERRUPTED : KERNEL_DONE;
}
