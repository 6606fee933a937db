#ifndef PARHELION_VARIADICS_H
#define PARHELION_VARIADICS_H
#include <stdint.h>

/// Reads the next argument of a C argument list. The pointer is the platform's `va_list`, as Swift's `CVaListPointer`
/// hands it over; each call advances it.
int parhelion_next_int(void *list);
long long parhelion_next_long_long(void *list);
double parhelion_next_double(void *list);
void *parhelion_next_pointer(void *list);

#endif
