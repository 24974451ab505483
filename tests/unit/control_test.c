/* SPDX-License-Identifier: MIT */
/* The content of an instance, from the text of INFO keyspace: a wrong parse would flush foreign data. */
#include "control.h"
#include "unit.h"

static uint64_t zero, others, other;

static void databases_are_told_apart(void)
{
    CHECK_SAME(control_keyspace("# Keyspace\r\n", &zero, &others, &other), 0);
    CHECK_SAME(zero + others + other, 0);
    CHECK_SAME(control_keyspace("# Keyspace\r\ndb0:keys=12,expires=0,avg_ttl=0\r\n", &zero, &others, &other), 0);
    CHECK(zero == 12 && others == 0);
    CHECK_SAME(control_keyspace("# Keyspace\r\ndb0:keys=12,expires=0\r\ndb7:keys=3,expires=3\r\ndb15:keys=4\r\n", &zero, &others, &other), 0);
    CHECK(zero == 12 && others == 7 && other == 7);
    CHECK_SAME(control_keyspace("# Keyspace\r\ndb10:keys=1\r\n", &zero, &others, &other), 0);
    CHECK(zero == 0 && others == 1 && other == 10);
}

static void what_is_no_such_text_is_refused(void)
{
    static const char *const bad[] = {"",
                                      "db0:keys=1",
                                      "# Stats\r\ndb0:keys=1\r\n",
                                      "# Keyspace\r\ndb0:keys=-1\r\n",
                                      "# Keyspace\r\ndb0:keys=\r\n",
                                      "# Keyspace\r\ndb:keys=1\r\n",
                                      "# Keyspace\r\ndb1 keys=1\r\n",
                                      "# Keyspace\r\ndb0:keys=99999999999999999999999\r\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_SAME(control_keyspace(bad[i], &zero, &others, &other), -1);
}

int main(void)
{
    TEST("databases are told apart, also those with two digits", databases_are_told_apart);
    TEST("what is no keyspace is refused", what_is_no_such_text_is_refused);
    return UNIT_END;
}
