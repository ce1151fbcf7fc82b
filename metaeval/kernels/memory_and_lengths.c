/* Memory and lengths. */
#include "kernels.h"

#include <stdlib.h>

void *kernel_memory(int64_t count, size_t size) {
    size_t items = count > 0 ? (size_t)count : 1;
    return items > SIZE_MAX / size ? NULL : malloc(items * size);
}

void *kernel_zeros(int64_t count, size_t size) {
    return calloc(count > 0 ? (size_t)count : 1, size);
}

int64_t longest_segment(const Text *text) {
    int64_t longest = 0;
    for (int64_t i = 0; i < text->segments; i++) {
        int64_t length = segment_length(text, i);
        longest = length > longest ? length : longest;
    }
    return longest;
}

int64_t most_tokens(const Text *candidate, int64_t segments) {
    int64_t most = 0;
    for (int64_t i = 0; i < segments; i++) {
        int64_t tokens = 0;
        for (int64_t k = i; k < candidate->segments; k += segments) {
            tokens += segment_length(candidate, k);
        }
        most = tokens > most ? tokens : most;
    }
    return most;
}
