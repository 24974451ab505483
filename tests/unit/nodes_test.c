/* SPDX-License-Identifier: MIT */
/* Slots and their tags, and the text of CLUSTER NODES: a wrong parse would send keys to the wrong node. */
#include "nodes.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"

static struct nodes nodes;
static char why[NODES_WHY];

static int parse(const char *text)
{
    int rc = nodes_parse(&nodes, text, strlen(text), why);
    nodes_free(&nodes);
    return rc;
}

static void slots_are_those_of_redis(void)
{
    CHECK_SAME(slots_of("123456789", 9), 0x31c3); /* the check value of CRC16/XMODEM */
    CHECK_SAME(slots_of("foo", 3), 12182);        /* CLUSTER KEYSLOT */
    CHECK_SAME(slots_of("foo{hash_tag}", 13), 2515);
    CHECK_SAME(slots_of("{}foo", 5), 9500);
    CHECK_SAME(slots_of("a{b", 3), slots_of("a{b", 3) % SLOTS);
    CHECK_SAME(slots_of("x{foo}y{bar}", 12), 12182);
}

static void each_slot_has_a_tag(void)
{
    static uint16_t all[SLOTS];
    struct slots_tags t;
    CHECK_SAME(slots_words(), 14593); /* of 32,768 */
    CHECK_SAME(slots_words(), 14593);
    for (int i = 0; i < SLOTS; i++) all[i] = (uint16_t)i;
    CHECK_SAME(slots_tags_init(&t, all, SLOTS), 0);
    for (uint64_t i = 0; i < SLOTS; i++) {
        char key[16] = "key{";
        slots_put(&t, i, key + 4);
        CHECK_SAME(slots_of(key, 8), i);
        CHECK_SAME(strspn(key + 4, "HIJKLMNOPQRSTUVWhijklmnopqrstuvw"), 3);
        CHECK_SAME(key[7], '}');
    }
    slots_tags_free(&t);
}

static void keys_go_round_the_slots(void)
{
    static const uint32_t counts[] = {1, 2, 3, 5461, 5462, SLOTS};
    static const uint64_t keys[] = {0, 1, 5461, 16384, 4294967295u, UINT64_C(4294967296), UINT64_C(1152921504606846975)};
    static uint16_t slot[SLOTS];
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
        const uint32_t count = counts[c / 2];
        struct slots_tags t;
        /* In reverse order, which gives a list, and as neighbours. */
        for (uint32_t i = 0; i < count; i++) slot[i] = (uint16_t)(c % 2 ? SLOTS - count + i : SLOTS - 1 - i);
        CHECK_SAME(slots_tags_init(&t, slot, count), 0);
        CHECK_SAME(t.slot != NULL, count > 1 && c % 2 == 0);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            char key[8] = "{";
            slots_put(&t, keys[k], key + 1);
            CHECK_SAME(slots_of(key, 5), slot[keys[k] % count]);
        }
        slots_tags_free(&t);
    }
}

static void masters_and_their_slots_are_read(void)
{
    static const char text[] =
        A " 10.0.0.1:7000@17000 myself,master - 0 1426238316232 2 connected 0-5460 16383\n" B " ::1:7001@17001,name slave " A
          " 0 1426238316232 3 connected\n" C " :7002@17002 master,fail? - 0 0 18446744073709551615 disconnected 5461 [93->-" A "]\n";
    CHECK_SAME(nodes_parse(&nodes, text, sizeof text - 1, why), 0);
    CHECK_SAME(nodes.count, 3);
    CHECK(!strcmp(nodes.node[0].host, "10.0.0.1") && nodes.node[0].port == 7000 && nodes.node[0].master && nodes.node[0].slots == 5462);
    CHECK(!strcmp(nodes.node[1].host, "::1") && nodes.node[1].port == 7001 && !nodes.node[1].master);
    CHECK(!nodes.node[2].host[0] && nodes.node[2].epoch == UINT64_MAX && !nodes.node[2].failed);
    CHECK(nodes.owner[0] == 0 && nodes.owner[5460] == 0 && nodes.owner[5461] == 2 && nodes.owner[5462] == -1 && nodes.owner[16383] == 0);
    CHECK_SAME(nodes.moving, 1);
    nodes_free(&nodes);
    static const char lost[] = A " :0@0 master,noaddr,fail - 0 0 1 disconnected\n";
    CHECK_SAME(nodes_parse(&nodes, lost, sizeof lost - 1, why), 0);
    CHECK(nodes.node[0].failed && !nodes.node[0].port);
    nodes_free(&nodes);
}

static void what_is_no_such_text_is_refused(void)
{
    static const char *const bad[] = {
        "",
        "\n",
        "ERR unknown command\n",
        A " 10.0.0.1:7000@17000 master - 0 0 1 connected 0-1", /* truncated */
        A " 10.0.0.1:7000@17000 master - 0 0 1\n",
        A " 10.0.0.1:7000 master - 0 0 1 connected\n",
        A " 10.0.0.1:70000@17000 master - 0 0 1 connected\n",
        A " host.example:7000@17000 master - 0 0 1 connected\n",
        A " 10.0.0.1:7000@17000 master - 0 0 -1 connected\n",
        A " 10.0.0.1:7000@17000 master - 0 0 1 connected 5-4\n",
        A " 10.0.0.1:7000@17000 master - 0 0 1 connected 0-16384\n",
        A " 10.0.0.1:7000@17000 master - 0 0 1 connected x\n",
        A " 10.0.0.1:7000@17000 slave " B " 0 0 1 connected 0-1\n",
        A " 10.0.0.1:7000@17000 master - 0 0 1 connected 0-5\n" B " 10.0.0.1:7001@17001 master - 0 0 1 connected 5\n",
        A " 10.0.0.1:7000@17000 master - 0 0 1 connected\n" A " 10.0.0.1:7001@17001 master - 0 0 1 connected\n",
        "A" A " 10.0.0.1:7000@17000 master - 0 0 1 connected\n",
        A " 1111111111111111111111111111111111111111111111111111111111111111:7000@17000 master - 0 0 1 connected\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_SAME(parse(bad[i]), -1);
        CHECK(why[0]);
    }
}

static void no_cut_of_a_text_is_read_outside(void)
{
    static const char text[] =
        A " 10.0.0.1:7000@17000 myself,master - 0 1 2 connected 0-5460 [93->-" B "]\n" B " ::1:1@2 slave " A " 0 0 3 connected\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = strndup(text, n); /* exact size: the sanitizer detects a read outside */
        int rc = nodes_parse(&nodes, copy, n, why);
        CHECK((rc == 0) == (n && text[n - 1] == '\n'));
        nodes_free(&nodes);
        free(copy);
    }
}

int main(void)
{
    TEST("slots are those that Redis says", slots_are_those_of_redis);
    TEST("each slot has a tag of three letters", each_slot_has_a_tag);
    TEST("keys go round the slots of a shard, also those above 32 bits", keys_go_round_the_slots);
    TEST("masters, their slots, addresses and epochs are read", masters_and_their_slots_are_read);
    TEST("what is no text of CLUSTER NODES is refused", what_is_no_such_text_is_refused);
    TEST("a text that is cut anywhere is refused, unless behind a line", no_cut_of_a_text_is_read_outside);
    return UNIT_END;
}
