/* What documents add up to where a judgment of each of their segments is drawn. */
#include "kernels.h"
#include "pcg.h"

#include <stdlib.h>
#include <string.h>

/* Systems whose judgments are drawn side by side, so that one generator need not wait for another. */
#define LANES 8
/* As many as the registers of a processor without wide vectors hold. */
#define FEW 4

/* The judgments of a segment. Their numbers are divided by 2^53, as uniform numbers would have to be: both give the same
   product. */
typedef struct {
    const double *first[LANES];
    double count[LANES];
} Item;

/* The documents of a replicate, (documents, length), and for two judgments of each segment which one was drawn first. */
typedef struct {
    const int32_t *segments;
    int64_t count, length;
    int32_t *chosen;
    int is_second;
    double beginning;
} Held;

/* Draw for some systems from lane `from` on. Those of the items that have no judgment add nothing. */
static inline void draw_few(int lanes, int from, Pcg *own, const Item *items, const Held *held, double *sums, int64_t step) {
    Pcg pcg[FEW];
    memcpy(pcg, own + from, (size_t)lanes * sizeof *pcg);
    for (int64_t d = 0; d < held->count; d++) {
        double sum[FEW];
        for (int lane = 0; lane < lanes; lane++) {
            sum[lane] = held->beginning;
        }
        for (int64_t i = d * held->length; i < (d + 1) * held->length; i++) {
            const Item *item = items + held->segments[i];
            int32_t *kept = held->chosen ? held->chosen + i * LANES + from : NULL;
            for (int lane = 0; lane < lanes; lane++) {
                double whole = next_whole(pcg + lane), count = item->count[from + lane];
                int64_t place = (int64_t)(whole * count);
                if (held->is_second) {
                    int64_t of_item = (int64_t)(count / UNIFORM);
                    int64_t other = kept[lane] + 1 + (int64_t)(whole * (count - UNIFORM));
                    place = other >= of_item ? other - of_item : other; /* it is below twice as many */
                } else if (kept) {
                    kept[lane] = (int32_t)place;
                }
                sum[lane] += item->first[from + lane][place];
            }
        }
        for (int lane = 0; lane < lanes; lane++) {
            sums[d * step + from + lane] = sum[lane];
        }
    }
    memcpy(own + from, pcg, (size_t)lanes * sizeof *pcg);
}

#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 9) && !defined(__SANITIZE_ADDRESS__)
#include <immintrin.h>

typedef uint64_t Words __attribute__((vector_size(64)));
typedef int64_t Places __attribute__((vector_size(64)));
typedef int32_t Kept __attribute__((vector_size(32)));
typedef double Reals __attribute__((vector_size(64)));

static int has_wide(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/* The product of the lower halves of words. */
#define PRODUCT(a, b) ((Words)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))

/* What draw_few does, for all lanes in one vector. Lanes without a system have items without a judgment. */
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void draw_wide(
    int lanes, Pcg *own, const Item *items, const Held *held, double *sums, int64_t step) {
    Words high, low, step_high, step_low;
    for (int k = 0; k < LANES; k++) {
        high[k] = own[k].high, low[k] = own[k].low, step_high[k] = own[k].step_high, step_low[k] = own[k].step_low;
    }
    const Words lower = (Words)_mm512_set1_epi64((int64_t)(MULTIPLIER_LOW & UINT32_MAX));
    const Words upper = (Words)_mm512_set1_epi64((int64_t)(MULTIPLIER_LOW >> 32));
    const int32_t *segments = held->segments;
    int32_t *chosen = held->chosen;
    const int64_t length = held->length;
    const int is_second = held->is_second;
    for (int64_t d = 0; d < held->count; d++) {
        Reals sum = _mm512_set1_pd(held->beginning);
        for (int64_t i = d * length; i < (d + 1) * length; i++) {
            Words rest = low >> 32, lowest = PRODUCT(low, lower), middle = PRODUCT(rest, lower) + (lowest >> 32);
            Words other = PRODUCT(low, upper) + (middle & UINT32_MAX);
            Words carried = PRODUCT(rest, upper) + (middle >> 32) + (other >> 32);
            high = carried + high * MULTIPLIER_LOW + low * MULTIPLIER_HIGH + step_high;
            low = (lowest & UINT32_MAX) + (other << 32) + step_low;
            high -= (Words)(low < step_low); /* where it is true, all bits are 1 */
            Words word = (Words)_mm512_rorv_epi64((__m512i)(high ^ low), (__m512i)(high >> 58));
            Reals whole = __builtin_convertvector((Places)(word >> 11), Reals), count;
            const Item *item = items + segments[i];
            memcpy(&count, item->count, sizeof count);
            Places place = __builtin_convertvector(whole * count, Places), address;
            if (is_second) {
                Kept kept;
                memcpy(&kept, chosen + i * LANES, sizeof kept);
                Places of_item = __builtin_convertvector(count / UNIFORM, Places);
                place = __builtin_convertvector(kept, Places) + 1 + __builtin_convertvector(whole * (count - UNIFORM), Places);
                place -= of_item & (place >= of_item);
            } else if (chosen) {
                Kept kept = __builtin_convertvector(place, Kept);
                memcpy(chosen + i * LANES, &kept, sizeof kept);
            }
            memcpy(&address, item->first, sizeof address);
            sum += _mm512_i64gather_pd((__m512i)(address + (place << 3)), NULL, 1);
        }
        double found[LANES];
        memcpy(found, &sum, sizeof found);
        memcpy(sums + d * step, found, (size_t)lanes * sizeof *sums);
    }
    for (int k = 0; k < LANES; k++) {
        own[k].high = high[k], own[k].low = low[k];
    }
}
#else
static int has_wide(void) {
    return 0;
}

static void draw_wide(int lanes, Pcg *own, const Item *items, const Held *held, double *sums, int64_t step) {
    (void)lanes, (void)own, (void)items, (void)held, (void)sums, (void)step;
}
#endif

/* Draw for the systems of a block: few at a time where that is not slower. */
static void draw_block(int lanes, int wide, Pcg *own, const Item *items, const Held *held, double *sums, int64_t step) {
    if (wide && lanes >= FEW) {
        draw_wide(lanes, own, items, held, sums, step);
        return;
    }
    for (int from = 0; from < lanes; from += FEW) {
        if (lanes - from >= FEW) {
            draw_few(FEW, from, own, items, held, sums, step);
        } else {
            draw_few(lanes - from, from, own, items, held, sums, step);
        }
    }
}

static void count_judged(const int32_t *segments, const int64_t *counts, const PooledShape *shape, double *numbers) {
    for (int64_t i = 0; i < shape->documents * shape->systems; i++) {
        numbers[i] = (double)shape->length;
    }
    for (int64_t s = 0; s < shape->systems; s++) {
        const int64_t *own = counts + s * shape->all_segments;
        int64_t lacking = 0;
        for (int64_t i = 0; i < shape->all_segments; i++) {
            lacking += own[i] == 0;
        }
        for (int64_t d = 0; lacking && d < shape->documents; d++) {
            for (int64_t i = 0; i < shape->length; i++) {
                numbers[d * shape->systems + s] -= own[segments[d * shape->length + i]] == 0;
            }
        }
    }
}

int kernel_draw_judged(
    const uint64_t *states, int64_t repeats, const int32_t *segments, const int64_t *starts, const int64_t *counts,
    const double *values, const PooledShape *shape, int two, double *sums, double *numbers) {
    static const double nothing[2] = {0.0, 0.0};
    const int64_t systems = shape->systems, length = shape->length, all = shape->all_segments;
    const int64_t size = shape->documents * systems, documents = shape->documents / repeats;
    const int wide = has_wide();
    Item *items = kernel_memory(all, sizeof *items);
    int32_t *chosen = two ? kernel_memory(documents * length * LANES, sizeof *chosen) : NULL;
    int status = items && (chosen || !two) ? KERNEL_DONE : KERNEL_NO_MEMORY;
    for (int64_t s = 0; status == KERNEL_DONE && s < systems; s += LANES) {
        const int lanes = (int)(systems - s < LANES ? systems - s : LANES);
        for (int64_t i = 0; i < all; i++) {
            for (int lane = 0; lane < LANES; lane++) {
                int64_t place = (s + lane) * all + i, count = lane < lanes ? counts[place] : 0;
                items[i].first[lane] = count > 0 ? values + starts[place] : nothing;
                items[i].count[lane] = (double)count * UNIFORM;
            }
        }
        for (int64_t r = 0; status == KERNEL_DONE && r < repeats; r++) {
            Pcg pcg[LANES] = {{0, 0, 0, 0}};
            memcpy(pcg, states + 4 * (r * systems + s), (size_t)lanes * sizeof *pcg);
            for (int part = 0; part < 1 + two; part++) {
                const Held held = {
                    segments + r * documents * length, documents, length, chosen, part,
                    /* A sum of one number, or one sum alone, begins with its first number; another one with 0. Only the
                       sign of zero shows it. */
                    length == 1 || size == 1 ? -0.0 : 0.0};
                double *found = sums + part * size + r * documents * systems + s;
                draw_block(lanes, wide, pcg, items, &held, found, systems);
            }
            status = kernel_interrupted() ? KERNEL_INTERRUPTED : KERNEL_DONE;
        }
    }
    if (status == KERNEL_DONE) {
        count_judged(segments, counts, shape, numbers);
        for (int part = 1; part < 1 + two; part++) {
            memcpy(numbers + part * size, numbers, (size_t)size * sizeof *numbers);
        }
    }
    free(items);
    free(chosen);
    return status;
}
