# SPDX-License-Identifier: MIT
# Builds the load generator, sets a machine up, and runs the tests; `make help` lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=

# `test` is the load generator itself (its name is part of the interface), so the tests are `make check`.
.DEFAULT_GOAL := test

# The rules of the load generator: test, check-unit, check-fuzz, bench.
-include lib/loadgen/build.mk
-include lib/membench/build.mk

.PHONY: docs help deps deps-check demo check check-all check-qemu check-qemu-long check-lab check-packages dist deb rpm image check-faults check-mutants lint format clean install uninstall

# The help is the text behind `##` on a target's own line, here and in build.mk, so that it is in one place.
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what a run needs and is missing
	@tools/deps.sh run

deps-check: ## install what a run or the tests need and is missing
	@tools/deps.sh check

# A separate make for the build: build.mk calls pkg-config while it is read, which is before deps has run.
demo: ## set up, build, and compare DRAM with compressed memory or swap on 127.0.0.1, as root
	@tools/deps.sh run
	@echo 'building the load generator'
	@$(MAKE) -s --no-print-directory test
	@tools/demo.sh

check: ## set up, lint, build, and run every test; the last line is the result
	@tools/deps.sh check
	@tests/run.sh

check-all: ## make check and make check-qemu at the same time
	@tools/deps.sh check
	@tools/deps.sh qemu
	@tests/run.sh all

# Groups of tests/qemu/checks; empty: placement.
CHECKS ?=

check-qemu: ## what needs a slow memory node and cgroups of version 2, in an emulated machine (minutes)
	@tools/deps.sh qemu
	@$(MAKE) --no-print-directory test
	@tests/qemu/run.sh $(CHECKS)

check-qemu-long: ## nodes, policies, DAMON, searches for the min DRAM and a slow device, in the emulated machine, with nothing beside it (minutes)
	@$(MAKE) --no-print-directory check-qemu CHECKS='nodes policies damon search device'

check-lab: ## boots, CXL, NIC queues and resets of real Debian guests, in emulated machines (45 minutes); CHECKS: some of tests/lab/checks
	@tools/deps.sh lab
	@$(MAKE) --no-print-directory test
	@tests/lab/run.sh $(CHECKS)

dist: ## make the archive of the last commit in build/packages, the same bytes each time
	@tools/package.sh dist

deb: ## make a package of the last commit in build/packages, for Debian and its kin
	@tools/deps.sh packages
	@tools/package.sh deb

rpm: ## make a package of the last commit in build/packages, for Fedora and its kin
	@tools/deps.sh packages
	@tools/package.sh rpm

image: ## make an image for containers from the last commit in build/packages, with Debian and the package in it
	@tools/deps.sh packages
	@tools/package.sh image

check-packages: ## install, upgrade, run and remove the packages in fresh roots of Debian (minutes)
	@tools/deps.sh packages
	@tests/packages/run.sh

check-mutants: test ## break the code on purpose, a line at a time, and run the tests that must notice
	@tools/mutate.sh

check-faults: test ## break runs on purpose for MINUTES (5), and look at what is left
	@tools/deps.sh check
	@tests/faults/run.sh

docs: ## draw the documentation's pictures, from the sample run and the calls between modules
	@./do_it.sh report results/sample
	@mkdir -p docs/pictures
	@cp results/sample/plots/bars-3.svg docs/pictures/throughput.svg
	@cp results/sample/plots/percentile-3-1.svg docs/pictures/percentiles.svg
	@cp results/sample/plots/time-1.svg docs/pictures/time.svg
	@cp results/sample/plots/far-1.svg docs/pictures/far.svg
	@tools/layers.sh >docs/pictures/layers.svg

lint: ## check the style of every shell and C file; changes nothing
	@tools/lint.sh check

# For tools/lint.sh: the compiler flags of a C file.
.PHONY: lint-flags
lint-flags:
	@echo '$(LOADGEN_CFLAGS) -I$(MEMBENCH_DIR)'

format: ## rewrite shell and C files in the house style
	@tools/lint.sh format

clean: ## remove what the build made; results stay
	rm -rf -- build test

# lib/, not share/: the tree contains a binary for this machine.
home = $(PREFIX)/lib/tierbench
manual = $(PREFIX)/share/man/man1
completion = $(PREFIX)/share/bash-completion/completions

install: test membench ## install under PREFIX (default /usr/local), below DESTDIR if given
	@install -d -- '$(DESTDIR)$(home)' '$(DESTDIR)$(PREFIX)/bin'
	@umask 022; { tools/files.sh && echo test; } | tar -cf - --owner=0 --group=0 --mode=u+rwX,go=rX --verbatim-files-from --files-from=- \
	  | tar -xf - --no-same-owner -C '$(DESTDIR)$(home)'
	@./do_it.sh --version | sed 's/.*(\(.*\))$$/\1/' >'$(DESTDIR)$(home)/lib/commit'
	@install -m 755 -- '$(MEMBENCH_OUT)/membench' '$(DESTDIR)$(home)/lib/membench/membench'
	@printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\n# Runs the installed tierbench with results in the current folder.\nTIERBENCH_RESULTS_DIR=$${TIERBENCH_RESULTS_DIR:-$$PWD/results} exec "%s/do_it.sh" "$$@"\n' '$(home)' \
	  > '$(DESTDIR)$(PREFIX)/bin/tierbench'
	@chmod 755 '$(DESTDIR)$(PREFIX)/bin/tierbench'
	@install -d -- '$(DESTDIR)$(manual)' '$(DESTDIR)$(completion)'
	@tools/man.sh > '$(DESTDIR)$(manual)/tierbench.1'
	@sed 's#:-/usr/local/lib/tierbench}#:-$(home)}#' tools/completion.bash > '$(DESTDIR)$(completion)/tierbench'
	@echo 'installed: $(DESTDIR)$(PREFIX)/bin/tierbench'

uninstall: ## remove what install put there
	rm -rf -- '$(DESTDIR)$(home)' '$(DESTDIR)$(PREFIX)/bin/tierbench' '$(DESTDIR)$(manual)/tierbench.1' '$(DESTDIR)$(completion)/tierbench'
