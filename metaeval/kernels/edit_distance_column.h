/* The step of all edit distances: one column of the table of distances, 64 rows of it in a word.

   The rows of the table belong to the tokens of one text, the columns to those of another. From a row to the next the
   distance in a column rises by 1, falls by 1 or stays: `rises` and `falls` have a bit for each row.

   Sources: Myers (1999), A fast bit-vector algorithm for approximate string matching based on dynamic programming; Hyyrö
   (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances. */
#ifndef METAEVAL_EDIT_DISTANCE_COLUMN_H
#define METAEVAL_EDIT_DISTANCE_COLUMN_H

#include <stdint.h>

/* Define a function that goes on to the next column, for one word or for several words side by side.

   `equal` has a bit for each row whose token is that of the column. In the row above these 64 the distance grew from the column
   before to this one if `grows_above` is 1, and shrank if `shrinks_above` is 1; afterwards they tell this of the last of these
   rows, for the 64 rows below. Above the first row it always grows. `diagonal` becomes the rows whose distance is that of the
   row above in the column before. */
#define DEFINE_NEXT_COLUMN(name, Word)                                                                                   \
    static inline void name(                                                                                             \
        const Word *equal, Word *rises, Word *falls, Word *grows_above, Word *shrinks_above, Word *diagonal) {           \
        /* Where the distance shrank above, the first row goes on as if its token were equal. */                         \
        Word either = *equal | *falls, entered = *equal | *shrinks_above;                                                \
        Word carried = (((entered & *rises) + *rises) ^ *rises) | entered;                                               \
        Word grows = *falls | ~(carried | *rises), shrinks = *rises & carried;                                           \
        Word grown = grows << 1 | *grows_above, shrunk = shrinks << 1 | *shrinks_above;                                  \
        *grows_above = grows >> 63;                                                                                      \
        *shrinks_above = shrinks >> 63;                                                                                  \
        *diagonal = carried | *falls;                                                                                    \
        *rises = shrunk | ~(either | grown);                                                                             \
        *falls = either & grown;                                                                                         \
    }

DEFINE_NEXT_COLUMN(next_column, uint64_t)

#endif
