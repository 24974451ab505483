# SPDX-License-Identifier: MIT
# Rules to build ./test, its unit tests, its fuzz target and its benchmark; included by the top-level Makefile.
#
# hiredis is linked statically where there is a static library, so that a copy of ./test also starts on hosts with another release of it.
#
#   HIREDIS_DIR=DIR   hiredis built in DIR (headers in DIR or DIR/hiredis or DIR/include/hiredis, library in DIR or DIR/lib)
#   REDIS_SRC=DIR     a built Redis source tree: its deps/hiredis
#   TLS=1             with TLS, which requires OpenSSL 1.1 or newer
#   WERROR=1          warnings are errors
#   FUZZ_RUNS=200000  inputs that check-fuzz tries on each target
#   FUZZ_SECONDS=60   how long it tries instead

LOADGEN_DIR := lib/loadgen
LOADGEN_OUT := build/loadgen
LOADGEN_SRC := $(wildcard $(LOADGEN_DIR)/*.c)
LOADGEN_OBJ := $(LOADGEN_SRC:$(LOADGEN_DIR)/%.c=$(LOADGEN_OUT)/%.o)

CC ?= gcc
LOADGEN_WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
LOADGEN_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g $(LOADGEN_WARN) -fopenmp -I$(LOADGEN_DIR) $(CFLAGS)
FUZZ_RUNS ?= 200000

ifdef REDIS_SRC
HIREDIS_DIR := $(REDIS_SRC)/deps/hiredis
endif
ifdef HIREDIS_DIR
HIREDIS_H := $(firstword $(wildcard $(addsuffix /hiredis.h,$(HIREDIS_DIR) $(HIREDIS_DIR)/hiredis $(HIREDIS_DIR)/include/hiredis)))
HIREDIS_A := $(firstword $(wildcard $(addsuffix /libhiredis.a,$(HIREDIS_DIR) $(HIREDIS_DIR)/lib)))
HIREDIS_CFLAGS := $(if $(HIREDIS_H),-I$(patsubst %/,%,$(dir $(HIREDIS_H))))
HIREDIS_LIBS := $(HIREDIS_A)
HIREDIS_FOUND := $(if $(HIREDIS_H),$(if $(HIREDIS_A),yes))
HIREDIS_MISSING := no hiredis.h and libhiredis.a in $(HIREDIS_DIR) (build it there with make)
else
HIREDIS_FOUND := $(shell pkg-config --exists hiredis 2>/dev/null && echo yes)
HIREDIS_CFLAGS := $(shell pkg-config --cflags hiredis 2>/dev/null)
# The static library must be of the same release as the headers: where pkg-config names a directory, that of the compiler is another one.
HIREDIS_A := $(or $(patsubst -L%,%/libhiredis.a,$(shell pkg-config --libs-only-L hiredis 2>/dev/null)),$(shell $(CC) -print-file-name=libhiredis.a))
HIREDIS_LIBS := $(or $(wildcard $(HIREDIS_A)),$(shell pkg-config --libs hiredis 2>/dev/null))
HIREDIS_MISSING := pkg-config finds no hiredis: install libhiredis-dev (hiredis-devel), or give HIREDIS_DIR= or REDIS_SRC=
endif
ifdef TLS
TLS_FOUND := $(shell pkg-config --exists openssl 2>/dev/null && echo yes)
TLS_CFLAGS := -DLOADGEN_TLS $(shell pkg-config --cflags openssl 2>/dev/null)
TLS_LIBS := $(shell pkg-config --libs openssl 2>/dev/null)
else
TLS_FOUND := yes
endif
LOADGEN_CFLAGS += $(HIREDIS_CFLAGS) $(TLS_CFLAGS)
LOADGEN_LIBS := $(HIREDIS_LIBS) $(TLS_LIBS) -lz -lm -lpthread

# Objects are rebuilt when their flags have changed, apart from -Werror, which does not change them.
LOADGEN_STAMP := $(LOADGEN_OUT)/flags
LOADGEN_FLAGS := $(CC) $(filter-out -Werror,$(LOADGEN_CFLAGS)) $(LOADGEN_LIBS)
$(shell mkdir -p $(LOADGEN_OUT); echo '$(LOADGEN_FLAGS)' | cmp -s - $(LOADGEN_STAMP) || echo '$(LOADGEN_FLAGS)' >$(LOADGEN_STAMP))

.PHONY: loadgen-hiredis
loadgen-hiredis:
	@$(if $(HIREDIS_FOUND),:,echo '$(HIREDIS_MISSING)' >&2; exit 1)
	@$(if $(TLS_FOUND),:,echo 'pkg-config finds no openssl: install libssl-dev (openssl-devel), or build without TLS=1' >&2; exit 1)

# In addition to ./test, for runs with TLS=on.
.PHONY: tls
tls: ## build the load generator with TLS, build/tls/test
	@$(MAKE) --no-print-directory TLS=1 LOADGEN_OUT=build/tls build/tls/test

# The linker removes its output first: a run that starts at that moment must find a program.
test $(LOADGEN_OUT)/test: $(LOADGEN_OUT)/main.o $(LOADGEN_OBJ) ## build the load generator, ./test
	$(CC) -fopenmp $(CFLAGS) $(LDFLAGS) -o $(LOADGEN_OUT)/linked $^ $(LOADGEN_LIBS)
	@mv -f $(LOADGEN_OUT)/linked $@

$(LOADGEN_OUT)/main.o: test.c $(LOADGEN_STAMP) | loadgen-hiredis
	$(CC) $(LOADGEN_CFLAGS) -MMD -MP -c -o $@ $<

$(LOADGEN_OUT)/%.o: $(LOADGEN_DIR)/%.c $(LOADGEN_STAMP) | loadgen-hiredis
	$(CC) $(LOADGEN_CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(LOADGEN_OUT)/*.d)

# Unit tests, with the tested modules rebuilt with the sanitizers; -g1 has the lines of a report, and takes a quarter less time than -g.
UNIT_OUT := build/unit
UNIT_TESTS := $(patsubst tests/unit/%_test.c,%,$(wildcard tests/unit/*_test.c))
UNIT_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O0 -g1 $(LOADGEN_WARN) -fsanitize=address,undefined -fno-sanitize-recover=all -I$(LOADGEN_DIR) -Ilib/membench $(HIREDIS_CFLAGS)
UNIT_SRC := $(addprefix $(LOADGEN_DIR)/,hist.c hlog.c resp.c replies.c keys.c zipf.c pattern.c sizes.c values.c compressible.c command.c command_mix.c mix.c kinds.c answer.c number.c adds.c pacer.c schedule.c options.c options_base.c options_finish.c options_sizes.c output.c recorder.c cpus.c conn.c receive.c closed.c openloop.c draw.c flush.c worker.c cluster.c nodes.c slots.c gaps.c target.c windows.c control.c gate.c link.c endpoint.c tls.c)
UNIT_SRC += $(addprefix $(LOADGEN_DIR)/,trace.c trace_text.c trace_build.c trace_rank.c trace_parse.c trace_monitor.c command_trace.c replay.c options_trace.c record.c)
UNIT_OBJ := $(UNIT_SRC:$(LOADGEN_DIR)/%.c=$(UNIT_OUT)/%.o)
UNIT_OBJ += $(addprefix $(UNIT_OUT)/membench/,chase.o room.o stream.o watch.o spread.o hold.o)
UNIT_DEPS := tests/unit/unit.h $(wildcard $(LOADGEN_DIR)/*.h lib/membench/*.h)

$(UNIT_OUT)/%.o: $(LOADGEN_DIR)/%.c $(UNIT_DEPS)
	@mkdir -p $(UNIT_OUT)
	$(CC) $(UNIT_CFLAGS) -c -o $@ $<

$(UNIT_OUT)/membench/%.o: lib/membench/%.c $(UNIT_DEPS)
	@mkdir -p $(UNIT_OUT)/membench
	$(CC) $(UNIT_CFLAGS) -c -o $@ $<

$(UNIT_OUT)/%_test: tests/unit/%_test.c $(UNIT_OBJ) $(UNIT_DEPS)
	$(CC) $(UNIT_CFLAGS) -o $@ $< $(UNIT_OBJ) $(HIREDIS_LIBS) -lz -lm -lpthread

.PHONY: check-unit check-fuzz bench bench-truth
.SECONDARY: $(UNIT_OBJ)
check-unit: $(UNIT_TESTS:%=$(UNIT_OUT)/%_test) ## unit tests of the load generator, under ASan and UBSan
	@status=0; for t in $(UNIT_TESTS); do echo "# $$t"; $(UNIT_OUT)/$${t}_test || status=1; done; exit $$status

FUZZ_CC ?= clang
FUZZ_CFLAGS := -std=gnu11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I$(LOADGEN_DIR)
FUZZ_FLAGS = -verbosity=0 $(if $(FUZZ_SECONDS),-max_total_time=$(FUZZ_SECONDS),-runs=$(FUZZ_RUNS)) -timeout=5 -max_len=4096 -print_final_stats=1 -artifact_prefix=$(UNIT_OUT)/
check-fuzz: ## fuzz the RESP scanner and the reader of CLUSTER NODES: FUZZ_RUNS=200000 inputs each
	@command -v $(FUZZ_CC) >/dev/null || { echo 'check-fuzz needs clang with libFuzzer' >&2; exit 1; }
	@mkdir -p $(UNIT_OUT)/corpus $(UNIT_OUT)/corpus-nodes
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $(UNIT_OUT)/resp_fuzz tests/unit/resp_fuzz.c $(LOADGEN_DIR)/resp.c
	$(UNIT_OUT)/resp_fuzz $(FUZZ_FLAGS) -dict=tests/unit/resp.dict $(UNIT_OUT)/corpus tests/fixtures/fuzz/resp
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $(UNIT_OUT)/nodes_fuzz tests/unit/nodes_fuzz.c $(addprefix $(LOADGEN_DIR)/,nodes.c slots.c number.c) -lm
	$(UNIT_OUT)/nodes_fuzz $(FUZZ_FLAGS) -dict=tests/unit/nodes.dict $(UNIT_OUT)/corpus-nodes tests/fixtures/fuzz/nodes

bench: test ## client CPU per operation, compared with other generators and a floor, on a private Redis
	@tests/bench/client-cpu.sh

bench-truth: test ## errors of what load generators print about servers with known delays (docs/truth.md)
	@-tools/releases.sh benchmark-trixie benchmark-sid
	@tests/truth/run.sh

# A Python with a reader of HdrHistogram files, for the tests.
build/venv/bin/python:
	python3 -m venv build/venv && build/venv/bin/pip -q --disable-pip-version-check install hdrhistogram || { rm -rf build/venv; exit 1; }
