/* The binding: Python hands over arrays, they are checked here, and a kernel runs on them without the interpreter's lock.

   It uses Python's limited API alone, so that one build serves all later versions of Python. */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>
#include <time.h>

#include "kernels.h"

/* How often, at most, the interpreter is asked whether Ctrl-C was pressed. */
#define SECONDS_BETWEEN_CHECKS 0.2
#define CALLS_BETWEEN_LOOKS 64

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int kernel_interrupted(void) {
    static _Thread_local unsigned calls = 0;
    static _Thread_local double last = 0.0;
    if (++calls % CALLS_BETWEEN_LOOKS) {
        return 0;
    }
    double time = now();
    if (time - last >= 0.0 && time - last < SECONDS_BETWEEN_CHECKS) {
        return 0;
    }
    last = time;
    PyGILState_STATE state = PyGILState_Ensure();
    int interrupted = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return interrupted;
}

/* An array as Python handed it over. */
typedef struct {
    Py_buffer view;
    int held;
} Array;

static void release(Array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        if (arrays[i].held) {
            PyBuffer_Release(&arrays[i].view);
            arrays[i].held = 0;
        }
    }
}

/* Hold an array of one type: 'i' int32, 'q' int64, 'I' uint32, 'Q' uint64, 'd' float64, 'B' uint8. Formats of equal size and sort are
   the same to us ('l' and 'q'). */
static int hold(PyObject *object, Array *array, char type, int writable, const char *name) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
        return -1;
    }
    array->held = 1;
    const char *format = array->view.format ? array->view.format : "B";
    Py_ssize_t size = array->view.itemsize;
    int right = 0;
    switch (type) {
        case 'i': right = size == 4 && strchr("il", *format) != NULL; break;
        case 'q': right = size == 8 && strchr("ql", *format) != NULL; break;
        case 'I': right = size == 4 && strchr("IL", *format) != NULL; break;
        case 'Q': right = size == 8 && strchr("QL", *format) != NULL; break;
        case 'd': right = size == 8 && *format == 'd'; break;
        case 'B': right = size == 1 && strchr("B?c", *format) != NULL; break;
    }
    if (!right || *format == '\0' || format[1] != '\0') {
        PyErr_Format(PyExc_TypeError, "%s: an array of type '%c' is needed; got '%s'", name, type, format);
        return -1;
    }
    return 0;
}

static int64_t items(const Array *array) {
    return array->view.itemsize ? (int64_t)(array->view.len / array->view.itemsize) : 0;
}

/* Hold ids and offsets of a text, and check every one of them. */
static int hold_text(PyObject *ids, PyObject *offsets, Array *arrays, Text *text, int64_t vocabulary, const char *name) {
    if (hold(ids, &arrays[0], 'i', 0, name) != 0 || hold(offsets, &arrays[1], 'q', 0, name) != 0) {
        return -1;
    }
    text->ids = arrays[0].view.buf;
    text->offsets = arrays[1].view.buf;
    text->segments = items(&arrays[1]) - 1;
    int64_t tokens = items(&arrays[0]);
    int right = text->segments >= 0 && text->offsets[0] == 0 && text->offsets[text->segments] == tokens;
    for (int64_t i = 0; right && i < text->segments; i++) {
        int64_t length = text->offsets[i + 1] - text->offsets[i];
        right = length >= 0 && length <= INT32_MAX;
    }
    if (!right) {
        PyErr_Format(PyExc_ValueError, "%s: offsets must rise from 0 to the number of ids", name);
        return -1;
    }
    for (int64_t j = 0; j < tokens; j++) {
        if (text->ids[j] < 0 || text->ids[j] >= vocabulary) {
            PyErr_Format(PyExc_ValueError, "%s: ids must be from 0 to below %lld", name, (long long)vocabulary);
            return -1;
        }
    }
    return 0;
}

static PyObject *finish(int status) {
    if (status == KERNEL_NO_MEMORY) {
        return PyErr_NoMemory();
    }
    if (status == KERNEL_INTERRUPTED) {
        return PyErr_Occurred() ? NULL : (PyErr_SetNone(PyExc_KeyboardInterrupt), NULL);
    }
    Py_RETURN_NONE;
}

/* Return whether the candidate holds whole systems; an empty reference goes with an empty candidate. */
static int are_systems(const Text *candidate, const Text *reference) {
    return reference->segments > 0 ? candidate->segments % reference->segments == 0 : candidate->segments == 0;
}

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
        hold(objects[4], &arrays[4], 'i', 1, "result") == 0) {
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
        hold(objects[4], &arrays[4], 'I', 1, "hits") == 0) {
        int right = n_references >= 1 && references.segments % n_references == 0 && orders >= 1 && orders <= 32 &&
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
        hold(objects[2], &arrays[2], 'i', 1, "counts") == 0) {
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
        check_table(&arrays[2], &arrays[3], bits, 0) == 0) {
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
        check_table(&arrays[2], &arrays[3], bits, items(&arrays[4])) == 0) {
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

static PyMethodDef functions[] = {
    {"edit_distance", edit_distance, METH_VARARGS, NULL},
    {"bag_overlap", bag_overlap, METH_VARARGS, NULL},
    {"ngram_hits", ngram_hits, METH_VARARGS, NULL},
    {"count_hits", count_hits, METH_VARARGS, NULL},
    {"count_ngrams", count_ngrams, METH_VARARGS, NULL},
    {"sum_information", sum_information, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) {
    return PyModuleDef_Init(&definition);
}
