/* Greedy matching by length: all runs of the greatest length are taken at once, then those of the next.

   The rows and columns where free stretches of this length begin are sorted into classes of equal stretches; the last row
   comes first, and takes the last free column of its class. To tell which stretches are equal, those of 2, 4, 8, ... tokens
   are numbered beforehand: two of them, overlapping, stand for one of any length. The next length is found by bisection,
   since a free run holds shorter ones.

   Runs in n tokens have at most sqrt(2 n) different lengths, so time is (n + m) sqrt(n) log n at worst, and memory
   (n + m) log n, even where every cell of the grid is a hit.

   Source: Karp, Miller, Rosenberg (1972), Rapid identification of repeated patterns in strings, trees and arrays. */
#include "gtm_lengths.h"

#include <stdlib.h>
#include <string.h>

/* A class of equal stretches. */
typedef struct {
    uint64_t key;
    int32_t number; /* the first row of the class, or its last column that is not known to be taken */
    uint32_t stamp;
} Class;

struct Lengths {
    int32_t *names;    /* (levels, n + m): of stretches of 2 to the power of the level; -1 if only one side has them */
    int32_t *class_of; /* (n): place of the class of a row, -1 if it has none */
    int32_t *next;     /* (m): the column before in the same class */
    uint8_t *found;    /* (n): whether the columns have the class of which this is the first row */
    Class *classes;    /* (2 to the power of `bits`) */
    int bits;
    uint32_t stamp;
};

static int bits_for(int64_t entries) {
    int bits = 4;
    while ((INT64_C(1) << bits) < 2 * entries) {
        bits++;
    }
    return bits;
}

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
    lengths->classes = kernel_memory(INT64_C(1) << bits_for(n), sizeof(Class));
    if (!lengths->names || !lengths->class_of || !lengths->next || !lengths->found || !lengths->classes) {
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
        free(lengths);
    }
}

#define NO_KEY UINT64_MAX

/* Two stretches of one level, the second some tokens after the first. */
static inline uint64_t key_of(const int32_t *names, int64_t after) {
    return names[0] < 0 || names[after] < 0 ? NO_KEY : (uint64_t)names[0] << 32 | (uint32_t)names[after];
}

/* Return the class of a key, or the empty place where it belongs. */
static inline Class *find(const Lengths *lengths, uint64_t key) {
    uint64_t mask = (UINT64_C(1) << lengths->bits) - 1;
    uint64_t at = (key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - lengths->bits);
    while (lengths->classes[at].stamp == lengths->stamp && lengths->classes[at].key != key) {
        at = (at + 1) & mask;
    }
    return &lengths->classes[at];
}

/* Return the class of a key, which is made with this number if it is new. */
static inline Class *find_or_make(const Lengths *lengths, uint64_t key, int32_t number) {
    Class *class = find(lengths, key);
    if (class->stamp != lengths->stamp) {
        *class = (Class){.key = key, .number = number, .stamp = lengths->stamp};
    }
    return class;
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
    lengths->stamp++;
    for (int64_t r = 0; r < n; r++) {
        if (stopped_at(r)) {
            return KERNEL_INTERRUPTED;
        }
        uint64_t key = r + 2 * half <= n ? key_of(halves + r, half) : NO_KEY;
        names[r] = key == NO_KEY ? -1 : find_or_make(lengths, key, (int32_t)r)->number;
        lengths->found[r] = 0;
    }
    for (int64_t c = 0; c < m; c++) {
        if (stopped_at(c)) {
            return KERNEL_INTERRUPTED;
        }
        uint64_t key = c + 2 * half <= m ? key_of(halves + n + c, half) : NO_KEY;
        const Class *class = key == NO_KEY ? NULL : find(lengths, key);
        names[n + c] = -1;
        if (class && class->stamp == lengths->stamp) {
            names[n + c] = class->number;
            lengths->found[class->number] = 1;
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
    lengths->stamp++;
    for (int64_t r = n - 1, free_rows = 0; r >= 0; r--) {
        if (stopped_at(r)) {
            return KERNEL_INTERRUPTED;
        }
        free_rows = grid->rows[r] == ROW_TAKEN ? 0 : free_rows + 1;
        uint64_t key = free_rows >= length ? key_of(rows + r, after) : NO_KEY;
        lengths->class_of[r] = key == NO_KEY ? -1 : (int32_t)(find_or_make(lengths, key, -1) - lengths->classes);
    }
    for (int64_t end = 1, free_columns = 0; end <= m; end++) {
        if (stopped_at(end)) {
            return KERNEL_INTERRUPTED;
        }
        int64_t c = end - length;
        free_columns = grid->columns[end - 1] == COLUMN_TAKEN ? 0 : free_columns + 1;
        uint64_t key = free_columns >= length ? key_of(columns + c, after) : NO_KEY;
        Class *class = key == NO_KEY ? NULL : find(lengths, key);
        if (class && class->stamp == lengths->stamp) {
            lengths->next[c] = class->number;
            class->number = (int32_t)c;
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
        if (lengths->class_of[r] < 0 || rows[r] == ROW_TAKEN || rows[r + length - 1] == ROW_TAKEN) {
            continue;
        }
        Class *class = &lengths->classes[lengths->class_of[r]];
        int32_t c = class->number;
        while (c >= 0 && (columns[c] == COLUMN_TAKEN || columns[c + length - 1] == COLUMN_TAKEN)) {
            c = lengths->next[c];
        }
        class->number = c;
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
    lengths->bits = bits_for(n);
    lengths->stamp = 0;
    memset(lengths->classes, 0, sizeof(Class) << lengths->bits);
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
