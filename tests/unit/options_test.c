/* SPDX-License-Identifier: MIT */
/* The command line: defaults, every option, and a clear error for each invalid option. */
#include "options.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static char why[OPTIONS_WHY];
static struct options o;

/* Parse a command line given as one string of words. Returns the result of options_parse. */
static int parse(const char *line)
{
    static char copy[2048];
    char *word[64] = {"test"}, *save = NULL;
    int n = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *at = strtok_r(copy, " ", &save); at; at = strtok_r(NULL, " ", &save)) word[n++] = strcmp(at, "''") ? at : "";
    return options_parse(&o, n, word, 4, why);
}

static void defaults_are_the_guides(void)
{
    CHECK_SAME(parse(""), 0);
    CHECK(!strcmp(o.host, "127.0.0.1"));
    CHECK_SAME(o.port, 6789);
    CHECK_SAME(o.values.sizes.choice[0].low, 100);
    CHECK_SAME(o.count, 200000000);
    CHECK_SAME(o.threads, 4);
    CHECK_SAME(o.instances, 4);
    CHECK_SAME(o.phases, 2);
    CHECK(o.phase[0] == PHASE_SET && o.phase[1] == PHASE_GET && o.verify && o.flush && !o.spin);
}

static void prefix_has_a_limit(void)
{
    char line[OPTIONS_PREFIX_MAX + 64];
    memset(line, 'k', sizeof line);
    memcpy(line, "--key-prefix ", 13);
    line[13 + OPTIONS_PREFIX_MAX] = 0;
    CHECK_SAME(parse(line), 0);
    CHECK_SAME(strlen(o.key_prefix), OPTIONS_PREFIX_MAX);
    line[13 + OPTIONS_PREFIX_MAX] = 'k';
    line[14 + OPTIONS_PREFIX_MAX] = 0;
    CHECK_SAME(parse(line), -1);
    CHECK(strstr(why, "at most 1024 bytes"));
}

static void options_are_read(void)
{
    CHECK_SAME(parse("-c 10 -P16 --rate=1000.5 --arrival poisson h 7000 5 50 --phases populate,get,mixed --ratio 1:3 --time 2.5"), 0);
    CHECK_SAME(o.connections, 10);
    CHECK_SAME(o.pipeline, 16);
    CHECK_WITHIN(o.rate, 1000.5, 1000.5);
    CHECK(o.arrival == PACER_POISSON && o.phases == 3 && o.phase[2] == PHASE_MIXED);
    CHECK_SAME(o.ratio_get, 3);
    CHECK_SAME(o.count, 50);
    CHECK_WITHIN(o.time_s, 2.5, 2.5);
    CHECK_SAME(parse("--time 2m --warmup 1500ms --timeout 1h --interval 0.5s --rate 100k"), 0);
    CHECK_WITHIN(o.time_s, 120, 120);
    CHECK_WITHIN(o.warmup_s, 1.5, 1.5);
    CHECK_WITHIN(o.timeout_s, 3600, 3600);
    CHECK_WITHIN(o.interval_s, 0.5, 0.5);
    CHECK_WITHIN(o.rate, 100000, 100000);
    CHECK_SAME(parse("--keys zipf:1.2 --key-min 5 --key-max 14 --key-prefix k: --data compressible:2.5 --seed 9 --no-verify --no-flush"), 0);
    CHECK(o.keys.kind == KEYS_ZIPF && !o.verify && !o.flush);
    CHECK_WITHIN(o.keys.theta, 1.2, 1.2);
    CHECK_SAME(o.keys.first, 5);
    CHECK_SAME(o.keys.count, 10);
    CHECK_SAME(o.keys.seed, 9);
    CHECK_WITHIN(o.values.ratio, 2.5, 2.5);
    CHECK_SAME(parse("--sizes 100:70,1000:25,2000-3000:5 h 1 77 9"), 0);
    CHECK_SAME(o.values.sizes.choices, 3);
    CHECK_SAME(o.values.sizes.choice[0].low, 100);
    CHECK_SAME(o.values.sizes.choice[2].high, 3000);
    CHECK_SAME(o.values.sizes.choice[2].weight, 5);
    CHECK_SAME(parse("--cpus 0-2,5 --spin --instances 2 --interval 0.5 --timeout 9 -- h"), 0);
    CHECK_SAME(o.cpus, 4);
    CHECK_SAME(o.cpu[3], 5);
    CHECK_SAME(o.instances, 2);
    CHECK_SAME(parse("--keys gaussian:10"), 0);
    CHECK_WITHIN(o.keys.sd, 10, 10);
    CHECK_SAME(parse("--phases mixed --commands get:80 --commands set:20"), 0);
    CHECK(o.mix.entries == 1 && o.mix.weights == 20 && !strcmp(o.commands_text, "set:20"));
    CHECK_SAME(parse("--keys gaussian:10 --keys gaussian"), 0);
    CHECK_WITHIN(o.keys.sd, 0, 0);
    CHECK_SAME(parse("--keys zipf:1.5 --keys zipf"), 0);
    CHECK_WITHIN(o.keys.theta, 0.99, 0.99);
    CHECK_SAME(parse("--rate 100k --requests 1e6 --sizes 1k-2k,0.5M:2 h 1 1 2.5M"), 0);
    CHECK_WITHIN(o.rate, 100000, 100000);
    CHECK_SAME(o.requests, 1000000);
    CHECK_SAME(o.values.sizes.choice[0].high, 2000);
    CHECK_SAME(o.values.sizes.choice[1].low, 500000);
    CHECK_SAME(o.count, 2500000);
    CHECK_SAME(parse("--rate 1.5e3 --time 0.5 --seed 18000000000000000001"), -1);
    CHECK_SAME(parse("--rate 1.5e3 --time .5 --seed 17999999999999999999"), 0);
    CHECK_WITHIN(o.rate, 1500, 1500);
    CHECK_SAME(o.seed, UINT64_C(17999999999999999999));
    CHECK_SAME(parse("--keys hotspot:10:90 --shift 2.5:1 --scramble"), 0);
    CHECK(o.keys.kind == KEYS_HOTSPOT && o.keys.scramble);
    CHECK_WITHIN(o.keys.hot_keys + o.keys.hot_requests + o.keys.shift_s + o.keys.shift_percent, 103.5, 103.5);
    CHECK_SAME(parse("--keys zipf:3 --phases populate,get --key-min 20 --key-max 29 h 1 1 100"), 0);
    CHECK_SAME(o.populate_first + o.populate_count, 100);
    CHECK_SAME(o.keys.first, 20);
    CHECK_SAME(o.keys.count, 10);
    CHECK_SAME(o.count, 10);
    CHECK_SAME(parse("--phases populate,get --key-min 20 --key-max 29"), 0);
    CHECK_SAME(o.populate_first, 20);
    CHECK_SAME(o.populate_count, 10);
    CHECK_SAME(parse("--sizes etc --expire 5-60"), 0);
    CHECK(o.values.sizes.kind == SIZES_GPARETO && o.allow_misses);
    CHECK_SAME(o.values.ttl_low * 100 + o.values.ttl_high, 560);
    setenv("REDISCLI_AUTH", "secret", 1);
    CHECK_SAME(parse("--user u"), 0);
    CHECK(!strcmp(o.password, "secret"));
    unsetenv("REDISCLI_AUTH");
}

/* Values beyond their limits, and other forms; tests/messages_test.tsv has each message. */
static void wrong_ones_are_refused_by_name(void)
{
    static const char *const bad[][2] = {
        {"h 65536", "PORT"},
        {"h x", "PORT"},
        {"h 6379x", "PORT"},
        {"h 1 536870913", "SIZE"},
        {"h 1 -5", "-5"},
        {"h 1 1 0", "COUNT"},
        {"h 1 1 1e20", "COUNT"},
        {"h 1 1 1e99999", "COUNT"},
        {"h 1 1 1kk", "COUNT"},
        {"h 1 1 k", "COUNT"},
        {"h 1 1 1K", "COUNT"},
        {"-z", "-z"},
        {"-c x", "--connections"},
        {"--pipeline 65537", "--pipeline"},
        {"--rate 0", "--rate"},
        {"--rate -1", "--rate"},
        {"--rate 1e", "--rate"},
        {"--rate 1e3x", "--rate"},
        {"--rate 1e300", "--rate"},
        {"--phases set,,get", "--phases"},
        {"--phases set,", "--phases"},
        {"--phases mixed --ratio 1", "--ratio"},
        {"--time 0", "--time"},
        {"--time ms", "--time ms: invalid"},
        {"--time 30000000h", "--time 30000000h: invalid"},
        {"--requests 0", "--requests"},
        {"--keys up", "--keys"},
        {"--keys zipf:0", "--keys"},
        {"--keys zipf:3.1", "--keys"},
        {"--keys latest:4 --phases populate", "--keys"},
        {"--keys hotspot", "--keys"},
        {"--keys hotspot:10", "--keys"},
        {"--keys hotspot:0:90", "--keys"},
        {"--keys hotspot:100:90", "--keys"},
        {"--keys hotspot:10:0", "--keys"},
        {"--keys hotspot:10:101", "--keys"},
        {"--keys hotspot:10:90:1", "--keys"},
        {"--keys uniform --scramble", "uniform"},
        {"--keys latest --phases populate,get --shift 1:10", "latest"},
        {"--keys zipf --shift 0:10", "--shift"},
        {"--keys zipf --shift 1:0", "--shift"},
        {"--keys zipf --shift 1:100", "--shift"},
        {"--keys zipf:", "--keys"},
        {"--keys uniform:1", "--keys"},
        {"--keys gaussian:-1", "--keys"},
        {"--data compressible:1", "--data"},
        {"--data compressible", "--data"},
        {"--sizes 0", "--sizes"},
        {"--sizes 5:0", "--sizes"},
        {"--sizes 5,", "--sizes"},
        {"--sizes lognormal:100", "--sizes"},
        {"--sizes lognormal:0:5", "--sizes"},
        {"--sizes lognormal:5:5:5", "--sizes"},
        {"--sizes pareto:10:0", "--sizes"},
        {"--sizes gpareto:0:0:1", "--sizes"},
        {"--sizes weibull:1:2", "--sizes"},
        {"--expire 0", "--expire"},
        {"--expire 5-", "--expire"},
        {"--seed -1", "--seed"},
        {"--seed 18446744073709551616", "--seed"},
        {"--instances 0", "--instances"},
        {"--socket /s", "--socket"},
        {"--resp 4", "--resp"},
        {"--timeout 0", "--timeout"},
        {"--cpus 3-1", "--cpus"},
        {"--cpus 1,", "--cpus"},
        {"--cpus 5000", "--cpus"},
        {"--interval 0", "--interval"},
        {"--help=x", "--help"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int rc = parse(bad[i][0]);
        if (rc != -1 || !strstr(why, bad[i][1])) printf("# '%s' gives %d: %s\n", bad[i][0], rc, why);
        CHECK_SAME(rc, -1);
        CHECK(strstr(why, bad[i][1]) != NULL);
        CHECK(strchr(why, '\n') == NULL);
    }
}

int main(void)
{
    TEST("defaults are the guide's", defaults_are_the_guides);
    TEST("options are read", options_are_read);
    TEST("a prefix of keys has a limit", prefix_has_a_limit);
    TEST("wrong arguments are refused by name, in one line", wrong_ones_are_refused_by_name);
    return UNIT_END;
}
