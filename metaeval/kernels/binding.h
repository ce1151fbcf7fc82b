/* The binding: Python hands over arrays and numbers, which are checked, and a kernel runs on them without the interpreter's
   lock.

   It uses Python's limited API alone, so that one build serves all later versions of Python. */
#ifndef METAEVAL_BINDING_H
#define METAEVAL_BINDING_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.h"

/* What a function takes, in the order of its arguments. A type of arrays is 'i' int32, 'q' int64, 'I' uint32, 'Q' uint64,
   'd' float64, 'H' uint16 or 'B' uint8. */
#define READ(type, name) {KIND_READ, type, name}
#define WRITTEN(type, name) {KIND_WRITTEN, type, name}
#define TEXT(name) {KIND_IDS, 'i', name}, {KIND_OFFSETS, 'q', name} /* two arguments */
#define VOCABULARY {KIND_VOCABULARY, 0, "vocabulary"}               /* the ids of all texts are below this number */
#define NUMBER(name) {KIND_NUMBER, 0, name}
#define REAL(name) {KIND_REAL, 0, name}
#define FOUND(name) {KIND_FOUND, 0, name} /* behind the arguments: the number that Python gets back, instead of None */

typedef enum {
    KIND_READ, KIND_WRITTEN, KIND_IDS, KIND_OFFSETS, KIND_VOCABULARY, KIND_NUMBER, KIND_REAL, KIND_FOUND
} Kind;

typedef struct {
    Kind kind;
    char type;
    const char *name;
} Parameter;

#define MOST_PARAMETERS 12

/* An argument as a function gets it: an array, or a number. */
typedef struct {
    Py_buffer view; /* held while the function runs */
    void *data;
    int64_t items;
    int64_t number;
    double real;
} Argument;

/* Call a function without the interpreter's lock. Its arguments are then as their description says: arrays are contiguous and
   of their type, those that are written share no memory with others, and every offset and id of a text is right. Return NULL
   with an exception where something is wrong. */
PyObject *call(PyObject *arguments, const Parameter *parameters, int count, int (*function)(Argument *given));

/* Set a ValueError, and return the status that says so. */
int refuse(const char *format, ...);
#define REFUSED (-100)

/* Return the text whose ids and offsets stand here. */
Text text_of(const Argument *ids);

/* Return whether offsets rise from 0 to this number, by less than 2 to the power of 31 at a time. */
int are_offsets(const Argument *offsets, int64_t end);

#endif
