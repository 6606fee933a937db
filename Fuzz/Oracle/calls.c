// One of llhttp's sources, as Debian's package has it, where it is there.
#if __has_include("llhttp.h")
#define LLHTTP_STRICT_MODE 1
#include "api.c"
#endif
