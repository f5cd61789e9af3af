#ifndef COFFER_CLINUX_H
#define COFFER_CLINUX_H

#include <stddef.h>
#include <stdint.h>

// Every function that can fail returns 0 or more, or a negative errno.


extern const int32_t coffer_enoent;
void coffer_error_text(int32_t number, char *text, size_t size);
void coffer_close(int32_t fd);
int32_t coffer_duplicate(int32_t fd);

#endif
