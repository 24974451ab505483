/* SPDX-License-Identifier: MIT */
/* HdrHistogram interval logs: see hlog.h. The encoding is that of HdrHistogram's writers, so its readers accept these files. */
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

/* One signed number, zigzag, seven bits per byte, eight in the ninth byte. Returns its end. */
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
    put_be(out + 16, 1, 8); /* lowest value that is distinguished */
    put_be(out + 24, HIST_MAX, 8);
    put_be(out + 32, ratio_bits, 8);
    return (size_t)(at - out);
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *base64(const unsigned char *in, size_t n)
{
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

static uint64_t get_be(const unsigned char *in, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | in[i];
    return value;
}

/* Undo base64, in place. Returns the size, 0 when it is invalid. */
static size_t unbase64(char *text)
{
    size_t n = strlen(text), out = 0;
    uint32_t word = 0;
    if (n % 4) return 0;
    for (size_t i = 0; i < n; i++) {
        const char *at = text[i] == '=' && i + 2 >= n ? letters : strchr(letters, text[i]);
        if (!at) return 0;
        word = word << 6 | (uint32_t)(at - letters);
        if (i % 4 != 3) continue;
        for (int shift = 16; shift >= 0; shift -= 8) text[out++] = (char)(word >> shift & 0xff);
        word = 0;
    }
    return n ? out - (text[n - 1] == '=') - (text[n - 2] == '=') : 0;
}

/* Add the counts of a payload whose values are multiples of unit_ns. Returns 0, or -1 when they do not fit h. */
static int counts_add(const unsigned char *at, const unsigned char *end, uint64_t unit_ns, struct hist *h)
{
    for (uint64_t slot = 0; at < end;) {
        uint64_t bits = 0;
        int bytes = 0;
        for (int more = 1; more; bytes++) {
            if (at == end) return -1;
            more = bytes < COUNT_MAX - 1 && *at & 0x80;
            bits |= (uint64_t)(bytes < COUNT_MAX - 1 ? *at & 0x7f : *at) << 7 * bytes;
            at++;
        }
        int64_t count = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
        if (count <= 0) {
            slot += count ? 0 - (uint64_t)count : 1;
            continue;
        }
        if (slot >= h->slots || count > INT64_MAX / 2) return -1;
        uint64_t ns = hist_highest(h, (uint32_t)slot++) * unit_ns;
        hist_record(h, ns < HIST_MAX ? ns : HIST_MAX, (uint64_t)count);
    }
    return 0;
}

int hlog_decode(const char *text, struct hist *h)
{
    const size_t most = HEADER + ((size_t)h->slots + 1) * COUNT_MAX;
    char *packed = strdup(text);
    unsigned char *raw = malloc(most);
    uLongf n = most;
    size_t size = packed ? unbase64(packed) : 0;
    const unsigned char *in = (const unsigned char *)packed;
    int bad = !raw || size < 8 || get_be(in, 4) != COOKIE_V2_COMPRESSED || get_be(in + 4, 4) != size - 8;
    bad = bad || uncompress(raw, &n, in + 8, size - 8) != Z_OK || n < HEADER || get_be(raw, 4) != COOKIE_V2 || get_be(raw + 4, 4) != n - HEADER;
    const uint64_t range = bad ? 0 : get_be(raw + 24, 8); /* an hour, which tells the unit: older versions recorded microseconds */
    bad = bad || (range != HIST_MAX && range * 1000 != HIST_MAX) || (int)get_be(raw + 12, 4) != h->digits;
    bad = bad || counts_add(raw + HEADER, raw + n, HIST_MAX / range, h);
    free(packed);
    free(raw);
    return bad ? -1 : 0;
}

void hlog_begin(FILE *f, uint64_t start_epoch_ns)
{
    time_t seconds = (time_t)(start_epoch_ns / 1000000000);
    struct tm tm;
    char date[64] = "";
    if (gmtime_r(&seconds, &tm)) strftime(date, sizeof date, "%a %b %d %H:%M:%S UTC %Y", &tm);
    double start = (double)start_epoch_ns / 1e9;
    fprintf(f,
            "#[Latency in nanoseconds]\n#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch), %s]\n"
            "#[BaseTime: %.3f (seconds since epoch)]\n"
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
            start, date, start);
}

int hlog_add(FILE *f, const struct hist *h, double start_s, double length_s)
{
    char *text = hlog_encode(h);
    if (!text) return -1;
    fprintf(f, "%.3f,%.3f,%.6f,%s\n", start_s, length_s, (double)h->max / 1e6, text); /* the max in ms: its readers expect values in ns */
    free(text);
    return 0;
}
