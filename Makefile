# keybackup: what one may want to do with it. `make` alone lists it.
#
# Works on Debian with Swift, Git and Make; scripts/setup installs the rest.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# `make demo KEY=real` uses the plugged-in security key instead of a simulated one.
KEY ?= simulated

# The Swift runtime goes into the program; libfido2 and the other C libraries
# stay shared, so that Debian's security updates reach them.
RELEASE = -c release --static-swift-stdlib

FORMATTED = Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Benchmarks

share = $(DESTDIR)$(PREFIX)/share
COMPLETIONS_BASH = $(share)/bash-completion/completions
COMPLETIONS_ZSH = $(share)/zsh/site-functions
COMPLETIONS_FISH = $(share)/fish/vendor_completions.d

.DEFAULT_GOAL := help
.PHONY: help setup demo test hardware-test lint format build install install-udev-rule uninstall fuzz fuzz-formats crash-test model bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## install the Debian packages and Python tools that are missing
	@scripts/setup

demo: ## watch the whole job, on a simulated security key (KEY=real: on yours)
	@scripts/setup build
	@KEY=$(KEY) scripts/demo

test: setup lint ## lint, build and run every test
	$(SWIFT) build --build-tests
	$(SWIFT) build $(RELEASE) --product keybackup
	# The tests of the command run what is installed, not the debug build.
	@KEYBACKUP_TEST_PROGRAM="$$($(SWIFT) build $(RELEASE) --show-bin-path)/keybackup" \
	  SWIFT="$(SWIFT)" scripts/test

hardware-test: ## try your own security key: asks first, leaves it as it was (DEVICE=path)
	@scripts/setup build
	@$(SWIFT) build --product device-suite
	@.build/debug/device-suite hardware $(if $(DEVICE),--device "$(DEVICE)")

lint: ## check the format of every Swift file
	$(SWIFT) format lint --strict --recursive $(FORMATTED)

format: ## put every Swift file into the format that lint checks
	$(SWIFT) format --in-place --recursive $(FORMATTED)

build: ## the release build: .build/release/keybackup
	@scripts/setup build
	$(SWIFT) build $(RELEASE) --product keybackup

install: build ## build and install under PREFIX (/usr/local), with shell completions
	install -D -m 755 -s .build/release/keybackup $(DESTDIR)$(PREFIX)/bin/keybackup
	install -d $(COMPLETIONS_BASH) $(COMPLETIONS_ZSH) $(COMPLETIONS_FISH)
	.build/release/keybackup --generate-completion-script bash >$(COMPLETIONS_BASH)/keybackup
	.build/release/keybackup --generate-completion-script zsh >$(COMPLETIONS_ZSH)/_keybackup
	.build/release/keybackup --generate-completion-script fish >$(COMPLETIONS_FISH)/keybackup.fish

install-udev-rule: ## let the person at this computer use security keys, where no rule does yet
	install -D -m 644 udev-rules/70-keybackup.rules $(DESTDIR)/etc/udev/rules.d/70-keybackup.rules
	@if [ -z "$(DESTDIR)" ] && [ -e /run/udev/control ]; then \
	  udevadm control --reload && udevadm trigger --subsystem-match=hidraw; fi

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/keybackup $(COMPLETIONS_BASH)/keybackup \
	  $(COMPLETIONS_ZSH)/_keybackup $(COMPLETIONS_FISH)/keybackup.fish

fuzz: setup ## fuzz the way to a security key (SECONDS_TO_RUN=600 RUNS=-1 WORKERS=1)
	@scripts/fuzz

fuzz-formats: setup ## fuzz the decoders of a backup folder's files (RUNS=1000000 for each)
	@scripts/fuzz-formats

model: setup ## play random histories of a shared folder (HISTORIES=1000 SEED=random)
	$(SWIFT) build --product folder-model
	@.build/debug/folder-model --histories $(or $(HISTORIES),1000) $(if $(SEED),--seed $(SEED))

crash-test: setup ## kill at every system call, also those that change no file (long)
	$(SWIFT) build --build-tests
	KEYBACKUP_TEST_EVERY_CALL=1 $(SWIFT) test --skip-build --filter 'CrashPointTests|CrashedCommandTests'

bench: setup ## measure; prints the tables of docs/performance.md
	@Benchmarks/run

clean: ## remove everything that was built
	rm -rf .build .build-python Benchmarks/.build
