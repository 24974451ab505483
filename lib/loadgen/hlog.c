/* SPDX-License-Identifier: MIT */
/* HdrHistogram interval logs: see hlog.h. The encoding is the one that HdrHistogram's own writers make, so its readers take these files. */
#include "hlog.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zlib.h>

#define COOKIE_V2            UINT32_C(0x1c849313) /* payload with zigzag LEB128 counts */
#define COOKIE_V2_COMPRESSED UINT32_C(0x1c849314) /* the same, deflated */
#define HEADER               40
#define COUNT_MAX            9 /* bytes of one count in LEB128-64b9B */

static void put_be(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) out[i] = (unsigned char)value;
}

/* One signed number, zigzag, seven bits a byte, the ninth byte whole. Returns its end. */
static unsigned char *put_count(unsigned char *out, int64_t value)
{
    uint64_t bits = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
    for (int i = 0; i < COUNT_MAX - 1 && bits > 0x7f; i++, bits >>= 7) *out++ = (unsigned char)(bits | 0x80);
    *out++ = (unsigned char)bits;
    return out;
}

/* The payload: header, then counts up to the last that is not zero, runs of zeros as a negative length. Returns its size. */
static size_t payload(const struct hist *h, unsigned char *out)
{
    unsigned char *at = out + HEADER;
    uint32_t i = 0, end = h->high;
    while (i < end) {
        uint32_t zeros = 0;
        while (i < end && !h->count[i]) {
            zeros++;
            i++;
        }
        if (zeros) at = put_count(at, zeros == 1 ? 0 : -(int64_t)zeros);
        if (i < end) at = put_count(at, (int64_t)h->count[i++]);
    }
    double ratio = 1;
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    put_be(out, COOKIE_V2, 4);
    put_be(out + 4, (uint64_t)(at - out - HEADER), 4);
    put_be(out + 8, 0, 4); /* normalizing offset */
    put_be(out + 12, (uint64_t)h->digits, 4);
    put_be(out + 16, 1, 8); /* lowest value told apart */
    put_be(out + 24, HIST_MAX_US, 8);
    put_be(out + 32, ratio_bits, 8);
    return (size_t)(at - out);
}

static char *base64(const unsigned char *in, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = malloc((n + 2) / 3 * 4 + 1), *at = out;
    if (!out) return NULL;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t word = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        *at++ = letters[word >> 18];
        *at++ = letters[word >> 12 & 63];
        *at++ = left > 1 ? letters[word >> 6 & 63] : '=';
        *at++ = left > 2 ? letters[word & 63] : '=';
    }
    *at = 0;
    return out;
}

char *hlog_encode(const struct hist *h)
{
    size_t most = HEADER + (size_t)(h->high + 1) * COUNT_MAX;
    unsigned char *raw = malloc(most), *packed = NULL;
    char *text = NULL;
    uLongf packed_len = compressBound(most);
    if (raw) packed = malloc(8 + packed_len);
    if (packed && compress(packed + 8, &packed_len, raw, payload(h, raw)) == Z_OK) {
        put_be(packed, COOKIE_V2_COMPRESSED, 4);
        put_be(packed + 4, packed_len, 4);
        text = base64(packed, 8 + packed_len);
    }
    free(raw);
    free(packed);
    return text;
}

void hlog_begin(FILE *f, uint64_t start_epoch_ns)
{
    time_t seconds = (time_t)(start_epoch_ns / 1000000000);
    struct tm tm;
    char date[64] = "";
    if (gmtime_r(&seconds, &tm)) strftime(date, sizeof date, "%a %b %d %H:%M:%S UTC %Y", &tm);
    double start = (double)start_epoch_ns / 1e9;
    fprintf(f,
            "#[Latency in microseconds]\n#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch), %s]\n"
            "#[BaseTime: %.3f (seconds since epoch)]\n"
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
            start, date, start);
}

int hlog_add(FILE *f, const struct hist *h, double start_s, double length_s)
{
    char *text = hlog_encode(h);
    if (!text) return -1;
    fprintf(f, "%.3f,%.3f,%.3f,%s\n", start_s, length_s, (double)h->max / 1000, text); /* the maximum in ms, as HdrHistogram's writers have it */
    free(text);
    return 0;
}
