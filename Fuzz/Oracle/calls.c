// Compiles one of llhttp's sources from Debian's package, if the package is available.
#if __has_include("llhttp.h")
#define LLHTTP_STRICT_MODE 1
#include "api.c"
#endif
