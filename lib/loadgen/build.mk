# SPDX-License-Identifier: MIT
# How ./test, its unit tests, its fuzz target and its benchmark are built; included by the Makefile at the top.
#
#   HIREDIS_DIR=DIR   hiredis built in DIR (headers in DIR or DIR/hiredis or DIR/include/hiredis, library in DIR or DIR/lib)
#   REDIS_SRC=DIR     a built Redis source tree: its deps/hiredis
#   TLS=1             with TLS, which needs hiredis 1.0 or newer with hiredis_ssl
#   WERROR=1          warnings are errors
#   FUZZ_SECONDS=60   how long check-fuzz runs

LOADGEN_DIR := lib/loadgen
LOADGEN_OUT := build/loadgen
LOADGEN_SRC := $(wildcard $(LOADGEN_DIR)/*.c)
LOADGEN_OBJ := $(LOADGEN_SRC:$(LOADGEN_DIR)/%.c=$(LOADGEN_OUT)/%.o)

CC ?= gcc
LOADGEN_WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
LOADGEN_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g $(LOADGEN_WARN) -fopenmp -I$(LOADGEN_DIR) $(CFLAGS)
FUZZ_SECONDS ?= 60

ifdef REDIS_SRC
HIREDIS_DIR := $(REDIS_SRC)/deps/hiredis
endif
ifdef HIREDIS_DIR
HIREDIS_H := $(firstword $(wildcard $(addsuffix /hiredis.h,$(HIREDIS_DIR) $(HIREDIS_DIR)/hiredis $(HIREDIS_DIR)/include/hiredis)))
HIREDIS_A := $(firstword $(wildcard $(addsuffix /libhiredis.a,$(HIREDIS_DIR) $(HIREDIS_DIR)/lib)))
HIREDIS_SSL_A := $(firstword $(wildcard $(addsuffix /libhiredis_ssl.a,$(HIREDIS_DIR) $(HIREDIS_DIR)/lib)))
HIREDIS_CFLAGS := $(if $(HIREDIS_H),-I$(patsubst %/,%,$(dir $(HIREDIS_H))))
HIREDIS_LIBS := $(if $(TLS),$(HIREDIS_SSL_A) $(HIREDIS_A) -lssl -lcrypto,$(HIREDIS_A))
HIREDIS_FOUND := $(if $(HIREDIS_H),$(if $(HIREDIS_A),$(if $(TLS),$(HIREDIS_SSL_A),yes)))
HIREDIS_MISSING := no $(if $(TLS),libhiredis_ssl.a and )hiredis.h and libhiredis.a in $(HIREDIS_DIR) (build it there with make$(if $(TLS), USE_SSL=1))
else
HIREDIS_PC := hiredis $(if $(TLS),hiredis_ssl openssl)
HIREDIS_FOUND := $(shell pkg-config --exists $(HIREDIS_PC) 2>/dev/null && echo yes)
HIREDIS_CFLAGS := $(shell pkg-config --cflags $(HIREDIS_PC) 2>/dev/null)
HIREDIS_LIBS := $(shell pkg-config --libs $(HIREDIS_PC) 2>/dev/null)
HIREDIS_MISSING := pkg-config finds no $(if $(TLS),hiredis 1.0 with hiredis_ssl,hiredis): install libhiredis-dev (hiredis-devel), or give HIREDIS_DIR= or REDIS_SRC=
endif
LOADGEN_CFLAGS += $(HIREDIS_CFLAGS) $(if $(TLS),-DLOADGEN_TLS)
LOADGEN_LIBS := $(HIREDIS_LIBS) -lz -lm -lpthread

# Objects are made again when how they are made has changed.
LOADGEN_STAMP := $(LOADGEN_OUT)/flags
$(shell mkdir -p $(LOADGEN_OUT); echo '$(CC) $(LOADGEN_CFLAGS) $(LOADGEN_LIBS)' | cmp -s - $(LOADGEN_STAMP) || echo '$(CC) $(LOADGEN_CFLAGS) $(LOADGEN_LIBS)' >$(LOADGEN_STAMP))

.PHONY: loadgen-hiredis
loadgen-hiredis:
	@$(if $(HIREDIS_FOUND),:,echo '$(HIREDIS_MISSING)' >&2; exit 1)

test: $(LOADGEN_OUT)/main.o $(LOADGEN_OBJ) ## build the load generator, ./test
	$(CC) -fopenmp $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LOADGEN_LIBS)

$(LOADGEN_OUT)/main.o: test.c $(LOADGEN_STAMP) | loadgen-hiredis
	$(CC) $(LOADGEN_CFLAGS) -MMD -c -o $@ $<

$(LOADGEN_OUT)/%.o: $(LOADGEN_DIR)/%.c $(LOADGEN_STAMP) | loadgen-hiredis
	$(CC) $(LOADGEN_CFLAGS) -MMD -c -o $@ $<

-include $(wildcard $(LOADGEN_OUT)/*.d)

# Unit tests, with what they test built again under the sanitizers.
UNIT_OUT := build/unit
UNIT_TESTS := $(patsubst tests/unit/%_test.c,%,$(wildcard tests/unit/*_test.c))
UNIT_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g $(LOADGEN_WARN) -fsanitize=address,undefined -fno-sanitize-recover=all -I$(LOADGEN_DIR)
UNIT_SRC := $(addprefix $(LOADGEN_DIR)/,hist.c hlog.c resp.c keys.c values.c command.c number.c pacer.c options.c output.c recorder.c)
UNIT_OBJ := $(UNIT_SRC:$(LOADGEN_DIR)/%.c=$(UNIT_OUT)/%.o)
UNIT_DEPS := tests/unit/unit.h $(wildcard $(LOADGEN_DIR)/*.h)

$(UNIT_OUT)/%.o: $(LOADGEN_DIR)/%.c $(UNIT_DEPS)
	@mkdir -p $(UNIT_OUT)
	$(CC) $(UNIT_CFLAGS) -c -o $@ $<

$(UNIT_OUT)/%_test: tests/unit/%_test.c $(UNIT_OBJ) $(UNIT_DEPS)
	$(CC) $(UNIT_CFLAGS) -o $@ $< $(UNIT_OBJ) -lz -lm -lpthread

.PHONY: check-unit check-fuzz bench
.SECONDARY: $(UNIT_OBJ)
check-unit: $(UNIT_TESTS:%=$(UNIT_OUT)/%_test) ## unit tests of the load generator, under ASan and UBSan
	@status=0; for t in $(UNIT_TESTS); do echo "# $$t"; $(UNIT_OUT)/$${t}_test || status=1; done; exit $$status

FUZZ_CC ?= clang
check-fuzz: ## fuzz the RESP scanner for FUZZ_SECONDS=60
	@command -v $(FUZZ_CC) >/dev/null || { echo 'check-fuzz needs clang with libFuzzer' >&2; exit 1; }
	@mkdir -p $(UNIT_OUT)/corpus
	$(FUZZ_CC) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I$(LOADGEN_DIR) -o $(UNIT_OUT)/resp_fuzz tests/unit/resp_fuzz.c $(LOADGEN_DIR)/resp.c
	$(UNIT_OUT)/resp_fuzz -verbosity=0 -max_total_time=$(FUZZ_SECONDS) -timeout=5 -max_len=4096 -print_final_stats=1 -artifact_prefix=$(UNIT_OUT)/ -dict=tests/unit/resp.dict $(UNIT_OUT)/corpus

bench: test ## client CPU per operation beside redis-benchmark, on a private Redis
	@tests/bench/client-cpu.sh

# A Python with a reader of HdrHistogram files, for the tests.
build/venv/bin/python:
	python3 -m venv build/venv
	build/venv/bin/pip -q --disable-pip-version-check install hdrhistogram
