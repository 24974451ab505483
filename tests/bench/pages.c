/* SPDX-License-Identifier: MIT */
/* Pages of 4096 bytes on stdout, for zram.sh: pages of values, or pages of stdin that LZ4 compresses to a ratio.
 * Usage: pages values DATA SIZE COUNT     DATA: random or compressible:RATIO; consecutive values of SIZE bytes
 *        pages like RATIO COUNT <FILE     the first COUNT pages of FILE whose ratio is RATIO within 5 % */
#include "../unit/lz4.h"
#include "number.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096

static int values_write(const char *data, uint64_t size, uint64_t count)
{
    struct values v;
    struct values_spec spec = {.kind = VALUES_RANDOM, .seed = 1};
    sizes_one(&spec.sizes, size);
    uint64_t left = count * PAGE;
    if (strcmp(data, "random") != 0) {
        spec.kind = VALUES_COMPRESSIBLE;
        if (strncmp(data, "compressible:", 13) != 0 || number_double(data + 13, 1.001, 1000, &spec.ratio)) return 2;
    }
    char *value = malloc(size);
    if (!value || values_init(&v, &spec)) {
        free(value);
        return 1;
    }
    for (uint64_t key = 0; left; key++) {
        uint64_t n = left < size ? left : size;
        values_fill(&v, key, 6379, 0, value, n);
        if (fwrite(value, 1, n, stdout) != n) break;
        left -= n;
    }
    values_free(&v);
    free(value);
    return left || fflush(stdout) ? 1 : 0;
}

static int like_write(double ratio, uint64_t count)
{
    unsigned char page[PAGE];
    while (count && fread(page, 1, PAGE, stdin) == PAGE) {
        struct packed packed = {0, 0};
        lz4_count(page, PAGE, &packed);
        double off = PAGE / packed.bytes / ratio;
        if (off < 0.95 || off > 1.05) continue;
        if (fwrite(page, 1, PAGE, stdout) != PAGE) return 1;
        count--;
    }
    return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
    uint64_t size, count;
    double ratio;
    if (argc == 5 && !strcmp(argv[1], "values") && !number_u64(argv[3], 1, SIZES_LIMIT, &size) && !number_u64(argv[4], 1, 1000000000, &count))
        return values_write(argv[2], size, count);
    if (argc == 4 && !strcmp(argv[1], "like") && !number_double(argv[2], 1, 1000, &ratio) && !number_u64(argv[3], 1, 1000000000, &count))
        return like_write(ratio, count);
    fputs("usage: pages values DATA SIZE COUNT | pages like RATIO COUNT <FILE\n", stderr);
    return 2;
}
