/* Text becomes token ids: white space separates tokens, and equal tokens get equal ids, numbered as they come. Or it becomes
   characters.

   White space is what Python's str.split() takes for it. Texts are UTF-8; bytes are compared, hashes only find the place. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* Return how many bytes of white space stand at p, 0 if none do. */
static inline int64_t space_at(const uint8_t *p, const uint8_t *end) {
    uint8_t byte = *p;
    if (byte < 0x80) {
        return byte == ' ' || (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x1f);
    }
    if (byte == 0xc2 && end - p >= 2) { /* next line, no-break space */
        return p[1] == 0x85 || p[1] == 0xa0 ? 2 : 0;
    }
    if (end - p < 3) {
        return 0;
    }
    if (byte == 0xe2 && p[1] == 0x80) { /* U+2000 to U+200A, line and paragraph separator, narrow no-break space */
        return (p[2] >= 0x80 && p[2] <= 0x8a) || p[2] == 0xa8 || p[2] == 0xa9 || p[2] == 0xaf ? 3 : 0;
    }
    /* ogham space mark, medium mathematical space, ideographic space */
    return (byte == 0xe1 && p[1] == 0x9a && p[2] == 0x80) || (byte == 0xe2 && p[1] == 0x81 && p[2] == 0x9f) ||
                   (byte == 0xe3 && p[1] == 0x80 && p[2] == 0x80)
               ? 3
               : 0;
}

/* Return the first byte from p on that may be white space: a control character, a blank, or one beyond ASCII. */
static inline const uint8_t *next_suspect(const uint8_t *p, const uint8_t *end) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        /* The high bit of a byte is set if the byte is below 0x21 or at least 0x80. Above such a byte it may be set
           without reason, which does no harm, since only the lowest is used. */
        uint64_t suspects = ((word - ones * 0x21) | word) & (ones << 7);
        if (suspects) {
            return p + (__builtin_ctzll(suspects) >> 3);
        }
    }
#endif
    while (p < end && *p >= 0x21 && *p < 0x80) {
        p++;
    }
    return p;
}

/* Return the first bytes of a token, at most eight, as a number; the others are zero. */
static inline uint64_t head_of(const uint8_t *bytes, int64_t length, const uint8_t *end) {
    uint64_t word = 0;
    if (end - bytes >= 8) {
        memcpy(&word, bytes, 8);
        if (length < 8) {
            /* Bytes are in the order of memory; the mask is built in the same order. */
            static const uint8_t ones[16] = {255, 255, 255, 255, 255, 255, 255, 255};
            uint64_t mask;
            memcpy(&mask, ones + 8 - length, 8);
            word &= mask;
        }
    } else {
        memcpy(&word, bytes, (size_t)(length < 8 ? length : 8));
    }
    return word;
}

static inline uint64_t hash_of(uint64_t head, const uint8_t *bytes, int64_t length) {
    uint64_t hash = (head ^ (uint64_t)length) * UINT64_C(0x9E3779B97F4A7C15), word;
    for (bytes += 8, length -= 8; length > 0; bytes += 8, length -= 8) {
        word = 0;
        memcpy(&word, bytes, (size_t)(length < 8 ? length : 8));
        hash = ((hash ^ hash >> 32) ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return hash ^ hash >> 29;
}

/* Most tokens have at most eight bytes, and are compared without a look at the text. */
typedef struct {
    uint64_t head;
    uint32_t length;
    int32_t id; /* -1 where the place is empty */
} Place;

typedef struct {
    Place *places;
    int64_t capacity; /* a power of two */
} Table;

static int grow(Table *table, const uint8_t *bytes, const int64_t *starts) {
    int64_t capacity = table->capacity ? 2 * table->capacity : 1024;
    Place *places = kernel_memory(capacity, sizeof(Place));
    if (!places) {
        return KERNEL_NO_MEMORY;
    }
    for (int64_t place = 0; place < capacity; place++) {
        places[place].id = -1;
    }
    for (int64_t old = 0; old < table->capacity; old++) {
        const Place *from = &table->places[old];
        if (from->id >= 0) {
            uint64_t place = hash_of(from->head, bytes + starts[from->id], from->length) & (uint64_t)(capacity - 1);
            while (places[place].id >= 0) {
                place = (place + 1) & (uint64_t)(capacity - 1);
            }
            places[place] = *from;
        }
    }
    free(table->places);
    table->places = places;
    table->capacity = capacity;
    return KERNEL_DONE;
}

/* The tokens met so far. */
typedef struct {
    const uint8_t *bytes, *end;
    int64_t *starts, *ends;
    Table table;
    int32_t types;
    int status;
} Known;

/* Return the id of a token. */
static inline int32_t id_of(Known *known, const uint8_t *start, int64_t length) {
    Table *table = &known->table;
    uint64_t head = head_of(start, length, known->end);
    uint64_t place = hash_of(head, start, length) & (uint64_t)(table->capacity - 1);
    int32_t id;
    while ((id = table->places[place].id) >= 0) {
        const Place *there = &table->places[place];
        if (there->head == head && there->length == (uint32_t)length &&
            (length <= 8 || memcmp(known->bytes + known->starts[id] + 8, start + 8, (size_t)length - 8) == 0)) {
            return id;
        }
        place = (place + 1) & (uint64_t)(table->capacity - 1);
    }
    id = known->types++;
    known->starts[id] = start - known->bytes;
    known->ends[id] = start + length - known->bytes;
    table->places[place] = (Place){head, (uint32_t)length, id};
    if (2 * (int64_t)known->types > table->capacity) {
        known->status = grow(table, known->bytes, known->starts);
    }
    return id;
}

static inline int is_mark(uint8_t byte) {
    return (byte > ' ' && byte < '0') || (byte > '9' && byte < 'A') || (byte > 'Z' && byte < 'a') ||
           (byte > 'z' && byte < 0x7f);
}

int kernel_encode(
    const uint8_t *bytes, const int64_t *offsets, int64_t segments, int marks_apart, int32_t *ids, int64_t *token_offsets,
    int64_t *starts, int64_t *ends, int64_t *types) {
    Known known = {.bytes = bytes, .end = bytes + offsets[segments], .starts = starts, .ends = ends};
    known.status = grow(&known.table, bytes, starts);
    int64_t tokens = 0;
    token_offsets[0] = 0;
    for (int64_t i = 0; known.status == KERNEL_DONE && i < segments; i++) {
        const uint8_t *p = bytes + offsets[i], *end = bytes + offsets[i + 1];
        while (known.status == KERNEL_DONE && p < end) {
            int64_t space = space_at(p, end); /* white space that is not behind a token */
            if (space) {
                p += space;
                continue;
            }
            const uint8_t *start = p;
            do {
                p = next_suspect(p + 1, end);
            } while (p < end && (space = space_at(p, end)) == 0);
            int64_t length = p - start, first = length;
            if (marks_apart && length > 1) {
                first = is_mark(start[length - 1]) ? length - 1 : is_mark(*start) ? 1 : length;
            }
            ids[tokens++] = id_of(&known, start, first);
            if (first < length && known.status == KERNEL_DONE) {
                ids[tokens++] = id_of(&known, start + first, length - first);
            }
            p += space; /* 0 at the end of the text */
            if ((tokens & 0xfff) == 0 && kernel_interrupted()) {
                known.status = KERNEL_INTERRUPTED;
            }
        }
        token_offsets[i + 1] = tokens;
    }
    free(known.table.places);
    *types = known.types;
    return known.status;
}

int kernel_characters(
    const uint8_t *bytes, const int64_t *offsets, int64_t segments, int keep_space, int32_t *characters,
    int64_t *character_offsets) {
    int64_t count = 0;
    character_offsets[0] = 0;
    for (int64_t i = 0; i < segments; i++) {
        const uint8_t *p = bytes + offsets[i], *end = bytes + offsets[i + 1];
        while (p < end) {
            if (*p < 0x80) {
                characters[count] = *p;
                /* White space cannot be foreseen: it is written over. */
                count += keep_space | !((*p == ' ') | ((uint8_t)(*p - 0x09) <= 4) | ((uint8_t)(*p - 0x1c) <= 3));
                p++;
                continue;
            }
            int64_t space = keep_space ? 0 : space_at(p, end);
            if (space) {
                p += space;
                continue;
            }
            int32_t length = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4, character = *p & (0x7f >> length);
            const uint8_t *next = end - p < length ? end : p + length;
            while (++p < next) {
                character = character << 6 | (*p & 0x3f);
            }
            characters[count++] = character;
        }
        character_offsets[i + 1] = count;
        if (kernel_interrupted()) {
            return KERNEL_INTERRUPTED;
        }
    }
    return KERNEL_DONE;
}
