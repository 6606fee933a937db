#ifndef PARHELION_VARIADICS_H
#define PARHELION_VARIADICS_H
#include <stdarg.h>

/// A copy of a C argument list that Swift can read argument by argument.
///
/// Swift hands a `va_list` over as `CVaListPointer` but has no `va_arg`. The list's layout differs between processors,
/// so it stays in C, behind a pointer.
typedef struct parhelion_arguments parhelion_arguments;

/// Copies the list; null when there is no memory. The caller closes the copy.
parhelion_arguments *parhelion_arguments_open(va_list list);

/// Gives the copy's memory back.
void parhelion_arguments_close(parhelion_arguments *arguments);

/// Each of these takes the next argument, whose type has to be the one that was passed after C's promotions.
int parhelion_arguments_next_int(parhelion_arguments *arguments);
long long parhelion_arguments_next_long_long(parhelion_arguments *arguments);
double parhelion_arguments_next_double(parhelion_arguments *arguments);
void *parhelion_arguments_next_pointer(parhelion_arguments *arguments);

#endif
