# SPDX-License-Identifier: MIT
# Build membench, which measures and loads memory; included by the top Makefile. membench needs no library.

MEMBENCH_DIR := lib/membench
MEMBENCH_OUT := build/membench
MEMBENCH_OBJ := $(patsubst $(MEMBENCH_DIR)/%.c,$(MEMBENCH_OUT)/%.o,$(wildcard $(MEMBENCH_DIR)/*.c)) $(MEMBENCH_OUT)/number.o
# -O2 without -march: the program runs on every CPU of the architecture.
MEMBENCH_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g $(LOADGEN_WARN) -I$(MEMBENCH_DIR) -I$(LOADGEN_DIR) $(CFLAGS)

.PHONY: membench
membench: $(MEMBENCH_OUT)/membench ## build membench, which doctor --probe and NEIGHBOUR run on the server

# As the load generator is linked.
$(MEMBENCH_OUT)/membench: $(MEMBENCH_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $(@D)/linked $^ -lm -lpthread
	@mv -f $(@D)/linked $@

$(MEMBENCH_OUT)/%.o: $(MEMBENCH_DIR)/%.c $(wildcard $(MEMBENCH_DIR)/*.h)
	@mkdir -p $(MEMBENCH_OUT)
	$(CC) $(MEMBENCH_CFLAGS) -c -o $@ $<

$(MEMBENCH_OUT)/number.o: $(LOADGEN_DIR)/number.c $(LOADGEN_DIR)/number.h
	@mkdir -p $(MEMBENCH_OUT)
	$(CC) $(MEMBENCH_CFLAGS) -c -o $@ $<
