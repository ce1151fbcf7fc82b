/* What all functions of the binding share: arrays of Python, held while a kernel runs and checked before. */
#ifndef METAEVAL_BINDING_H
#define METAEVAL_BINDING_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.h"

/* An array as Python handed it over. */
typedef struct {
    Py_buffer view;
    int held, writable;
} Array;

/* Hold an array of one type: 'i' int32, 'q' int64, 'I' uint32, 'Q' uint64, 'd' float64, 'H' uint16, 'B' uint8. Formats of equal
   size and sort are the same to us ('l' and 'q'). Return 0, or -1 with an exception. */
int hold(PyObject *object, Array *array, char type, int writable, const char *name);

/* Hold ids and offsets of a text in two arrays, and check every one of them. Return 0, or -1 with an exception. */
int hold_text(PyObject *ids, PyObject *offsets, Array *arrays, Text *text, int64_t vocabulary, const char *name);

/* Check that no array that is written shares memory with another: what was checked must stay. Return 0, or -1 with an
   exception. */
int check_apart(const Array *arrays, int count);

/* Give back those of some arrays that are held. */
void release(Array *arrays, int count);

/* Return the number of items of an array that is held. */
int64_t items(const Array *array);

/* Return whether the candidate holds whole systems; an empty reference goes with an empty candidate. */
int are_systems(const Text *candidate, const Text *reference);

/* Return None for the status of a kernel, or NULL with an exception. */
PyObject *finish(int status);

#endif
