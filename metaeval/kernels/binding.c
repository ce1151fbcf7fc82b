/* Arguments of Python as kernels need them, and the way back to Python while a kernel runs. */
#include "binding.h"

#include <string.h>
#include <time.h>

/* How often, at most, the interpreter is asked whether Ctrl-C was pressed. */
#define SECONDS_BETWEEN_CHECKS 0.2
#define CALLS_BETWEEN_LOOKS 64

static double seconds_now(void) {
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
    double time = seconds_now();
    if (time - last >= 0.0 && time - last < SECONDS_BETWEEN_CHECKS) {
        return 0;
    }
    last = time;
    PyGILState_STATE state = PyGILState_Ensure();
    int interrupted = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return interrupted;
}

int refuse(const char *format, ...) {
    PyGILState_STATE state = PyGILState_Ensure();
    va_list values;
    va_start(values, format);
    PyErr_FormatV(PyExc_ValueError, format, values);
    va_end(values);
    PyGILState_Release(state);
    return REFUSED;
}

/* Formats of equal size and sort are the same to us ('l' and 'q'). */
static int has_type(const Py_buffer *view, char type) {
    const char *format = view->format ? view->format : "B";
    if (*format == '\0' || format[1] != '\0') {
        return 0;
    }
    switch (type) {
        case 'i': return view->itemsize == 4 && strchr("il", *format);
        case 'q': return view->itemsize == 8 && strchr("ql", *format);
        case 'I': return view->itemsize == 4 && strchr("IL", *format);
        case 'Q': return view->itemsize == 8 && strchr("QL", *format);
        case 'd': return view->itemsize == 8 && *format == 'd';
        case 'H': return view->itemsize == 2 && *format == 'H';
        case 'B': return view->itemsize == 1 && strchr("B?c", *format);
    }
    return 0;
}

/* Take one argument. Return 0, or -1 with an exception. */
static int take_argument(PyObject *object, const Parameter *parameter, Argument *given) {
    if (parameter->kind == KIND_VOCABULARY || parameter->kind == KIND_NUMBER) {
        given->number = PyLong_AsLongLong(object);
        return given->number == -1 && PyErr_Occurred() ? -1 : 0;
    }
    if (parameter->kind == KIND_REAL) {
        given->real = PyFloat_AsDouble(object);
        return given->real == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    int writable = parameter->kind == KIND_WRITTEN ? PyBUF_WRITABLE : 0;
    if (PyObject_GetBuffer(object, &given->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | writable) != 0) {
        return -1;
    }
    if (!has_type(&given->view, parameter->type)) {
        PyErr_Format(
            PyExc_TypeError, "%s: an array of type '%c' is needed; got '%s'", parameter->name, parameter->type,
            given->view.format ? given->view.format : "B");
        return -1;
    }
    given->data = given->view.buf;
    given->items = (int64_t)(given->view.len / given->view.itemsize);
    return 0;
}

/* Whether two arrays share memory; one that is empty shares none, nor does a number. */
static int share_memory(const Py_buffer *one, const Py_buffer *other) {
    uintptr_t first = (uintptr_t)one->buf, second = (uintptr_t)other->buf;
    return one->len > 0 && other->len > 0 && first < second + (uintptr_t)other->len &&
           second < first + (uintptr_t)one->len;
}

/* Check that no array that is written shares memory with another: what was checked must stay. */
static int check_apart(const Argument *given, const Parameter *parameters, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            if (i != j && parameters[i].kind == KIND_WRITTEN && share_memory(&given[i].view, &given[j].view)) {
                return refuse("an array that is written must share no memory with another");
            }
        }
    }
    return KERNEL_DONE;
}

int are_offsets(const Argument *offsets, int64_t end) {
    const int64_t *offset = offsets->data;
    int64_t last = offsets->items - 1;
    int right = last >= 0 && offset[0] == 0 && offset[last] == end;
    for (int64_t i = 0; right && i < last; i++) {
        /* The first is 0, so that the difference fits. */
        right = offset[i + 1] >= offset[i] && offset[i + 1] - offset[i] <= INT32_MAX;
    }
    return right;
}

Text text_of(const Argument *ids) {
    return (Text){.ids = ids[0].data, .offsets = ids[1].data, .segments = ids[1].items - 1};
}

static int check_texts(const Argument *given, const Parameter *parameters, int count) {
    int64_t vocabulary = 0;
    for (int i = 0; i < count; i++) {
        vocabulary = parameters[i].kind == KIND_VOCABULARY ? given[i].number : vocabulary;
    }
    uint32_t limit = vocabulary > INT32_MAX ? UINT32_C(1) << 31 : (uint32_t)vocabulary;
    for (int i = 0; i < count; i++) {
        if (parameters[i].kind != KIND_IDS) {
            continue;
        }
        if (!are_offsets(&given[i + 1], given[i].items)) {
            return refuse("%s: offsets must rise from 0 to the number of ids", parameters[i].name);
        }
        /* No way out of the loop, so that it can look at several ids at a time; ids below 0 are large without a sign. */
        const int32_t *ids = given[i].data;
        uint32_t wrong = vocabulary < 0; /* no room for tables, even where there are no ids */
        for (int64_t j = 0; j < given[i].items; j++) {
            wrong |= (uint32_t)ids[j] >= limit;
        }
        if (wrong) {
            return refuse("%s: ids must be from 0 to below %lld", parameters[i].name, (long long)vocabulary);
        }
    }
    return KERNEL_DONE;
}

/* Return what Python gets, or NULL with an exception. */
static PyObject *result_of(int status, const int64_t *found) {
    if (status == KERNEL_DONE) {
        return found ? PyLong_FromLongLong(*found) : Py_NewRef(Py_None);
    }
    if (status == KERNEL_NO_MEMORY) {
        PyErr_NoMemory();
    } else if (status == KERNEL_TOO_LONG) {
        PyErr_SetString(
            PyExc_ValueError,
            "references: a segment has more n-grams than can be numbered; cut it into shorter ones, or count shorter n-grams");
    } else if (!PyErr_Occurred()) { /* else it was refused, or what Ctrl-C calls has set its own */
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
    return NULL;
}

PyObject *call(PyObject *arguments, const Parameter *parameters, int count, int (*function)(Argument *given)) {
    Argument given[MOST_PARAMETERS] = {0};
    int64_t *found = NULL;
    if (parameters[count - 1].kind == KIND_FOUND) {
        found = &given[--count].number;
    }
    if (PyTuple_Size(arguments) != count) {
        return PyErr_Format(
            PyExc_TypeError, "function takes exactly %d arguments (%zd given)", count, PyTuple_Size(arguments));
    }
    int taken = 0;
    while (taken < count && take_argument(PyTuple_GetItem(arguments, taken), &parameters[taken], &given[taken]) == 0) {
        taken++;
    }
    PyObject *result = NULL;
    if (taken == count) {
        int status;
        Py_BEGIN_ALLOW_THREADS
        status = check_texts(given, parameters, count);
        status = status == KERNEL_DONE ? check_apart(given, parameters, count) : status;
        status = status == KERNEL_DONE ? function(given) : status;
        Py_END_ALLOW_THREADS
        result = result_of(status, found);
    }
    for (int i = 0; i < count; i++) {
        PyBuffer_Release(&given[i].view); /* does nothing where none is held */
    }
    return result;
}
