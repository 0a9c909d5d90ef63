# The commands of this repository; "make help" lists them. The list of modules
# is read from go.work, the version from VERSION. What takes more than a line is
# a script in scripts/ or a program in internal/tools.

.DEFAULT_GOAL := build
.PHONY: help build run install test cover fuzz golden bench interop check fmt lint cross tidy generate bump release-check tag clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/pi: static, stripped, with the version from VERSION
	@scripts/build bin/pi

run: ## build and run pi; without a terminal the demo model describes this project
	@scripts/run

install: ## build pi and copy it to BINDIR (default: where go install puts commands)
	@scripts/install

test: ## run all tests of all modules, with the race detector where it works (PKG="./ai/..." TESTFLAGS="-count=1 -run X")
	@scripts/tool testrun test -pkg "$(PKG)" $(TESTFLAGS)

cover: ## run all tests with coverage and print it per module
	@scripts/tool testrun cover -pkg "$(PKG)" $(TESTFLAGS)

FUZZTIME ?= 10s
fuzz: ## run each fuzz test for FUZZTIME (default 10s; PKG as in test)
	@scripts/tool testrun fuzz -pkg "$(PKG)" -time $(FUZZTIME)

golden: ## rewrite the golden files of all packages that have some (PKG as in test)
	@scripts/tool testrun golden -pkg "$(PKG)"

bench: ## benchmarks: packages, package initialisation, and whole processes
	@scripts/bench $(BENCHFLAGS)

interop: ## install the public reference into .cache and run the tests against it (needs npm)
	@scripts/interop

check: ## format, vet, staticcheck, layering, versions, house rules, generated files, go.mod, init budget
	@scripts/check

fmt: ## format all Go files
	@scripts/format

lint: ## golangci-lint over all modules (builds it first, minutes)
	@scripts/lint

cross: ## vet and build for linux, darwin and windows on amd64 and arm64
	@scripts/cross

tidy: ## go mod tidy in every module, siblings from the tree
	@scripts/tool lockstep tidy

generate: ## run all generators
	@scripts/tool fresh -run

bump: ## set the version of all modules: make bump TO=0.2.0
	@scripts/tool lockstep bump "$(TO)"

release-check: ## rehearse a release: install and import every module from a local proxy
	@scripts/tool lockstep verify
	@scripts/tool lockstep rehearse

tag: ## print the tags of a release, in order, if everything is ready for it
	@scripts/tool lockstep tag

clean: ## remove bin/, dist/ and .cache/
	@rm -rf bin dist .cache
