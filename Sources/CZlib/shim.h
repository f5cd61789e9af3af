#ifndef COFFER_CZLIB_SHIM_H
#define COFFER_CZLIB_SHIM_H

#include <zlib.h>

/// `inflateInit2` for raw deflate, which has neither header nor checksum.
static inline int coffer_zlib_inflate_init_raw(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}

/// `deflateInit2` for raw deflate at zlib's default level, with its default memory (level 8).
static inline int coffer_zlib_deflate_init_raw(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

#endif
