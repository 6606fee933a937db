#include "CVariadics.h"

#include <stdarg.h>

/* On x86-64 and arm64 Linux a va_list parameter decays to a pointer to its structure, so the pointer is the list. */
typedef struct { va_list list; } argument_list;

int parhelion_next_int(void *list) { return va_arg(((argument_list *)list)->list, int); }

long long parhelion_next_long_long(void *list) { return va_arg(((argument_list *)list)->list, long long); }

double parhelion_next_double(void *list) { return va_arg(((argument_list *)list)->list, double); }

void *parhelion_next_pointer(void *list) { return va_arg(((argument_list *)list)->list, void *); }
