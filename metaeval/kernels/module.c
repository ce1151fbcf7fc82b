/* The functions of the module: what each takes, what it checks of it, and the kernel that it runs. */
#include "binding.h"

#include <string.h>

/* A function that Python calls. Its head says what it takes, as binding.h has it; its body finds these arguments in `given`,
   checks what the head does not say of them, and returns the status of a kernel, or that of refuse(). */
#define FUNCTION(name, ...)                                                                          \
    static int run_##name(Argument *given);                                                          \
    static PyObject *name(PyObject *self, PyObject *arguments) {                                     \
        static const Parameter parameters[] = {__VA_ARGS__};                                         \
        enum { COUNT = sizeof parameters / sizeof *parameters };                                     \
        _Static_assert(COUNT <= MOST_PARAMETERS, "there must be room for all");                      \
        (void)self;                                                                                  \
        return call(arguments, parameters, COUNT, run_##name);                                       \
    }                                                                                                \
    static int run_##name(Argument *given)

/* Whether the candidate holds whole systems; an empty reference goes with an empty candidate. */
static int are_systems(const Text *candidate, int64_t reference_segments) {
    return reference_segments > 0 ? candidate->segments % reference_segments == 0 : candidate->segments == 0;
}

/* The tokens of the longest run that two texts can share. */
static int64_t longest_run(const Text *candidate, const Text *reference) {
    int64_t n = longest_segment(candidate), m = longest_segment(reference);
    return n < m ? n : m;
}

/* Whether segments have less than 2 to the power of 28 tokens. */
static int are_short(const Text *candidate, const Text *reference) {
    return longest_segment(candidate) <= INT32_MAX / 8 && longest_segment(reference) <= INT32_MAX / 8;
}

FUNCTION(
    encode, READ('B', "bytes"), READ('q', "offsets"), NUMBER("marks apart"), WRITTEN('i', "ids"),
    WRITTEN('q', "token offsets"), WRITTEN('q', "starts"), WRITTEN('q', "ends"), FOUND("types")) {
    const Argument *bytes = &given[0], *offsets = &given[1], *ids = &given[3], *token_offsets = &given[4];
    const Argument *starts = &given[5], *ends = &given[6];
    int marks_apart = given[2].number != 0;
    int64_t segments = offsets->items - 1, room = bytes->items / (marks_apart ? 1 : 2) + segments + 1;
    if (bytes->items >= INT32_MAX) {
        return refuse("texts must have fewer than %d bytes together; got %lld", INT32_MAX, (long long)bytes->items);
    }
    if (!are_offsets(offsets, bytes->items) || ids->items < room ||
        token_offsets->items != segments + 1 || starts->items < room || ends->items < room) {
        return refuse("offsets must rise to the number of bytes, and there must be room");
    }
    return kernel_encode(
        bytes->data, offsets->data, segments, marks_apart, ids->data, token_offsets->data, starts->data, ends->data,
        &given[7].number);
}

FUNCTION(
    characters, READ('B', "bytes"), READ('q', "offsets"), NUMBER("keep space"), WRITTEN('i', "characters"),
    WRITTEN('q', "character offsets")) {
    const Argument *bytes = &given[0], *offsets = &given[1], *characters = &given[3], *character_offsets = &given[4];
    if (!are_offsets(offsets, bytes->items) || characters->items != bytes->items ||
        character_offsets->items != offsets->items) {
        return refuse("offsets must rise to the number of bytes, and there must be room");
    }
    return kernel_characters(
        bytes->data, offsets->data, offsets->items - 1, given[2].number != 0, characters->data, character_offsets->data);
}

/* Whether there is room for so many things of so many each, and as many are given. */
static int are_products(const Argument *given, int64_t a, int64_t b, int64_t c) {
    if (a < 0 || b < 0 || c < 0 || (b > 0 && a > INT64_MAX / b) || (c > 0 && a * b > INT64_MAX / 16 / c)) {
        return 0;
    }
    return given->items == a * b * c;
}

FUNCTION(
    split_judgments, READ('d', "values"), READ('d', "keys"), READ('B', "longer"), READ('q', "places"), NUMBER("draws"),
    NUMBER("step"), WRITTEN('d', "single"), WRITTEN('d', "rest"), WRITTEN('d', "halves")) {
    const Argument *values = &given[0], *keys = &given[1], *longer = &given[2], *places = &given[3];
    const Argument *sides = &given[6];
    int64_t items = places->items, draws = given[4].number, step = given[5].number, cells = 0;
    for (int i = 0; i < 3; i++) {
        if (sides[i].items % 2 || (cells > 0 && sides[i].items > 0 && sides[i].items / 2 != cells)) {
            return refuse("the sides of a part must be two of as many cells as those of another");
        }
        cells = sides[i].items > 0 ? sides[i].items / 2 : cells;
    }
    int64_t count = items > 0 ? values->items / items : 0;
    if (count < 2 || count > SPLIT_MOST || draws < 1 || !are_products(values, items, count, 1) ||
        !are_products(keys, draws, items, count) || longer->items != (count % 2 ? draws * items : 0)) {
        return refuse("there must be 2 to %d judgments of each item, a key for each in each draw", SPLIT_MOST);
    }
    const int64_t *place = places->data;
    int fits = step >= 0 && (step == 0 || draws - 1 <= INT64_MAX / 16 / step);
    for (int64_t i = 0; fits && i < items; i++) {
        fits = place[i] >= 0 && place[i] < cells && place[i] + (draws - 1) * step < cells;
    }
    if (!fits) {
        return refuse("places of items must be cells in each draw");
    }
    SplitShape shape = {draws, items, count, step, cells};
    double *of[3];
    for (int i = 0; i < 3; i++) {
        of[i] = sides[i].items > 0 ? sides[i].data : NULL;
    }
    return kernel_split_judgments(
        values->data, keys->data, count % 2 ? longer->data : NULL, places->data, &shape, of[0], of[1], of[2]);
}

/* Whether indices are (documents, length), and of segments that are there. */
static int are_documents(const Argument *indices, const PooledShape *shape) {
    const int32_t *index = indices->data;
    uint64_t limit = (uint64_t)shape->all_segments;
    int wrong = shape->length < 1 || !are_products(indices, shape->documents, shape->length, 1);
    for (int64_t i = 0; !wrong && i < indices->items; i++) {
        wrong = (uint64_t)(int64_t)index[i] >= limit;
    }
    return !wrong;
}

FUNCTION(
    pool_documents, READ('d', "values"), READ('q', "segments"), READ('i', "indices"), NUMBER("systems"), NUMBER("statistics"),
    NUMBER("documents"), WRITTEN('d', "sums")) {
    const Argument *values = &given[0], *segments = &given[1], *indices = &given[2], *sums = &given[6];
    int64_t systems = given[3].number, statistics = given[4].number, documents = given[5].number;
    if (systems < 1 || systems > INT32_MAX || statistics < 1 || statistics > INT32_MAX || documents < 1) {
        return refuse("there must be systems, statistics and documents");
    }
    int64_t n_all = values->items / (systems * statistics);
    PooledShape shape = {systems, segments->items, statistics, documents, indices->items / documents};
    const int64_t *segment = segments->data;
    for (int64_t i = 0; i < segments->items; i++) {
        if (segment[i] < 0 || segment[i] >= n_all) {
            return refuse("segments must be some that have statistics");
        }
    }
    if (!are_documents(indices, &shape) || !are_products(values, systems, n_all, statistics) ||
        !are_products(sums, documents, systems, statistics)) {
        return refuse("documents must be of segments that are there, sums have a number for each statistic");
    }
    shape.all_segments = n_all;
    return kernel_pool_documents(values->data, segments->data, segments->items, indices->data, &shape, sums->data);
}

FUNCTION(seed_generators, READ('I', "words"), NUMBER("streams"), WRITTEN('Q', "states")) {
    const Argument *words = &given[0], *states = &given[2];
    int64_t streams = given[1].number;
    if (streams < 1 || words->items % streams || !are_products(states, streams, 4, 1)) {
        return refuse("there must be words for every stream, and room for four of its state");
    }
    kernel_seed_generators(words->data, streams, words->items / streams, states->data);
    return KERNEL_DONE;
}

FUNCTION(
    draw_judgments, READ('Q', "states"), READ('i', "segments"), READ('q', "starts"), READ('q', "counts"), READ('d', "values"),
    NUMBER("systems"), NUMBER("documents"), NUMBER("two"), WRITTEN('d', "sums"), WRITTEN('d', "numbers")) {
    const Argument *states = &given[0], *segments = &given[1], *starts = &given[2], *counts = &given[3];
    const Argument *values = &given[4], *sums = &given[8], *numbers = &given[9];
    int64_t systems = given[5].number, documents = given[6].number, two = given[7].number != 0;
    int64_t repeats = systems < 1 ? 0 : states->items / 4 / systems;
    if (repeats < 1 || !are_products(states, repeats, systems, 4) || documents < 1 || documents % repeats) {
        return refuse("there must be documents, and four words of state for each system in equal parts of them");
    }
    PooledShape shape = {systems, counts->items / systems, 1, documents, segments->items / documents};
    const int64_t *start = starts->data, *count = counts->data;
    int fits = are_documents(segments, &shape) && are_products(counts, systems, shape.all_segments, 1) &&
               starts->items == counts->items && are_products(sums, documents, systems, 1 + two) &&
               numbers->items == sums->items;
    for (int64_t i = 0; fits && i < counts->items; i++) {
        fits = count[i] >= two && count[i] <= INT32_MAX / 2 &&
               (count[i] == 0 || (start[i] >= 0 && start[i] <= values->items - count[i]));
    }
    if (!fits) {
        return refuse("judgments must be there, and sums have a number for each document and system");
    }
    return kernel_draw_judgments(
        states->data, repeats, segments->data, starts->data, counts->data, values->data, &shape, (int)two, sums->data,
        numbers->data);
}

FUNCTION(round_to_scale, READ('d', "scores"), READ('d', "scales"), WRITTEN('d', "found")) {
    const Argument *scores = &given[0], *scales = &given[1], *found = &given[2];
    if (found->items != scores->items || (scales->items != 1 && scales->items != scores->items)) {
        return refuse("there must be one scale, or one for each score");
    }
    kernel_round_to_scale(scores->data, scores->items, scales->data, scales->items, found->data);
    return KERNEL_DONE;
}

FUNCTION(
    spearman, READ('d', "x"), READ('d', "y"), NUMBER("lines"), NUMBER("n"), NUMBER("corrected"), WRITTEN('d', "found")) {
    const Argument *x = &given[0], *y = &given[1], *found = &given[5];
    int64_t lines = given[2].number, n = given[3].number;
    if (n < 2 || n > RANKED_MOST || y->items % n || !are_products(x, lines, y->items, 1) ||
        !are_products(found, lines, y->items / n, 1)) {
        return refuse("scores must be of all lines and rows, 2 to %d in each", RANKED_MOST);
    }
    return kernel_spearman(x->data, y->data, lines, y->items / n, n, given[4].number != 0, found->data);
}

FUNCTION(
    count_pairs, READ('d', "x"), READ('d', "y"), NUMBER("n"), REAL("epsilon"), REAL("gap"), WRITTEN('q', "counts")) {
    const Argument *x = &given[0], *y = &given[1], *counts = &given[5];
    int64_t n = given[2].number;
    if (n < 1 || n > RANKED_MOST || x->items % n || y->items != x->items || !are_products(counts, 5, x->items / n, 1)) {
        return refuse("scores must be as many on both sides, 1 to %d in each row, counts five for a row", RANKED_MOST);
    }
    return kernel_count_pairs(x->data, y->data, x->items / n, n, given[3].real, given[4].real, counts->data);
}

FUNCTION(ordinal_ranks, READ('d', "x"), READ('Q', "start"), NUMBER("n"), WRITTEN('d', "ranks")) {
    const Argument *x = &given[0], *start = &given[1], *ranks = &given[3];
    int64_t n = given[2].number;
    if (n < 1 || n > ORDERED_MOST || x->items % n || start->items != 1 || ranks->items != x->items) {
        return refuse("ranks must have a number for each of n in every row");
    }
    return kernel_ordinal_ranks(x->data, x->items / n, n, *(const uint64_t *)start->data, ranks->data);
}

FUNCTION(
    largest_running_sums, READ('i', "steps"), READ('d', "starts"), READ('d', "weights"), READ('H', "counts"),
    NUMBER("replicates"), WRITTEN('d', "largest")) {
    const Argument *steps = &given[0], *starts = &given[1], *weights = &given[2], *counts = &given[3];
    const Argument *largest = &given[5];
    int64_t replicates = given[4].number, rows = weights->items;
    if (replicates < 0 || (rows > 0 && replicates > INT64_MAX / rows) || counts->items != replicates * rows ||
        starts->items != rows || largest->items != replicates) {
        return refuse("starts and weights must have a number for each row, counts for each replicate and row");
    }
    const int32_t *step = steps->data;
    for (int64_t i = 0; i < steps->items; i++) {
        if ((step[i] < 0 ? ~step[i] : step[i]) >= rows) {
            return refuse("steps must be of rows that are there");
        }
    }
    return kernel_largest_running_sums(
        steps->data, steps->items, starts->data, weights->data, counts->data, replicates, rows, largest->data);
}

/* Whether numbers are below a limit, and not negative unless they may be. */
static int are_below(const Argument *numbers, int64_t limit, int may_be_negative) {
    const int32_t *number = numbers->data;
    int wrong = 0;
    for (int64_t i = 0; i < numbers->items; i++) {
        wrong |= number[i] >= limit || (!may_be_negative && number[i] < 0);
    }
    return !wrong;
}

FUNCTION(
    count_exceedances, READ('d', "sums"), READ('d', "added"), READ('i', "first"), READ('i', "second"), READ('d', "least"),
    NUMBER("systems"), NUMBER("replicates"), WRITTEN('q', "counts")) {
    const Argument *sums = &given[0], *added = &given[1], *first = &given[2], *second = &given[3], *least = &given[4];
    const Argument *counts = &given[7];
    ExceedanceShape shape = {first->items, given[5].number, given[6].number};
    if (shape.systems < 1 || shape.systems > INT32_MAX || !are_products(least, shape.sides, shape.systems, shape.systems) ||
        counts->items != least->items) {
        return refuse("least and counts must have a number for each two systems of each side");
    }
    if (shape.replicates < 0 || shape.replicates > INT64_MAX / 16 / shape.systems) {
        return refuse("replicates must be as many as sums are there");
    }
    int64_t size = shape.systems * shape.replicates, n_sums = size > 0 ? sums->items / size : INT64_MAX;
    int64_t n_added = size > 0 ? added->items / size : INT64_MAX;
    int is_added = second->items > 0;
    if (sums->items != (size > 0 ? n_sums * size : 0) || added->items != (size > 0 ? n_added * size : 0) ||
        !are_below(first, n_sums, 0) || (is_added && (second->items != shape.sides || !are_below(second, n_added, 0)))) {
        return refuse("sums must have a number for each system and replicate, and sides be of sums that are there");
    }
    return kernel_count_exceedances(
        sums->data, is_added ? added->data : NULL, first->data, second->data, least->data, &shape, counts->data);
}

FUNCTION(
    p_value_agreement, READ('d', "x"), READ('d', "y"), READ('d', "x scales"), READ('d', "y scales"), READ('d', "table"),
    NUMBER("lines"), NUMBER("systems"), WRITTEN('d', "agreement")) {
    const Argument *x = &given[0], *y = &given[1], *x_scale = &given[2], *y_scale = &given[3], *table = &given[4];
    const Argument *agreement = &given[7];
    int64_t lines = given[5].number, systems = given[6].number;
    if (systems < 2 || systems > INT32_MAX || lines < 0 || y->items % systems) {
        return refuse("there must be two systems or more, and a score of each in every row");
    }
    int64_t rows = y->items / systems, pairs = systems * (systems - 1) / 2;
    if ((rows > 0 && lines > INT64_MAX / y->items) || (lines > 0 && pairs > INT64_MAX / lines) ||
        x->items != lines * y->items || x_scale->items != lines * pairs || y_scale->items != pairs ||
        agreement->items != lines * rows || table->items != (2 * NORMAL_MIDDLE + 1) * NORMAL_TERMS) {
        return refuse("scores must be of all lines and rows, scales of all pairs, and the table that of this kernel");
    }
    return kernel_p_value_agreement(
        x->data, y->data, x_scale->data, y_scale->data, table->data, lines, rows, systems, agreement->data);
}

/* Kernels that give a number for each pair of segments. */

#define PAIRS TEXT("candidate"), TEXT("reference"), VOCABULARY

FUNCTION(bag_overlap, PAIRS, WRITTEN('i', "result")) {
    Text candidate = text_of(&given[0]), reference = text_of(&given[2]);
    const Argument *result = &given[5];
    if (!are_systems(&candidate, reference.segments) || result->items != candidate.segments) {
        return refuse("the result must have a number for each segment of the candidate");
    }
    return kernel_bag_overlap(&candidate, &reference, given[4].number, result->data);
}

typedef int (*WeightKernel)(const Text *, const Text *, int64_t, const double *, double *);

/* A kernel that takes the weights of runs of 0, 1, 2, ... tokens. */
static int run_weights(const Argument *given, WeightKernel kernel) {
    Text candidate = text_of(&given[0]), reference = text_of(&given[2]);
    const Argument *weights = &given[5], *result = &given[6];
    if (!are_systems(&candidate, reference.segments) || result->items != candidate.segments ||
        weights->items <= longest_run(&candidate, &reference)) {
        return refuse("the result must have a number for each segment of the candidate, and weights one for each run");
    }
    return kernel(&candidate, &reference, given[4].number, weights->data, result->data);
}

FUNCTION(weighted_lcs, PAIRS, READ('d', "weights"), WRITTEN('d', "result")) {
    return run_weights(given, kernel_weighted_lcs);
}

FUNCTION(weighted_runs, PAIRS, READ('d', "weights"), WRITTEN('d', "result")) {
    return run_weights(given, kernel_weighted_runs);
}

FUNCTION(skip_bigrams, PAIRS, NUMBER("reach"), NUMBER("singles"), WRITTEN('q', "result")) {
    Text candidate = text_of(&given[0]), reference = text_of(&given[2]);
    int64_t reach = given[5].number, singles = given[6].number;
    const Argument *result = &given[7];
    if (!are_systems(&candidate, reference.segments) || result->items != candidate.segments || reach < 1 ||
        singles < SINGLES_NONE || singles > SINGLES_BUT_LAST) {
        return refuse(
            "the result must have a number for each segment of the candidate, reach be 1 or more, singles 0 to 2");
    }
    return kernel_skip_bigrams(&candidate, &reference, given[4].number, reach, (int)singles, result->data);
}

FUNCTION(
    shift_edits, PAIRS, NUMBER("aligned only"), NUMBER("size"), NUMBER("distance"), NUMBER("beam"), NUMBER("choices"),
    NUMBER("kept"), WRITTEN('i', "result")) {
    Text candidate = text_of(&given[0]), reference = text_of(&given[2]);
    ShiftLimits limits = {
        .aligned_only = given[5].number != 0, .size = given[6].number, .distance = given[7].number,
        .beam = given[8].number, .choices = given[9].number, .kept = given[10].number};
    const Argument *result = &given[11];
    if (!are_systems(&candidate, reference.segments) || result->items != 9 * candidate.segments) {
        return refuse("the result must have nine numbers for each segment of the candidate");
    }
    if (!are_short(&candidate, &reference)) {
        return refuse("segments must have at most %d tokens", INT32_MAX / 8);
    }
    return kernel_shift_edits(&candidate, &reference, given[4].number, &limits, result->data);
}

/* Whether no number is below 0; nan is not. */
static int are_caps(const Argument *caps) {
    const double *cap = caps->data;
    for (int64_t i = 0; i < caps->items; i++) {
        if (cap[i] < 0.0) {
            return 0;
        }
    }
    return 1;
}

FUNCTION(
    greedy_matching, TEXT("candidate"), TEXT("references"), VOCABULARY, READ('d', "caps"), READ('d', "weights"),
    WRITTEN('d', "whole"), WRITTEN('d', "rest")) {
    Text candidate = text_of(&given[0]), references = text_of(&given[2]);
    const Argument *caps = &given[5], *weights = &given[6], *whole = &given[7], *rest = &given[8];
    if (!are_systems(&candidate, references.segments) || caps->items != candidate.segments ||
        whole->items != candidate.segments || rest->items != candidate.segments) {
        return refuse("caps, whole and rest must have a number for each segment of the candidate");
    }
    if (!are_caps(caps)) {
        return refuse("caps must be 0 or more, or nan");
    }
    if (weights->items <= longest_run(&candidate, &references)) {
        return refuse("weights must have a number for each length of a run, from 0");
    }
    if (!are_short(&candidate, &references)) {
        return refuse("segments must have at most %d tokens", INT32_MAX / 8);
    }
    return kernel_greedy_matching(
        &candidate, &references, given[4].number, caps->data, weights->data, whole->data, rest->data);
}

/* N-grams. */

/* Whether texts are references, one after the other, and the candidate holds whole systems. */
static int are_references(const Text *candidate, const Text *references, int64_t n_references) {
    return n_references > 0 && n_references < INT32_MAX && references->segments % n_references == 0 &&
           are_systems(candidate, references->segments / n_references) && candidate->segments < INT32_MAX;
}

typedef int (*StripKernel)(const Text *, const Text *, int64_t, int64_t, int32_t *);

static int run_strips(const Argument *given, StripKernel kernel) {
    Text candidate = text_of(&given[0]), references = text_of(&given[2]);
    int64_t n_references = given[4].number;
    const Argument *result = &given[6];
    if (!are_references(&candidate, &references, n_references) || result->items % n_references ||
        result->items / n_references != candidate.segments) {
        return refuse("the result must have a number for each reference and segment of the candidate");
    }
    return kernel(&candidate, &references, n_references, given[5].number, result->data);
}

#define STRIPS TEXT("candidate"), TEXT("references"), NUMBER("number of references"), VOCABULARY, WRITTEN('i', "result")

FUNCTION(edit_distance, STRIPS) {
    return run_strips(given, kernel_edit_distance);
}

FUNCTION(lcs_length, STRIPS) {
    return run_strips(given, kernel_lcs_length);
}

/* Bytes of the hits of a token. */
#define HITS(orders) ((orders) > 8 ? 4 : 1)

FUNCTION(
    ngram_hits, TEXT("candidate"), TEXT("references"), NUMBER("number of references"), VOCABULARY, NUMBER("orders"),
    WRITTEN('B', "hits"), WRITTEN('i', "where")) {
    Text candidate = text_of(&given[0]), references = text_of(&given[2]);
    int64_t tokens = given[0].items, n_references = given[4].number, orders = given[6].number;
    const Argument *hits = &given[7], *where = &given[8];
    if (!are_references(&candidate, &references, n_references) || orders < 1 || orders > 32 ||
        hits->items != n_references * tokens * HITS(orders) ||
        (where->items && (where->items != tokens || given[2].items > INT32_MAX))) {
        return refuse("hits must have a row of tokens for each reference, orders up to 32");
    }
    return kernel_ngram_hits(
        &candidate, &references, n_references, (int)orders, HITS(orders) > 1, hits->data,
        where->items ? where->data : NULL);
}

FUNCTION(
    ngram_matches, TEXT("candidate"), TEXT("references"), NUMBER("number of references"), VOCABULARY, NUMBER("orders"),
    WRITTEN('i', "matches")) {
    Text candidate = text_of(&given[0]), references = text_of(&given[2]);
    int64_t n_references = given[4].number, orders = given[6].number;
    const Argument *matches = &given[7];
    if (!are_references(&candidate, &references, n_references) || orders < 1 || orders >= INT16_MAX ||
        n_references > INT64_MAX / INT16_MAX / (candidate.segments + 1) ||
        matches->items != n_references * candidate.segments * orders) {
        return refuse("matches must have a number for each reference, segment and order");
    }
    return kernel_ngram_matches(&candidate, &references, n_references, (int)orders, matches->data);
}

FUNCTION(count_hits, READ('B', "hits"), READ('q', "offsets"), NUMBER("orders"), WRITTEN('i', "counts")) {
    const Argument *hits = &given[0], *offsets = &given[1], *counts = &given[3];
    int64_t segments = offsets->items - 1, orders = given[2].number;
    if (orders < 1 || orders > 32 || hits->items % HITS(orders) || !are_offsets(offsets, hits->items / HITS(orders)) ||
        counts->items != segments * orders) {
        return refuse("counts must have a number for each segment and order");
    }
    return kernel_count_hits(hits->data, HITS(orders) > 1, offsets->data, segments, (int)orders, counts->data);
}

FUNCTION(
    number_ngrams, TEXT("text"), VOCABULARY, NUMBER("orders"), WRITTEN('i', "numbers"), WRITTEN('i', "counts"),
    WRITTEN('i', "prefixes"), FOUND("n-grams")) {
    Text text = text_of(&given[0]);
    int64_t tokens = given[0].items, vocabulary = given[2].number, orders = given[3].number;
    const Argument *numbers = &given[4], *counts = &given[5], *prefixes = &given[6];
    if (orders < 1 || orders > 32 || vocabulary > INT32_MAX || tokens > (INT32_MAX - vocabulary) / orders ||
        numbers->items != tokens * (orders - 1) || counts->items < vocabulary + numbers->items ||
        prefixes->items != counts->items) {
        return refuse("numbers, counts and prefixes must have room for all n-grams");
    }
    return kernel_number_ngrams(
        &text, vocabulary, (int)orders, numbers->data, counts->data, prefixes->data, &given[7].number);
}

FUNCTION(count_numbers, READ('i', "ids"), READ('i', "numbers"), NUMBER("orders"), WRITTEN('i', "counts")) {
    const Argument *ids = &given[0], *numbers = &given[1], *counts = &given[3];
    int64_t orders = given[2].number;
    if (orders < 1 || orders > 32 || numbers->items != ids->items * (orders - 1) ||
        !are_below(ids, counts->items, 0) || !are_below(numbers, counts->items, 1)) {
        return refuse("every n-gram must have its count");
    }
    return kernel_count_numbers(ids->data, numbers->data, ids->items, (int)orders, counts->data);
}

FUNCTION(
    sum_information, READ('q', "offsets"), NUMBER("orders"), READ('i', "where"), READ('i', "ids"), READ('i', "numbers"),
    READ('d', "information"), READ('B', "hits"), WRITTEN('d', "sums")) {
    const Argument *offsets = &given[0], *where = &given[2], *ids = &given[3], *numbers = &given[4];
    const Argument *information = &given[5], *hits = &given[6], *sums = &given[7];
    int64_t orders = given[1].number, segments = offsets->items - 1;
    if (orders < 1 || orders > 32 || !are_offsets(offsets, where->items) ||
        hits->items != where->items * HITS(orders) || numbers->items != ids->items * (orders - 1) ||
        sums->items != segments * orders || information->items > INT32_MAX) {
        return refuse("hits and places must be those of this text, and sums have a number for each order");
    }
    if ((ids->items && !are_below(where, ids->items, 0)) || !are_below(ids, information->items, 0) ||
        !are_below(numbers, information->items, 1)) {
        return refuse("places must be among the ids, and every n-gram have its information");
    }
    if (ids->items == 0) { /* nothing can be a hit */
        memset(sums->data, 0, (size_t)sums->items * sizeof(double));
        return KERNEL_DONE;
    }
    return kernel_sum_information(
        offsets->data, segments, (int)orders, where->data, ids->data, numbers->data, information->data, hits->data,
        HITS(orders) > 1, sums->data);
}

#define METHOD(name) {#name, name, METH_VARARGS, NULL}

static PyMethodDef functions[] = {
    METHOD(encode), METHOD(characters), METHOD(split_judgments), METHOD(pool_documents), METHOD(seed_generators),
    METHOD(draw_judgments), METHOD(round_to_scale), METHOD(spearman), METHOD(count_pairs), METHOD(ordinal_ranks),
    METHOD(largest_running_sums), METHOD(p_value_agreement), METHOD(count_exceedances), METHOD(edit_distance),
    METHOD(bag_overlap), METHOD(lcs_length), METHOD(weighted_lcs), METHOD(weighted_runs), METHOD(skip_bigrams),
    METHOD(shift_edits), METHOD(greedy_matching), METHOD(ngram_hits), METHOD(ngram_matches), METHOD(count_hits),
    METHOD(number_ngrams), METHOD(count_numbers), METHOD(sum_information),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) {
    return PyModuleDef_Init(&definition);
}
