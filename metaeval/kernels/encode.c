/* Text becomes token ids: white space separates tokens, and equal tokens get equal ids, numbered as they come. Or it becomes
   characters.

   White space is what Python's str.split() takes for it. Texts are UTF-8; bytes are compared, hashes only find the place. */
#include "hash_table.h"

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

/* Which of 64 bytes may be white space: control characters, blanks, and those beyond ASCII; a bit for each. Looked for
   together, since where a token ends cannot be foreseen, and a wrong guess of the processor costs more than this. */
static inline uint64_t suspects_of(const uint8_t *bytes) {
    uint64_t found = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = UINT64_C(0x0101010101010101), lows = ones * 0x7f;
    for (int k = 0; k < 64; k += 8) {
        uint64_t word;
        memcpy(&word, bytes + k, 8);
        /* The high bit of each byte tells; the product brings the eight together. */
        uint64_t here = (~((word & lows) + ones * 0x5f) | word) & ~lows;
        found |= ((here >> 7) * UINT64_C(0x0102040810204080) >> 56) << k;
    }
#else
    for (int k = 0; k < 64; k++) {
        found |= (uint64_t)(bytes[k] < 0x21 || bytes[k] >= 0x80) << k;
    }
#endif
    return found;
}

typedef struct {
    const uint8_t *bytes;
    int64_t size;
    int64_t start; /* of the 64 bytes that were looked at last */
    uint64_t suspects;
} Scan;

/* Return the first place from `place` on, and before `end`, that may be white space; `end` if there is none. */
static inline int64_t next_suspect(Scan *scan, int64_t place, int64_t end) {
    while (place < end) {
        int64_t start = place & ~INT64_C(63);
        if (start != scan->start) {
            uint8_t rest[64] = {0};
            int is_whole = scan->size - start >= 64;
            if (!is_whole) {
                memcpy(rest, scan->bytes + start, (size_t)(scan->size - start));
            }
            scan->suspects = suspects_of(is_whole ? scan->bytes + start : rest);
            scan->start = start;
        }
        uint64_t suspects = scan->suspects >> (place & 63);
        if (suspects) {
            place += lowest_bit(suspects);
            return place < end ? place : end;
        }
        place = start + 64;
    }
    return end;
}

/* What tells a token from others: its first 15 bytes, zeros behind it, and its length. Longer ones are compared with the
   text as well. */
#define HEAD 15
#define LONG 255 /* stands for the length of those */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LAST_BYTE 0
#else
#define LAST_BYTE 56
#endif
typedef struct {
    uint64_t first, second;
} Key;

static inline Key key_of(const uint8_t *bytes, int64_t length, const uint8_t *end) {
    static const uint8_t ones[2 * HEAD + 2] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    int64_t shown = length < HEAD ? length : HEAD;
    Key key = {0, 0}, mask;
    if (end - bytes > HEAD) {
        memcpy(&key.first, bytes, 8);
        memcpy(&key.second, bytes + 8, 8);
    } else {
        memcpy(&key, bytes, (size_t)shown);
    }
    memcpy(&mask.first, ones + HEAD - shown, 8);
    memcpy(&mask.second, ones + HEAD + 8 - shown, 8);
    key.first &= mask.first;
    key.second &= mask.second;
    key.second |= (uint64_t)(length <= HEAD ? length : LONG) << LAST_BYTE;
    return key;
}

static inline uint64_t hash_of(Key key, const uint8_t *bytes, int64_t length) {
    uint64_t hash = (key.first ^ key.second * UINT64_C(0xBF58476D1CE4E5B9)) * HASH_MULTIPLIER;
    for (int64_t k = HEAD; k < length; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, (size_t)(length - k < 8 ? length - k : 8));
        hash = (hash ^ hash >> 32 ^ word) * HASH_MULTIPLIER;
    }
    return hash;
}

/* Tokens are found first, some of them, and numbered then: both go better without the other between. */
#define AT_ONCE 64

typedef struct {
    int64_t start, length;
} Token;

/* The different tokens met so far; the number of a token is its id plus one. */
typedef struct {
    const uint8_t *bytes, *end;
    int64_t *starts, *ends; /* by id */
    Key *keys;              /* by number */
    HashTable table;        /* of 4 places for each token at least */
    int32_t types;
} Vocabulary;

/* A token that is looked for, and its key. */
typedef struct {
    Key key;
    Token token;
} SoughtToken;

static inline int is_token(const void *entries, int32_t number, const void *key) {
    const Vocabulary *vocabulary = entries;
    const SoughtToken *sought = key;
    Key there = vocabulary->keys[number];
    if (((there.first ^ sought->key.first) | (there.second ^ sought->key.second)) != 0) {
        return 0;
    }
    if (sought->token.length <= HEAD || number == 0) {
        return 1;
    }
    int64_t start = vocabulary->starts[number - 1], length = vocabulary->ends[number - 1] - start;
    return length == sought->token.length &&
           memcmp(vocabulary->bytes + start, vocabulary->bytes + sought->token.start, (size_t)length) == 0;
}

/* Return the place of a token in the table, or the empty place where it belongs. */
static inline int32_t *find_token(const Vocabulary *vocabulary, Key key, Token token) {
    const SoughtToken sought = {key, token};
    vocabulary->keys[0] = key;
    uint64_t hash = hash_of(key, vocabulary->bytes + token.start, token.length);
    return find_in_hash_table(&vocabulary->table, hash, is_token, vocabulary, &sought);
}

/* Make room for twice as many tokens. */
static int grow_vocabulary(Vocabulary *vocabulary) {
    int bits = vocabulary->table.bits ? vocabulary->table.bits + 1 : 12;
    int32_t *numbers = kernel_memory(INT64_C(1) << bits, sizeof(int32_t));
    Key *keys = kernel_memory((INT64_C(1) << (bits - 2)) + 1, sizeof(Key));
    if (numbers && keys && vocabulary->keys) {
        memcpy(keys + 1, vocabulary->keys + 1, (size_t)vocabulary->types * sizeof(Key));
    }
    free(vocabulary->table.numbers);
    free(vocabulary->keys);
    vocabulary->table.numbers = numbers;
    vocabulary->keys = keys;
    if (!numbers || !keys) {
        return KERNEL_NO_MEMORY;
    }
    empty_hash_table(&vocabulary->table, bits);
    for (int32_t id = 0; id < vocabulary->types; id++) {
        Token token = {vocabulary->starts[id], vocabulary->ends[id] - vocabulary->starts[id]};
        *find_token(vocabulary, keys[id + 1], token) = id + 1;
    }
    return KERNEL_DONE;
}

/* Write the ids of some tokens. */
static int number_tokens(Vocabulary *vocabulary, const Token *tokens, int count, int32_t *ids) {
    for (int k = 0; k < count; k++) {
        Key key = key_of(vocabulary->bytes + tokens[k].start, tokens[k].length, vocabulary->end);
        int32_t *place = find_token(vocabulary, key, tokens[k]), id = *place - 1;
        if (id < 0) {
            id = vocabulary->types++;
            vocabulary->starts[id] = tokens[k].start;
            vocabulary->ends[id] = tokens[k].start + tokens[k].length;
            vocabulary->keys[id + 1] = key;
            *place = id + 1;
            if ((int64_t)vocabulary->types << 2 >= INT64_C(1) << vocabulary->table.bits &&
                grow_vocabulary(vocabulary) != KERNEL_DONE) {
                return KERNEL_NO_MEMORY;
            }
        }
        ids[k] = id;
    }
    return kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
}

static inline int is_mark(uint8_t byte) {
    return (byte > ' ' && byte < '0') || (byte > '9' && byte < 'A') || (byte > 'Z' && byte < 'a') ||
           (byte > 'z' && byte < 0x7f);
}

int kernel_encode(
    const uint8_t *bytes, const int64_t *offsets, int64_t segments, int marks_apart, int32_t *ids, int64_t *token_offsets,
    int64_t *starts, int64_t *ends, int64_t *types) {
    Vocabulary vocabulary = {.bytes = bytes, .end = bytes + offsets[segments], .starts = starts, .ends = ends};
    Scan scan = {.bytes = bytes, .size = offsets[segments], .start = -1};
    Token found[AT_ONCE];
    int waiting = 0, status = grow_vocabulary(&vocabulary);
    int64_t numbered = 0;
    token_offsets[0] = 0;
    for (int64_t i = 0; status == KERNEL_DONE && i < segments; i++) {
        int64_t start = offsets[i], end = offsets[i + 1], place = start;
        while (status == KERNEL_DONE && start < end) {
            int64_t space = 0;
            place = next_suspect(&scan, place, end);
            if (place < end && (space = space_at(bytes + place, bytes + end)) == 0) {
                place++;
                continue;
            }
            int64_t length = place - start, first = length;
            if (marks_apart && length > 1) {
                first = is_mark(bytes[place - 1]) ? length - 1 : is_mark(bytes[start]) ? 1 : length;
            }
            /* What there is not is written over. */
            found[waiting] = (Token){start, first};
            waiting += length > 0;
            found[waiting] = (Token){start + first, length - first};
            waiting += length > first;
            start = place += space; /* 0 at the end of the text */
            if (waiting >= AT_ONCE - 2) {
                status = number_tokens(&vocabulary, found, waiting, ids + numbered);
                numbered += waiting;
                waiting = 0;
            }
        }
        token_offsets[i + 1] = numbered + waiting;
    }
    status = status == KERNEL_DONE ? number_tokens(&vocabulary, found, waiting, ids + numbered) : status;
    free(vocabulary.table.numbers);
    free(vocabulary.keys);
    *types = vocabulary.types;
    return status;
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
