# keybackup: what one may want to do with it. `make` alone lists it.
#
# Works on Debian with Swift, Git and Make; scripts/setup installs the rest, for
# `make setup`, `make demo`, `make demo-guards` and `make test` only. Everything else checks and says
# what is missing.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# `make demo KEY=real` uses the plugged-in security key instead of a simulated one.
KEY ?= simulated

# The programs as they are released, in .build/release. The first one starts the others.
RELEASE = SWIFT="$(SWIFT)" scripts/release-build keybackup && \
  SWIFT="$(SWIFT)" scripts/release-build keybackup-foreign && \
  SWIFT="$(SWIFT)" scripts/release-build keybackup-nostr && \
  SWIFT="$(SWIFT)" scripts/release-build keybackup-guard-commands
GUARD_RELEASE = SWIFT="$(SWIFT)" scripts/release-build keybackup-guard

FORMATTED = Package.swift Sources Tests Guards/Package.swift Guards/Sources Guards/Tests Benchmarks/Package.swift \
  Benchmarks/Benchmarks Examples/Package.swift Examples/Sources

share = $(DESTDIR)$(PREFIX)/share
# Programs that keybackup starts.
LIBEXEC = $(DESTDIR)$(PREFIX)/libexec/keybackup
COMPLETIONS_BASH = $(share)/bash-completion/completions
COMPLETIONS_ZSH = $(share)/zsh/site-functions
COMPLETIONS_FISH = $(share)/fish/vendor_completions.d
# Units are installed and never enabled.
USER_UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/user
SYSTEM_UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/system
EXAMPLE_UNITS = $(share)/doc/keybackup/examples
# Where `make build` leaves them.
COMPLETIONS = .build/completions
# The manual pages, below share/man in a folder for each section.
MAN = .build/man
# One program with all commands, also those of the programs that keybackup runs: it is not installed.
ALL_COMMANDS = .build/release/all-commands
MAN_PAGES = SWIFT="$(SWIFT)" scripts/release-build all-commands && scripts/man-pages $(ALL_COMMANDS) $(MAN)

.DEFAULT_GOAL := help
.PHONY: help setup check demo demo-guards test hardware-test lint format build man install install-udev-rule uninstall examples docs fuzz fuzz-formats crash-test model bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## install the Debian packages and Python tools that are missing
	@scripts/setup

# Everything that developing needs is there, or is named.
check:
	@scripts/setup --check

demo: ## watch the whole job, on a simulated security key (KEY=real: on yours)
	@scripts/setup demo
	@KEY=$(KEY) scripts/demo

demo-guards: ## watch a PIN and a login open a backup, with three guards
	@scripts/setup demo-guards
	@scripts/demo-guards

test: setup lint ## lint, build and run every test
	# The tests of the command run what is installed, not the debug build.
	@export KEYBACKUP_OPTIMISED=1; program=$$(SWIFT="$(SWIFT)" scripts/build-for-tests) && \
	  KEYBACKUP_TEST_PROGRAM="$$program" SWIFT="$(SWIFT)" scripts/test

hardware-test: ## try your own security key: asks first, leaves it as it was (DEVICE=path)
	@scripts/setup --check demo
	@$(SWIFT) build --product device-suite
	@.build/debug/device-suite hardware $(if $(DEVICE),--device "$(DEVICE)")

lint: ## check the format of every Swift file, the layout of Sources, and the words
	$(SWIFT) format lint --strict --recursive $(FORMATTED)
	@scripts/check-links
	@scripts/check-house
	@scripts/check-words --self-test
	@scripts/check-words

format: ## put every Swift file into the format that lint checks
	$(SWIFT) format --in-place --recursive $(FORMATTED)

build: ## the release build: .build/release/keybackup and its other programs, shell completions, manual pages
	@scripts/setup --check build
	$(RELEASE)
	$(MAN_PAGES)
	@mkdir -p $(COMPLETIONS)
	@for shell in bash zsh fish; do \
	  $(ALL_COMMANDS) --generate-completion-script $$shell >$(COMPLETIONS)/$$shell || exit; done
	$(GUARD_RELEASE)
	@mkdir -p $(COMPLETIONS)/guard
	@for shell in bash zsh fish; do \
	  .build/guard/release/keybackup-guard --generate-completion-script $$shell >$(COMPLETIONS)/guard/$$shell || exit; done

man: ## the manual pages, in .build/man (make build makes them too)
	@scripts/setup --check build
	$(MAN_PAGES)

install: ## put what `make build` built under PREFIX (/usr/local), with completions and manual pages
	@[ -e $(COMPLETIONS)/fish ] && [ -e $(COMPLETIONS)/guard/fish ] && [ -e $(MAN)/keybackup.1 ] || { echo "keybackup is not built yet. Run: make build" >&2; exit 1; }
	install -D -m 755 -s .build/release/keybackup $(DESTDIR)$(PREFIX)/bin/keybackup
	install -D -m 755 -s -t $(LIBEXEC) .build/release/keybackup-foreign .build/release/keybackup-nostr \
	  .build/release/keybackup-guard-commands
	install -D -m 644 $(COMPLETIONS)/bash $(COMPLETIONS_BASH)/keybackup
	install -D -m 644 $(COMPLETIONS)/zsh $(COMPLETIONS_ZSH)/_keybackup
	install -D -m 644 $(COMPLETIONS)/fish $(COMPLETIONS_FISH)/keybackup.fish
	@for page in $(MAN)/*; do \
	  install -D -m 644 "$$page" "$(share)/man/man$${page##*.}/$${page##*/}" || exit; done
	install -D -m 755 -s .build/guard/release/keybackup-guard $(DESTDIR)$(PREFIX)/bin/keybackup-guard
	install -D -m 644 debian/keybackup-guard.8 $(share)/man/man8/keybackup-guard.8
	install -D -m 644 $(COMPLETIONS)/guard/bash $(COMPLETIONS_BASH)/keybackup-guard
	install -D -m 644 $(COMPLETIONS)/guard/zsh $(COMPLETIONS_ZSH)/_keybackup-guard
	install -D -m 644 $(COMPLETIONS)/guard/fish $(COMPLETIONS_FISH)/keybackup-guard.fish
	@mkdir -p $(USER_UNITS) $(SYSTEM_UNITS) $(EXAMPLE_UNITS)
	sed 's|/usr/bin/keybackup|$(PREFIX)/bin/keybackup|' systemd/keybackup-guard.service >'$(SYSTEM_UNITS)/keybackup-guard.service'
	@# The program is where it was installed.
	sed 's|/usr/bin/keybackup|$(PREFIX)/bin/keybackup|' 'systemd/keybackup-watch@.service' >'$(USER_UNITS)/keybackup-watch@.service'
	sed 's|/usr/bin/keybackup|$(PREFIX)/bin/keybackup|' systemd/examples/keybackup-watch-lnd.service >$(EXAMPLE_UNITS)/keybackup-watch-lnd.service

install-udev-rule: ## let the person at this computer use security keys, where no rule does yet
	install -D -m 644 udev-rules/70-keybackup.rules $(DESTDIR)/etc/udev/rules.d/70-keybackup.rules
	@if [ -z "$(DESTDIR)" ] && [ -e /run/udev/control ]; then \
	  udevadm control --reload && udevadm trigger --subsystem-match=hidraw; fi

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/keybackup $(COMPLETIONS_BASH)/keybackup \
	  $(COMPLETIONS_ZSH)/_keybackup $(COMPLETIONS_FISH)/keybackup.fish
	rm -f $(share)/man/man1/keybackup.1 $(share)/man/man1/keybackup-*.1 $(share)/man/man8/keybackup-guard.8 \
	  $(share)/man/man5/keybackup.5 $(share)/man/man7/keybackup-format.7
	rm -rf $(LIBEXEC)
	rm -f $(DESTDIR)$(PREFIX)/bin/keybackup-guard $(COMPLETIONS_BASH)/keybackup-guard \
	  $(COMPLETIONS_ZSH)/_keybackup-guard $(COMPLETIONS_FISH)/keybackup-guard.fish
	rm -f '$(USER_UNITS)/keybackup-watch@.service' $(EXAMPLE_UNITS)/keybackup-watch-lnd.service
	rm -f $(SYSTEM_UNITS)/keybackup-guard.service

.PHONY: package-parts deb dist reproducible try-clone try-packages try-newcomer try-dist

# What debian/*.install name.
package-parts: build
	SWIFT="$(SWIFT)" scripts/release-build virtual-key
	@mkdir -p .build/package/bash
	@# It is sourced, never run: without the line that names a shell.
	@sed '1{/^#!/d}' $(COMPLETIONS)/bash >.build/package/bash/keybackup
	@install -D -m 644 $(COMPLETIONS)/zsh .build/package/zsh/_keybackup
	@install -D -m 644 $(COMPLETIONS)/fish .build/package/fish/keybackup.fish
	@mkdir -p .build/package/guard/bash
	@sed '1{/^#!/d}' $(COMPLETIONS)/guard/bash >.build/package/guard/bash/keybackup-guard
	@install -D -m 644 $(COMPLETIONS)/guard/zsh .build/package/guard/zsh/_keybackup-guard
	@install -D -m 644 $(COMPLETIONS)/guard/fish .build/package/guard/fish/keybackup-guard.fish

deb: ## the Debian packages: .build/deb (scripts/setup packages; MAINTAINER=)
	@scripts/setup --check packages
	SWIFT="$(SWIFT)" scripts/deb
	lintian --fail-on error,warning .build/deb/*.changes

dist: ## a release: source archive, packages, checksums (KEY=path signs, MAINTAINER=), in .build/dist
	@scripts/setup --check packages
	@SWIFT="$(SWIFT)" scripts/dist $(if $(filter-out simulated,$(KEY)),"$(KEY)")

reproducible: ## build a release twice, elsewhere and later, and compare the bytes (long)
	@scripts/setup --check packages
	@SWIFT="$(SWIFT)" scripts/reproducible

try-clone: ## run both commands for developers in a fresh Debian (root, long)
	@scripts/setup --check packages
	@SWIFT="$(SWIFT)" scripts/try-clone

try-packages: ## install, use, upgrade and purge the packages in a fresh Debian (SUITE=; root)
	@scripts/setup --check packages
	@SWIFT="$(SWIFT)" scripts/try-packages $(SUITE)

try-newcomer: ## do what README's first screen says, in a fresh Debian (root)
	@scripts/setup --check packages
	@scripts/try-newcomer

try-dist: ## make a release with a key of its own, and check it as docs/releases.md says
	@scripts/setup --check packages
	@SWIFT="$(SWIFT)" scripts/try-dist

examples: ## build the sample programs that use the libraries (Examples)
	@scripts/setup --check build
	@SWIFT="$(SWIFT)" scripts/build-samples

docs: ## the libraries' documentation, as pages in .build/docs
	@scripts/setup --check build
	@SWIFT="$(SWIFT)" scripts/build-docs

fuzz: check ## fuzz the way to a security key (SECONDS_TO_RUN=600 RUNS=-1 WORKERS=1)
	@scripts/fuzz

fuzz-formats: check ## fuzz the decoders of a backup folder's files (RUNS=1000000 for each)
	@scripts/fuzz-formats

model: check ## play random histories of a shared folder (HISTORIES=1000 SEED=random)
	$(SWIFT) build --product folder-model
	@.build/debug/folder-model --histories $(or $(HISTORIES),1000) $(if $(SEED),--seed $(SEED))
	$(SWIFT) build --product silent-writer-model
	@.build/debug/silent-writer-model --histories $(or $(HISTORIES),1000) $(if $(SEED),--seed $(SEED))
	$(SWIFT) build --product log-state-check
	@python3 -B Tests/fold/compare.py .build/debug/log-state-check exhaustive $(or $(HISTORIES),1000)
	@python3 -B Tests/fold/compare.py .build/debug/log-state-check random $(or $(HISTORIES),1000) $(or $(SEED),1)

crash-test: check ## kill at every system call, also those that change no file (long)
	$(SWIFT) build --build-tests
	KEYBACKUP_TEST_EVERY_CALL=1 $(SWIFT) test --skip-build --filter 'CrashPointTests|CrashedCommandTests'

bench: check ## measure; prints the tables of docs/performance.md
	@Benchmarks/run

clean: ## remove everything that was built
	rm -rf .build .build-python Guards/.build Benchmarks/.build
