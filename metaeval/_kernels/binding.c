/* Arrays of Python as kernels need them, and the way back to Python while a kernel runs. */
#include "binding.h"

#include <string.h>
#include <time.h>

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

void release(Array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        if (arrays[i].held) {
            PyBuffer_Release(&arrays[i].view);
            arrays[i].held = 0;
        }
    }
}

int hold(PyObject *object, Array *array, char type, int writable, const char *name) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
        return -1;
    }
    array->held = 1;
    array->writable = writable;
    const char *format = array->view.format ? array->view.format : "B";
    Py_ssize_t size = array->view.itemsize;
    int right = 0;
    switch (type) {
        case 'i': right = size == 4 && strchr("il", *format) != NULL; break;
        case 'q': right = size == 8 && strchr("ql", *format) != NULL; break;
        case 'I': right = size == 4 && strchr("IL", *format) != NULL; break;
        case 'Q': right = size == 8 && strchr("QL", *format) != NULL; break;
        case 'd': right = size == 8 && *format == 'd'; break;
        case 'H': right = size == 2 && *format == 'H'; break;
        case 'B': right = size == 1 && strchr("B?c", *format) != NULL; break;
    }
    if (!right || *format == '\0' || format[1] != '\0') {
        PyErr_Format(PyExc_TypeError, "%s: an array of type '%c' is needed; got '%s'", name, type, format);
        return -1;
    }
    return 0;
}

int64_t items(const Array *array) {
    return array->view.itemsize ? (int64_t)(array->view.len / array->view.itemsize) : 0;
}

/* Whether two arrays share memory; one that is empty shares none. */
static int overlap(const Py_buffer *one, const Py_buffer *other) {
    uintptr_t first = (uintptr_t)one->buf, second = (uintptr_t)other->buf;
    return one->len > 0 && other->len > 0 && first < second + (uintptr_t)other->len &&
           second < first + (uintptr_t)one->len;
}

int check_apart(const Array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            if (i != j && arrays[i].writable && overlap(&arrays[i].view, &arrays[j].view)) {
                PyErr_SetString(PyExc_ValueError, "an array that is written must share no memory with another");
                return -1;
            }
        }
    }
    return 0;
}

int hold_text(PyObject *ids, PyObject *offsets, Array *arrays, Text *text, int64_t vocabulary, const char *name) {
    if (hold(ids, &arrays[0], 'i', 0, name) != 0 || hold(offsets, &arrays[1], 'q', 0, name) != 0) {
        return -1;
    }
    text->ids = arrays[0].view.buf;
    text->offsets = arrays[1].view.buf;
    text->segments = items(&arrays[1]) - 1;
    int64_t tokens = items(&arrays[0]);
    int right = text->segments >= 0 && text->offsets[0] == 0 && text->offsets[text->segments] == tokens;
    for (int64_t i = 0; right && i < text->segments; i++) {
        int64_t start = text->offsets[i], end = text->offsets[i + 1];
        right = end >= start && end - start <= INT32_MAX; /* the first is 0, so that the difference fits */
    }
    if (!right) {
        PyErr_Format(PyExc_ValueError, "%s: offsets must rise from 0 to the number of ids", name);
        return -1;
    }
    /* The loop has no way out, so that it can look at several ids at a time; ids below 0 are large without a sign. */
    uint32_t limit = vocabulary > INT32_MAX ? UINT32_C(1) << 31 : vocabulary > 0 ? (uint32_t)vocabulary : 0, wrong = 0;
    for (int64_t j = 0; j < tokens; j++) {
        wrong |= (uint32_t)text->ids[j] >= limit;
    }
    if (wrong) {
        PyErr_Format(PyExc_ValueError, "%s: ids must be from 0 to below %lld", name, (long long)vocabulary);
        return -1;
    }
    return 0;
}

PyObject *finish(int status) {
    if (status == KERNEL_NO_MEMORY) {
        return PyErr_NoMemory();
    }
    if (status == KERNEL_TOO_MANY) {
        PyErr_SetString(PyExc_OverflowError, "a count is greater than its type can hold");
        return NULL;
    }
    if (status == KERNEL_INTERRUPTED) {
        return PyErr_Occurred() ? NULL : (PyErr_SetNone(PyExc_KeyboardInterrupt), NULL);
    }
    Py_RETURN_NONE;
}

int are_systems(const Text *candidate, const Text *reference) {
    return reference->segments > 0 ? candidate->segments % reference->segments == 0 : candidate->segments == 0;
}
