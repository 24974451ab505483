/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes, cut anywhere, must give the same replies, never hang and never be read outside of the buffer. */
#include "resp.h"

#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Scan all of data in parts of `step` bytes. Each part is copied into one of two buffers whose other bytes are poisoned, so that the sanitizer
 * detects reads past it and reads of earlier parts; an allocation per part would take most of the time. Returns a digest of the result. */
static uint64_t scan(const uint8_t *data, size_t size, size_t step)
{
    struct resp r;
    uint64_t digest = 1469598103934665603u;
    char *parts[2] = {malloc(step), malloc(step)};
    if (!parts[0] || !parts[1]) abort();
    resp_reset(&r);
    for (size_t from = 0; from < size; from += step) {
        size_t n = size - from < step ? size - from : step;
        char *part = parts[from / step % 2];
        ASAN_POISON_MEMORY_REGION(parts[0], step);
        ASAN_POISON_MEMORY_REGION(parts[1], step);
        ASAN_UNPOISON_MEMORY_REGION(part, n);
        memcpy(part, data + from, n);
        const char *at = part, *end = part + n;
        for (;;) {
            const char *before = at;
            enum resp_event event = resp_scan(&r, &at, end);
            if (at < before || at > end) abort();
            if (event == RESP_MORE) {
                if (at != end) abort();
                break;
            }
            if (event == RESP_BODY) {
                if (r.piece < part || r.piece + r.piece_len > end || r.piece_at + r.piece_len > r.item_len || !r.items) abort();
                for (size_t i = 0; i < r.piece_len; i++) digest = (digest ^ (uint8_t)r.piece[i]) * 1099511628211u;
                continue;
            }
            digest = (digest ^ (uint64_t)event ^ (uint64_t)(uint8_t)r.type << 8 ^ (uint64_t)r.nil << 16) * 1099511628211u;
            if (event == RESP_REPLY) {
                digest = (digest ^ (uint64_t)r.bulk_len ^ strlen(r.text)) * 1099511628211u;
                if (r.nils > r.items) abort();
                digest = (digest ^ r.items ^ r.nils << 24 ^ r.bytes << 8 ^ r.faults) * 1099511628211u;
                continue;
            }
            /* Nothing is read after an error. */
            size = 0;
            break;
        }
    }
    free(parts[0]);
    free(parts[1]);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t whole = scan(data, size, size ? size : 1);
    if (scan(data, size, 1) != whole || scan(data, size, 3) != whole || scan(data, size, 7) != whole) abort();
    return 0;
}
