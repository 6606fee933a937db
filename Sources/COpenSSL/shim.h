#ifndef PARHELION_COPENSSL_SHIM_H
#define PARHELION_COPENSSL_SHIM_H
#include <openssl/evp.h>
#endif
