#include "CVariadics.h"

#include <stdlib.h>

struct parhelion_arguments {
  va_list list;
};

parhelion_arguments *parhelion_arguments_open(va_list list) {
  parhelion_arguments *arguments = malloc(sizeof *arguments);
  if (arguments) va_copy(arguments->list, list);
  return arguments;
}

void parhelion_arguments_close(parhelion_arguments *arguments) {
  if (!arguments) return;
  va_end(arguments->list);
  free(arguments);
}

int parhelion_arguments_next_int(parhelion_arguments *arguments) {
  return va_arg(arguments->list, int);
}

long long parhelion_arguments_next_long_long(parhelion_arguments *arguments) {
  return va_arg(arguments->list, long long);
}

double parhelion_arguments_next_double(parhelion_arguments *arguments) {
  return va_arg(arguments->list, double);
}

void *parhelion_arguments_next_pointer(parhelion_arguments *arguments) {
  return va_arg(arguments->list, void *);
}
