/* The binding: Python hands over arrays, they are checked here, and a kernel runs on them without the interpreter's lock.

   It uses Python's limited API alone, so that one build serves all later versions of Python. */
#include "binding.h"

typedef int (*PairKernel)(const Text *, const Text *, int64_t, int32_t *);

/* A kernel that gives a number for each pair of segments. */
static PyObject *run_pairs(PyObject *arguments, PairKernel kernel) {
    PyObject *objects[5];
    long long vocabulary;
    if (!PyArg_ParseTuple(
            arguments, "OOOOLO", &objects[0], &objects[1], &objects[2], &objects[3], &vocabulary, &objects[4])) {
        return NULL;
    }
    Array arrays[5] = {0};
    Text candidate, reference;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold_text(objects[2], objects[3], arrays + 2, &reference, vocabulary, "reference") == 0 &&
        hold(objects[4], &arrays[4], 'i', 1, "result") == 0 && check_apart(arrays, 5) == 0) {
        if (!are_systems(&candidate, &reference) || items(&arrays[4]) != candidate.segments) {
            PyErr_SetString(PyExc_ValueError, "the result must have a number for each segment of the candidate");
        } else {
            int status;
            int32_t *numbers = arrays[4].view.buf;
            Py_BEGIN_ALLOW_THREADS
            status = kernel(&candidate, &reference, vocabulary, numbers);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 5);
    return result;
}

static PyObject *edit_distance(PyObject *self, PyObject *arguments) {
    (void)self;
    return run_pairs(arguments, kernel_edit_distance);
}

static PyObject *bag_overlap(PyObject *self, PyObject *arguments) {
    (void)self;
    return run_pairs(arguments, kernel_bag_overlap);
}

static PyObject *lcs_length(PyObject *self, PyObject *arguments) {
    (void)self;
    return run_pairs(arguments, kernel_lcs_length);
}

typedef int (*WeightKernel)(const Text *, const Text *, const double *, double *);

/* A kernel that gives a weight for each pair of segments, from the weights of runs of 0, 1, 2, ... tokens. */
static PyObject *run_weights(PyObject *arguments, WeightKernel kernel) {
    PyObject *objects[6];
    long long vocabulary;
    if (!PyArg_ParseTuple(
            arguments, "OOOOLOO", &objects[0], &objects[1], &objects[2], &objects[3], &vocabulary, &objects[4],
            &objects[5])) {
        return NULL;
    }
    Array arrays[6] = {0};
    Text candidate, reference;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold_text(objects[2], objects[3], arrays + 2, &reference, vocabulary, "reference") == 0 &&
        hold(objects[4], &arrays[4], 'd', 0, "weights") == 0 && hold(objects[5], &arrays[5], 'd', 1, "result") == 0 &&
        check_apart(arrays, 6) == 0) {
        int64_t longest = longest_segment(&candidate), other = longest_segment(&reference);
        if (!are_systems(&candidate, &reference) || items(&arrays[5]) != candidate.segments ||
            items(&arrays[4]) <= (longest < other ? longest : other)) {
            PyErr_SetString(
                PyExc_ValueError,
                "the result must have a number for each segment of the candidate, and weights one for each run");
        } else {
            int status;
            Py_BEGIN_ALLOW_THREADS
            status = kernel(&candidate, &reference, arrays[4].view.buf, arrays[5].view.buf);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 6);
    return result;
}

static PyObject *weighted_lcs(PyObject *self, PyObject *arguments) {
    (void)self;
    return run_weights(arguments, kernel_weighted_lcs);
}

static PyObject *weighted_runs(PyObject *self, PyObject *arguments) {
    (void)self;
    return run_weights(arguments, kernel_weighted_runs);
}

static PyObject *skip_bigrams(PyObject *self, PyObject *arguments) {
    PyObject *objects[5];
    long long vocabulary, reach;
    int singles;
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOOOLLiO", &objects[0], &objects[1], &objects[2], &objects[3], &vocabulary, &reach, &singles,
            &objects[4])) {
        return NULL;
    }
    Array arrays[5] = {0};
    Text candidate, reference;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold_text(objects[2], objects[3], arrays + 2, &reference, vocabulary, "reference") == 0 &&
        hold(objects[4], &arrays[4], 'q', 1, "result") == 0 && check_apart(arrays, 5) == 0) {
        if (!are_systems(&candidate, &reference) || items(&arrays[4]) != candidate.segments || reach < 1 ||
            singles < SINGLES_NONE || singles > SINGLES_BUT_LAST) {
            PyErr_SetString(
                PyExc_ValueError,
                "the result must have a number for each segment of the candidate, reach be 1 or more, singles 0 to 2");
        } else {
            int status;
            int64_t *hits = arrays[4].view.buf;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_skip_bigrams(&candidate, &reference, vocabulary, reach, singles, hits);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 5);
    return result;
}

static PyObject *ngram_hits(PyObject *self, PyObject *arguments) {
    PyObject *objects[5];
    long long vocabulary, n_references;
    int orders;
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOOOLLiO", &objects[0], &objects[1], &objects[2], &objects[3], &n_references, &vocabulary,
            &orders, &objects[4])) {
        return NULL;
    }
    Array arrays[5] = {0};
    Text candidate, references;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold_text(objects[2], objects[3], arrays + 2, &references, vocabulary, "references") == 0 &&
        hold(objects[4], &arrays[4], 'I', 1, "hits") == 0 && check_apart(arrays, 5) == 0) {
        int right = n_references >= 1 && n_references < INT32_MAX && references.segments % n_references == 0 &&
                    orders >= 1 && orders <= 32 &&
                    items(&arrays[4]) == n_references * items(&arrays[0]) && references.segments < INT32_MAX &&
                    candidate.segments < INT32_MAX && longest_segment(&references) < INT32_MAX / 1024;
        int64_t segments = right ? references.segments / n_references : 0;
        if (!right || (segments ? candidate.segments % segments != 0 : candidate.segments != 0)) {
            PyErr_SetString(PyExc_ValueError, "hits must have a row of tokens for each reference, orders up to 32");
        } else {
            int status;
            uint32_t *hits = arrays[4].view.buf;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_ngram_hits(&candidate, &references, n_references, vocabulary, orders, hits);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 5);
    return result;
}

static PyObject *count_hits(PyObject *self, PyObject *arguments) {
    PyObject *objects[3];
    int orders;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOiO", &objects[0], &objects[1], &orders, &objects[2])) {
        return NULL;
    }
    Array arrays[3] = {0};
    PyObject *result = NULL;
    if (hold(objects[0], &arrays[0], 'I', 0, "hits") == 0 && hold(objects[1], &arrays[1], 'q', 0, "offsets") == 0 &&
        hold(objects[2], &arrays[2], 'i', 1, "counts") == 0 && check_apart(arrays, 3) == 0) {
        const int64_t *offsets = arrays[1].view.buf;
        int64_t segments = items(&arrays[1]) - 1;
        int right = segments >= 0 && orders >= 1 && orders <= 32 && items(&arrays[2]) == segments * orders &&
                    offsets[0] == 0 && offsets[segments] == items(&arrays[0]);
        for (int64_t i = 0; right && i < segments; i++) {
            right = offsets[i] <= offsets[i + 1];
        }
        if (!right) {
            PyErr_SetString(PyExc_ValueError, "counts must have a number for each segment and order");
        } else {
            int status;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_count_hits(arrays[0].view.buf, offsets, segments, orders, arrays[2].view.buf);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 3);
    return result;
}

/* Check a table of n-grams: its size, and that the numbers in it are below a limit. */
static int check_table(const Array *keys, const Array *numbers, int bits, int64_t limit) {
    int right = bits >= 4 && bits <= 40 && items(keys) == INT64_C(1) << bits && items(numbers) == items(keys);
    const uint64_t *key = keys->view.buf;
    const int32_t *number = numbers->view.buf;
    int64_t empty = 0;
    for (int64_t place = 0; right && place < items(keys); place++) {
        empty += key[place] == 0;
        right = key[place] == 0 || (number[place] >= 0 && number[place] < limit);
    }
    if (!right || !empty) {
        PyErr_SetString(PyExc_ValueError, "the table of n-grams must have 2 to the power of `bits` places, some empty");
        return -1;
    }
    return 0;
}

static PyObject *count_ngrams(PyObject *self, PyObject *arguments) {
    PyObject *objects[6];
    long long vocabulary;
    int orders, bits;
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOLiiOOOO", &objects[0], &objects[1], &vocabulary, &orders, &bits, &objects[2], &objects[3],
            &objects[4], &objects[5])) {
        return NULL;
    }
    Array arrays[6] = {0};
    Text text;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &text, vocabulary, "text") == 0 &&
        hold(objects[2], &arrays[2], 'Q', 1, "keys") == 0 && hold(objects[3], &arrays[3], 'i', 1, "numbers") == 0 &&
        hold(objects[4], &arrays[4], 'q', 1, "counts") == 0 && hold(objects[5], &arrays[5], 'i', 1, "prefixes") == 0 &&
        check_apart(arrays, 6) == 0 && check_table(&arrays[2], &arrays[3], bits, 0) == 0) {
        int64_t room = items(&arrays[0]) * orders;
        if (orders < 1 || orders > 32 || room >= INT32_MAX || items(&arrays[2]) <= room ||
            items(&arrays[4]) < room || items(&arrays[5]) < room) {
            PyErr_SetString(PyExc_ValueError, "table, counts and prefixes must have room for all n-grams");
        } else {
            int status;
            int64_t found = 0;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_count_ngrams(
                &text, orders, bits, arrays[2].view.buf, arrays[3].view.buf, arrays[4].view.buf, arrays[5].view.buf,
                &found);
            Py_END_ALLOW_THREADS
            result = finish(status);
            if (result) {
                Py_DECREF(result);
                result = PyLong_FromLongLong(found);
            }
        }
    }
    release(arrays, 6);
    return result;
}

static PyObject *sum_information(PyObject *self, PyObject *arguments) {
    PyObject *objects[7];
    long long vocabulary;
    int orders, bits;
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOLiiOOOOO", &objects[0], &objects[1], &vocabulary, &orders, &bits, &objects[2], &objects[3],
            &objects[4], &objects[5], &objects[6])) {
        return NULL;
    }
    Array arrays[7] = {0};
    Text candidate;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold(objects[2], &arrays[2], 'Q', 0, "keys") == 0 && hold(objects[3], &arrays[3], 'i', 0, "numbers") == 0 &&
        hold(objects[4], &arrays[4], 'd', 0, "information") == 0 && hold(objects[5], &arrays[5], 'I', 0, "hits") == 0 &&
        hold(objects[6], &arrays[6], 'd', 1, "sums") == 0 &&
        check_apart(arrays, 7) == 0 && check_table(&arrays[2], &arrays[3], bits, items(&arrays[4])) == 0) {
        const uint32_t *hits = arrays[5].view.buf;
        int right = orders >= 1 && orders <= 32 && items(&arrays[5]) == items(&arrays[0]) &&
                    items(&arrays[6]) == candidate.segments * orders;
        for (int64_t i = 0; right && i < candidate.segments; i++) {
            int64_t end = candidate.offsets[i + 1];
            for (int64_t j = candidate.offsets[i]; right && j < end; j++) {
                /* An n-gram that begins near the end of its segment is short. */
                right = end - j >= 32 || hits[j] >> (end - j) == 0;
            }
        }
        if (!right) {
            PyErr_SetString(PyExc_ValueError, "hits must be those of this text, and sums have a number for each order");
        } else {
            int status;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_sum_information(
                &candidate, orders, bits, arrays[2].view.buf, arrays[3].view.buf, arrays[4].view.buf, hits,
                arrays[6].view.buf);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 7);
    return result;
}

static PyObject *encode(PyObject *self, PyObject *arguments) {
    PyObject *objects[6];
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5])) {
        return NULL;
    }
    Array arrays[6] = {0};
    PyObject *result = NULL;
    if (hold(objects[0], &arrays[0], 'B', 0, "bytes") == 0 && hold(objects[1], &arrays[1], 'q', 0, "offsets") == 0 &&
        hold(objects[2], &arrays[2], 'i', 1, "ids") == 0 && hold(objects[3], &arrays[3], 'q', 1, "token offsets") == 0 &&
        hold(objects[4], &arrays[4], 'q', 1, "starts") == 0 && hold(objects[5], &arrays[5], 'q', 1, "ends") == 0 &&
        check_apart(arrays, 6) == 0) {
        const int64_t *offsets = arrays[1].view.buf;
        int64_t segments = items(&arrays[1]) - 1, n_bytes = items(&arrays[0]), room = n_bytes / 2 + segments + 1;
        int right = segments >= 0 && offsets[0] == 0 && offsets[segments] == n_bytes && n_bytes < INT32_MAX &&
                    items(&arrays[2]) >= room && items(&arrays[3]) == segments + 1 && items(&arrays[4]) >= room &&
                    items(&arrays[5]) >= room;
        for (int64_t i = 0; right && i < segments; i++) {
            right = offsets[i] <= offsets[i + 1];
        }
        if (!right) {
            PyErr_SetString(PyExc_ValueError, "offsets must rise to the number of bytes, and there must be room");
        } else {
            int status;
            int64_t types = 0;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_encode(
                arrays[0].view.buf, offsets, segments, arrays[2].view.buf, arrays[3].view.buf, arrays[4].view.buf,
                arrays[5].view.buf, &types);
            Py_END_ALLOW_THREADS
            result = finish(status);
            if (result) {
                Py_DECREF(result);
                result = PyLong_FromLongLong(types);
            }
        }
    }
    release(arrays, 6);
    return result;
}

/* Check that a number is not negative, or nan. */
static int are_caps(const Array *caps) {
    const double *cap = caps->view.buf;
    for (int64_t i = 0; i < items(caps); i++) {
        if (cap[i] < 0.0) {
            return 0;
        }
    }
    return 1;
}

static PyObject *greedy_matching(PyObject *self, PyObject *arguments) {
    PyObject *objects[8];
    long long vocabulary;
    double many_hits;
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOOOLOOdOO", &objects[0], &objects[1], &objects[2], &objects[3], &vocabulary, &objects[4],
            &objects[5], &many_hits, &objects[6], &objects[7])) {
        return NULL;
    }
    Array arrays[8] = {0};
    Text candidate, references;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold_text(objects[2], objects[3], arrays + 2, &references, vocabulary, "references") == 0 &&
        hold(objects[4], &arrays[4], 'd', 0, "caps") == 0 && hold(objects[5], &arrays[5], 'd', 0, "weights") == 0 &&
        hold(objects[6], &arrays[6], 'd', 1, "whole") == 0 && hold(objects[7], &arrays[7], 'd', 1, "rest") == 0 &&
        check_apart(arrays, 8) == 0) {
        int64_t n = longest_segment(&candidate), m = longest_segment(&references);
        if (!are_systems(&candidate, &references) || items(&arrays[4]) != candidate.segments ||
            items(&arrays[6]) != candidate.segments || items(&arrays[7]) != candidate.segments) {
            PyErr_SetString(PyExc_ValueError, "caps, whole and rest must have a number for each segment of the candidate");
        } else if (!are_caps(&arrays[4])) {
            PyErr_SetString(PyExc_ValueError, "caps must be 0 or more, or nan");
        } else if (items(&arrays[5]) <= (n < m ? n : m)) {
            PyErr_SetString(PyExc_ValueError, "weights must have a number for each length of a run, from 0");
        } else if (n > INT32_MAX / 8 || m > INT32_MAX / 8) {
            PyErr_SetString(PyExc_ValueError, "segments must be shorter than 2 to the power of 28");
        } else {
            int status;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_greedy_matching(
                &candidate, &references, vocabulary, arrays[4].view.buf, arrays[5].view.buf, many_hits,
                arrays[6].view.buf, arrays[7].view.buf);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 8);
    return result;
}

static PyObject *shift_edits(PyObject *self, PyObject *arguments) {
    PyObject *objects[5];
    long long vocabulary, size, distance, beam, choices, kept;
    int aligned_only;
    (void)self;
    if (!PyArg_ParseTuple(
            arguments, "OOOOLiLLLLLO", &objects[0], &objects[1], &objects[2], &objects[3], &vocabulary, &aligned_only,
            &size, &distance, &beam, &choices, &kept, &objects[4])) {
        return NULL;
    }
    ShiftLimits limits = {aligned_only, size, distance, beam, choices, kept};
    Array arrays[5] = {0};
    Text candidate, reference;
    PyObject *result = NULL;
    if (hold_text(objects[0], objects[1], arrays, &candidate, vocabulary, "candidate") == 0 &&
        hold_text(objects[2], objects[3], arrays + 2, &reference, vocabulary, "reference") == 0 &&
        hold(objects[4], &arrays[4], 'i', 1, "result") == 0 && check_apart(arrays, 5) == 0) {
        if (!are_systems(&candidate, &reference) || items(&arrays[4]) != 9 * candidate.segments) {
            PyErr_SetString(PyExc_ValueError, "the result must have nine numbers for each segment of the candidate");
        } else if (longest_segment(&candidate) > INT32_MAX / 8 || longest_segment(&reference) > INT32_MAX / 8) {
            PyErr_SetString(PyExc_ValueError, "segments must be shorter than 2 to the power of 28");
        } else {
            int status;
            int32_t *numbers = arrays[4].view.buf;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_shift_edits(&candidate, &reference, vocabulary, &limits, numbers);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 5);
    return result;
}

static PyObject *count_draws(PyObject *self, PyObject *arguments) {
    PyObject *objects[2];
    long long replicates, units;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OLLO", &objects[0], &replicates, &units, &objects[1])) {
        return NULL;
    }
    Array arrays[2] = {0};
    PyObject *result = NULL;
    if (hold(objects[0], &arrays[0], 'I', 0, "words") == 0 && hold(objects[1], &arrays[1], 'H', 1, "counts") == 0 &&
        check_apart(arrays, 2) == 0) {
        int fits = replicates >= 0 && units >= 0 && units <= UINT32_MAX &&
                   (units == 0 || replicates <= INT64_MAX / 8 / units);
        if (!fits || items(&arrays[0]) != replicates * units || items(&arrays[1]) != replicates * units) {
            PyErr_SetString(
                PyExc_ValueError, "words and counts must have a number for each replicate and unit, below 2^32 units");
        } else {
            int status;
            Py_BEGIN_ALLOW_THREADS
            status = kernel_count_draws(arrays[0].view.buf, replicates, units, arrays[1].view.buf);
            Py_END_ALLOW_THREADS
            result = finish(status);
        }
    }
    release(arrays, 2);
    return result;
}

static PyMethodDef functions[] = {
    {"encode", encode, METH_VARARGS, NULL},
    {"count_draws", count_draws, METH_VARARGS, NULL},
    {"edit_distance", edit_distance, METH_VARARGS, NULL},
    {"bag_overlap", bag_overlap, METH_VARARGS, NULL},
    {"lcs_length", lcs_length, METH_VARARGS, NULL},
    {"weighted_lcs", weighted_lcs, METH_VARARGS, NULL},
    {"weighted_runs", weighted_runs, METH_VARARGS, NULL},
    {"skip_bigrams", skip_bigrams, METH_VARARGS, NULL},
    {"ngram_hits", ngram_hits, METH_VARARGS, NULL},
    {"count_hits", count_hits, METH_VARARGS, NULL},
    {"count_ngrams", count_ngrams, METH_VARARGS, NULL},
    {"sum_information", sum_information, METH_VARARGS, NULL},
    {"greedy_matching", greedy_matching, METH_VARARGS, NULL},
    {"shift_edits", shift_edits, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) {
    return PyModuleDef_Init(&definition);
}
