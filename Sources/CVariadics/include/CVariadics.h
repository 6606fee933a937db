#ifndef PARHELION_VARIADICS_H
#define PARHELION_VARIADICS_H
#include <stdarg.h>

/// A copy of a C argument list that Swift can read argument by argument.
///
/// Swift passes a `va_list` as `CVaListPointer` but has no `va_arg`. The list's layout depends on
/// the processor, so Swift sees only a pointer to it.
typedef struct parhelion_arguments parhelion_arguments;

/// Copies the list, or returns null if there is no memory. The caller closes the copy.
parhelion_arguments *parhelion_arguments_open(va_list list);

/// Frees the copy. Null is allowed.
void parhelion_arguments_close(parhelion_arguments *arguments);

/// Each of these functions returns the next argument. Its type must be the type of the passed
/// argument after C's promotions.
int parhelion_arguments_next_int(parhelion_arguments *arguments);
long long parhelion_arguments_next_long_long(parhelion_arguments *arguments);
double parhelion_arguments_next_double(parhelion_arguments *arguments);
void *parhelion_arguments_next_pointer(parhelion_arguments *arguments);

#endif
