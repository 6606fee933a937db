#ifndef PARHELION_CZLIB_SHIM_H
#define PARHELION_CZLIB_SHIM_H
#include <zlib.h>
/* deflateInit2 and inflateInit2 are macros, which Swift cannot import. */
static inline int parhelion_deflate_init_raw(z_streamp stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
static inline int parhelion_inflate_init_raw(z_streamp stream) {
  return inflateInit2(stream, -15);
}
#endif
