# Airlock. `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

GOLANGCI_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
COMMIT := $(shell git describe --always --exclude='*' --abbrev=12 --dirty 2>/dev/null)
INIT := plugins/initbin/airlock-init-linux-amd64 plugins/initbin/airlock-init-linux-arm64
REMOTE := plugins/ssh/remotebin/airlock-remote-linux-amd64.gz plugins/ssh/remotebin/airlock-remote-linux-arm64.gz
REMOTE_SOURCES := $(shell find cmd/airlock-remote plugins -name '*.go' -not -name '*_test.go') $(wildcard plugins/bubblewrap/*.py plugins/probe/*.py) go.mod
INIT_SOURCES := $(wildcard cmd/airlock-init/*.go cmd/airlock-init/internal/*/*.go plugins/wire/*.go plugins/fdlink/*.go plugins/freezer/*.go plugins/netns/*.go plugins/rlimit/*.go plugins/roots/*.go plugins/landlock/*/*.go plugins/memusage/*.go plugins/procfs/*.go plugins/osthread/*.go plugins/template/*.go) go.mod
SOURCES := $(shell find app assets cmd plugins store views \( -name '*.go' -o -name '*.css' -o -name '*.js' -o -name '*.sql' -o -name '*.svg' -o -name '*.py' -o -name '*.pyi' -o -name '*.tmpl' \) -not -name '*_test.go' 2>/dev/null) go.mod

# What takes minutes to build is kept in the user's cache, for all clones: see also vault and s3server.
KEPT := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/airlock-tests
GOLANGCI := $(KEPT)/golangci-lint-$(GOLANGCI_VERSION)-$(shell go env GOVERSION 2>/dev/null)

# The race detector stays out of what has nothing for it to find and is five to ten times as slow
# with it: SQLite (C, translated, with locks of its own), Argon2, and redactor and matcher, whose tests of
# concurrent use have it on. With -trimpath a fresh clone finds what another has compiled.
MODULE := github.com/computclaw/airlock
RACE_FLAGS := -trimpath -race -gcflags='modernc.org/...=-race=false -d=checkptr=0' \
	-gcflags='golang.org/x/crypto/argon2=-race=false' -gcflags='golang.org/x/crypto/blake2b=-race=false'
RACE_NOT_REDACT := $(RACE_FLAGS) -gcflags='$(MODULE)/app/redact/...=-race=false' \
	-gcflags='$(MODULE)/app/match=-race=false'

# RACE_PACKAGES start goroutines or share something between them; their tests run with the race
# detector. TestRaceDetectorIsOn holds the list to the sources.
RACE_PACKAGES := ./app/audit/... ./app/auth ./app/backups ./app/conns ./app/credentials ./app/egress/... ./app/engine/... \
	./app/executions ./app/files/... ./app/guest/... ./app/leases ./app/live ./app/mcp ./app/retention ./app/runner/... ./app/sandbox \
	./app/scheduler ./app/secrets/... ./app/shares ./app/transfer/... ./app/web/... ./plugins ./plugins/bubblewrap \
	./plugins/docker ./plugins/freezer ./plugins/landlock/... ./plugins/osthread ./plugins/ssh/... ./plugins/stdio

# LONGEST take minutes; they start first, so that no processor waits for one of them at the end. Most of
# it they wait, so three of them run beside each other.
LONGEST := ./plugins/docker ./views ./app/web ./plugins/landlock ./plugins/ssh ./plugins/bubblewrap ./app/transfer ./app/engine \
	./cmd/airlock-bench ./app/guest ./app/runner

# RACE=1, as in .ci/run, has the race detector on for them: it compiles all that they use once more.
RACED = $(if $(RACE),$(RACE_PACKAGES))

# E2E are the tests of the whole program. LONG take minutes each and have targets of their own, all
# of which .ci/run runs.
E2E := ./cmd/airlock/internal/e2e
LONG := TestNothingAcceptedIsLost|TestNothingLeaks

# TAGS=vault,s3 adds the tests that need a real Vault or S3 server; MATRIX=1, as in .ci/run, adds what is
# the same code in another place: every hostile script and every ordinary program on every backend, files
# on every backend, all of the suite wherever backends go through it, each page in six looks, and the
# tests of MATRIX_ONLY: backends in containers, as other users and through a proxy, skills on Docker, each
# module that templates load, the image, the example's backend, clients from npm, the tables of the bench.
MATRIX_ONLY := TestHostileScriptsInContainer|TestBubblewrapInContainer|TestInContainer|TestConformanceThroughProxy|TestConformanceWithCapabilities|TestRealSkillsOnDocker|TestSkillsGetTheImageAndTheTimeThatTheyAskFor|TestModulesOfATemplateAreAsImported|TestImage|TestGeneratedClient|TestModelContextForeignClient|TestTables|TestLoadedModulesComputeTheSame|TestEssentials
SKIPPED = ^($(LONG)$(if $(MATRIX),,|$(MATRIX_ONLY)))$$
TAGS ?=
MATRIX ?=
RACE ?=
# Without symbols and debugging data a hundred test programs are linked in two thirds of the time.
# Without cgo, as the programs that they start are built, so that each package is compiled once.
GO_TEST := $(if $(MATRIX),SANDBOX_SUITE=all) CGO_ENABLED=0 go test -vet=off -ldflags='-s -w' -timeout 30m $(if $(TAGS),-tags $(TAGS))
GO_RACE := $(subst CGO_ENABLED=0,CGO_ENABLED=1,$(GO_TEST))

RUN_PACKAGES := bubblewrap python3 ca-certificates
TEST_PACKAGES := $(RUN_PACKAGES) gcc libc6-dev curl wget git nodejs default-jdk-headless netbase tzdata openssl protobuf-compiler procps iproute2 util-linux strace \
	python3-argon2 python3-cryptography sqlite3 python3-aiohttp python3-httpx python3-requests python3-urllib3 python3-psycopg2 python3-numpy python3-pandas python3-pil python3-yaml python3-lxml python3-openpyxl python3-bs4 python3-jinja2 postgresql chromium-headless-shell docker.io rootlesskit slirp4netns uidmap openssh-server systemd

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

.PHONY: demo
demo: run-packages build ## Start Airlock and walk the whole flow on real data; Ctrl-C ends it
	CGO_ENABLED=0 go build -o .bin/demo ./examples/demo
	@.bin/demo -airlock ./airlock

.PHONY: run
run: run-packages build ## Serve on port 9090 with the data in ./data
	./airlock serve

.PHONY: build
build: airlock ## Build ./airlock, one static file

airlock: $(INIT) $(REMOTE) $(SOURCES)
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X github.com/computclaw/airlock/cmd/airlock/internal/build.commit=$(COMMIT)" -o $@ ./cmd/airlock

plugins/initbin/airlock-init-linux-%: $(INIT_SOURCES)
	CGO_ENABLED=0 GOOS=linux GOARCH=$* go build -trimpath -buildvcs=false -ldflags "-s -w" -o $@ ./cmd/airlock-init

# Without the revision in it, so that only a changed program is uploaded again.
plugins/ssh/remotebin/airlock-remote-linux-%.gz: $(REMOTE_SOURCES)
	CGO_ENABLED=0 GOOS=linux GOARCH=$* go build -trimpath -buildvcs=false -ldflags "-s -w" -o $(@:.gz=) ./cmd/airlock-remote
	gzip -9nf $(@:.gz=)

.PHONY: init
init: $(INIT) $(REMOTE) ## Build what airlock carries inside: the guest's PID 1 and the program for SSH hosts. The tests need them too

.PHONY: test
test: test-packages init ## Run the tests that a change needs; ten minutes on two cores
	@$(MAKE) --no-print-directory -k -j$(if $(RACE),2,3) test-hostile test-e2e test-units

.PHONY: test-hostile
test-hostile: init ## Only the hostile scripts and the ordinary programs; MATRIX=1 runs all of both on all backends
	$(GO_TEST) -trimpath -count=1 $(E2E)/hostile $(E2E)/programs -skip '$(SKIPPED)' $(if $(MATRIX),-args -matrix)

.PHONY: test-units
test-units: init ## Only the tests of packages; RACE=1 has the race detector on for those of RACE_PACKAGES
	$(if $(RACE),$(GO_RACE) $(RACE_NOT_REDACT) $$(go list $(LONGEST) ./... | grep -xFf <(go list $(RACED))))
	$(if $(RACE),$(GO_RACE) $(RACE_FLAGS) -run 'ConcurrentUse|TogetherIsLikeAlone' ./app/redact)
	$(GO_TEST) -trimpath -p 3 -skip '$(SKIPPED)' $$(go list $(LONGEST) ./... | grep -vxFf <(go list $(RACED) $(E2E)/...))

.PHONY: test-e2e
test-e2e: init ## Only the tests of the whole program, without the hostile scripts
	$(GO_TEST) -trimpath -count=1 -skip '$(SKIPPED)' $(E2E)/recovery $(E2E)/cli $(E2E)/deploy $(E2E)/repo

.PHONY: test-servers
test-servers: vault s3server ## make test with the tests that need a real Vault or S3 server; compiles both, once
	@$(MAKE) --no-print-directory test TAGS=vault,s3

.PHONY: leaks
leaks: init ## Send secrets, also encoded, through every channel of the program, and search all that it shows and stores
	go test -count=1 -timeout 30m $(E2E)/hostile -run '^TestNothingLeaks$$'

.PHONY: vault
vault: ## Build the Vault server that tests run against, unless it is in the user's cache already; from nothing five minutes or more
	go run ./app/secrets/vault/vaulttest/build

.PHONY: accessibility
accessibility: ## Let axe-core look at every page in both themes at four widths; takes minutes
	PAGES_AXE=all go test -count=1 -timeout 30m -run TestPagesInABrowser ./views

SCREENSHOTS ?= .bin/screenshots
.PHONY: screenshots
screenshots: ## Leave a picture of every page in both themes at four widths in SCREENSHOTS=dir; takes minutes
	mkdir -p $(SCREENSHOTS)
	PAGES_SCREENSHOTS=$(abspath $(SCREENSHOTS)) go test -count=1 -timeout 30m -run 'TestPagesInABrowser|TestMoreOnAPhone' ./views

.PHONY: s3server
s3server: ## Build the S3 server that tests of backups use, once per version; takes some minutes
	go test -count=1 -timeout 30m ./app/blobs/s3test

.PHONY: check
check: lint generated test ## Format, lint, generated code, tests: before a commit

# What takes minutes or hours, each with as much as a night has time for.
.PHONY: release-check
release-check: ## Everything that is tested at all, as the nightly workflow does; some hours (root)
	$(MAKE) lint generated vulncheck vault s3server
	$(MAKE) test TAGS=vault,s3 MATRIX=1 RACE=1
	$(MAKE) leaks leftovers
	$(MAKE) crash ROUNDS=100
	$(MAKE) soak DURATION=10m
	$(MAKE) soak DURATION=10m SANDBOX=landlock
	$(MAKE) proof CASES=100000
	$(MAKE) reflections CASES=100000
	$(MAKE) fuzz FUZZ=20s
	$(MAKE) accessibility large-bodies
	$(MAKE) lists EXECUTIONS=100000
	$(MAKE) retention REMOVED=100000
	$(MAKE) image-test sandbox-image-test pythons reproducible
	$(MAKE) unlucky-stops

.PHONY: lint
lint: $(GOLANGCI) init ## Format and lint, the import arrows among it
	CGO_ENABLED=0 GOFLAGS=-trimpath $(GOLANGCI) run --allow-parallel-runners ./...

.PHONY: vulncheck
vulncheck: init .bin/govulncheck-$(GOVULNCHECK_VERSION) ## Look for known holes in what is called; an error if the database of holes can't be reached
	@.ci/vulncheck .bin/govulncheck-$(GOVULNCHECK_VERSION)

.PHONY: licences
licences: init ## Name the licence of every module that is shipped; an error for one that we don't know (part of make test)
	go test -count=1 $(E2E)/deploy -run '^TestLicences$$' -v

.PHONY: generate
generate: .bin/protoc-gen-go .bin/protoc-gen-go-grpc ## Generate code from .templ and .proto files (needs protobuf-compiler)
	go tool templ generate -log-level error
	cd plugins/proto && PATH="$(CURDIR)/.bin:$$PATH" go generate

.PHONY: generated
generated: ## Fail if generated code is not what is committed
	@sum() { find views plugins/proto -name '*_templ.go' -o -name '*.pb.go' | sort | xargs sed '/protoc  *v/d' | sha256sum; }; \
	before=$$(sum); $(MAKE) --no-print-directory generate; \
	[ "$$before" = "$$(sum)" ] || { echo "Generated code was stale; it has been made anew. Commit it." >&2; exit 1; }

.PHONY: bench
bench: run-packages build ## Measure executions and egress, next to bare Python; with OLD=path that program too, by turns; five minutes each
	go run ./cmd/airlock-bench $(if $(OLD),--airlock $(OLD)) --airlock ./airlock

.PHONY: large-bodies
large-bodies: ## Move bodies of 10 GiB through a connection that Airlock reads, in constant memory; takes some minutes
	go test -tags long ./app/egress -run LargeBodiesInConstantMemory -timeout 2h -v

FUZZ ?= 5m
ONLY ?=
.PHONY: reflections
reflections: ## A million answers of a real TLS host with a sealed value in them, each written in another way; CASES=… for another number
	AIRLOCK_CASES=$(or $(CASES),1000000) go test -count=1 -timeout 4h -run '^TestHoleH1AnyEscapeInAnyPieces$$' -v ./app/egress

.PHONY: fuzz
fuzz: init ## Fuzz every reader of hostile bytes, one after the other, for FUZZ each (5m); with ONLY=Name those whose names contain it
	@set -e; for dir in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9]*' $$dir/*_test.go | cut -c6- | grep -- '$(ONLY)'); do \
			echo "$$dir $$target"; go test $$dir -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ) -fuzzminimizetime 2s; \
		done; \
	done

ROUNDS ?= 500
BOX ?= template
.PHONY: crash
crash: test-packages init ## Break the whole program ROUNDS times under load, in every way, and check that nothing accepted is lost (500; twenty minutes). BOX=fresh: as with AIRLOCK_BOX
	go test $(E2E)/recovery -run '^TestNothingAcceptedIsLost$$' -rounds $(ROUNDS) -box $(BOX) -timeout 24h -v

DURATION ?= 1h
.PHONY: soak
soak: test-packages init ## A mixed load for DURATION (1h) with SANDBOX (bubblewrap): each end and answer is the right one, and nothing that is held grows
	go test $(E2E)/soak -run '^TestSoak' -soak $(DURATION) -soak-sandbox $(or $(SANDBOX),bubblewrap) -timeout 0 -v

.PHONY: same-results
same-results: test-packages init ## One script has one result in RUNS boxes (1000), fresh and from templates by turns, cold and warm
	go test $(E2E)/hostile -run '^TestSameResultFromATemplate$$' -same $$(($(RUNS) / 2)) -timeout 2h -v

RUNS ?= 1000
.PHONY: leftovers
leftovers: test-packages init ## RUNS executions in random order on all backends leave nothing behind (1000; five minutes). BOX as above
	go test $(E2E)/recovery -run '^TestNothingIsLeft$$' -runs $(RUNS) -box $(BOX) -timeout 5h -v

.PHONY: unlucky-stops
unlucky-stops: test-packages init ## Stop the program at each 50 ms of a start and of an end, on all backends: nothing is left behind (root; two hours)
	go test $(E2E)/recovery -run '^TestHoleM4UnluckyStops$$' -every-moment -timeout 8h -v

EXECUTIONS ?= 1000000
.PHONY: lists
lists: ## Measure every list with EXECUTIONS executions in the store (1000000), and its pages over HTTP; takes some minutes and 3 GB of disk
	go test ./store -run 'ListsAreQuick' -executions $(EXECUTIONS) -timeout 2h -v
	go test ./app/web -run 'PagesAreQuick' -executions $(EXECUTIONS) -timeout 2h -v

REMOVED ?= 1000000
.PHONY: retention
retention: ## Remove REMOVED executions (1000000) beside others who write, and say how long these waited; takes an hour and 3 GB of disk
	go test ./app/retention -run 'LeavesRoomForOthers' -executions $(REMOVED) -timeout 12h -v

PYTHONS := .cache/python/bullseye .cache/python/3.10 .cache/python/trixie .cache/python/3.14
.PHONY: pythons
pythons: test-packages init $(PYTHONS) ## Run the runner on Python 3.9, 3.10, 3.13 and 3.14 besides this host's (root; fetches them once)
	go test $(E2E)/deploy -run '^TestPythons$$' -roots $(subst $(space),$(comma),$(abspath $(PYTHONS))) -v

.cache/python/%:
	@.ci/packages debootstrap
	mkdir -p .cache/python && rm -rf $@.part
	debootstrap --variant=minbase --include=python3,ca-certificates $* $(abspath $@).part >/dev/null
	mv $@.part $@

# Those that no Debian has come from a Go module, version and sum as go.sum would have them.
PYTHON_3.10 := v0.0.0-3.10.16-20241219-1 h1:bfJRrtWlbdrPtwXXXZzA95yj2Pr9AvSbxDEm8YvbaP0=
PYTHON_3.14 := v0.0.0-3.14.6-20260610-1 h1:oGUS7++Wm3LgxUfD6AmJgKbKQD2wdQFO9PzyJv6T+E4=
.cache/python/3.%: | .cache/image/bookworm
	mkdir -p .cache/python
	.ci/python-root $(abspath $|) $(abspath $@) $(PYTHON_3.$*)

ACTIONLINT_VERSION := v1.7.12
GORELEASER_VERSION := v2.16.0
.PHONY: workflows
workflows: ## Check the CI and release workflows and the GoReleaser file; fetches both checkers
	go run github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION) .github/workflows/*.yml
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION) check

# In a clone, as CI has it: nothing that lies around here gets into it.
.PHONY: snapshot
snapshot: ## Build from the last commit what a tag would release, SBOMs aside, and compare with what make build makes; fetches GoReleaser
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && git clone -q . $$dir/airlock && cd $$dir/airlock && \
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION) release --snapshot --clean --skip=sbom && \
	(cd dist && ls -l && sha256sum --check checksums.txt) && made=dist/airlock_linux_amd64_v1/airlock && commit=$$(git rev-parse --short=12 HEAD) && $$made version | grep -F "commit $$commit," && \
	$(MAKE) --no-print-directory build COMMIT=$$commit && cmp airlock $$made

.PHONY: platforms
platforms: init ## Hold render.yaml and railway.toml to the schemas that Render and Railway publish; fetches both
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	curl -fsSL -o $$dir/render.yaml.json https://render.com/schema/render.yaml.json && \
	curl -fsSL -o $$dir/railway.toml.json https://railway.com/railway.schema.json && \
	go test -count=1 $(E2E)/deploy -run '^TestDeployFilesFitPublishedSchemas$$' -platform-schemas $$dir -v

# The caches are apart, or the second build would only be a copy of the first.
.PHONY: reproducible
reproducible: ## Build the last commit twice, in two directories with caches of their own, and compare the bytes; takes minutes
	@dir=$$(mktemp -d) && trap 'chmod -R u+w $$dir; rm -rf $$dir' EXIT; commit=$$(git rev-parse --short=12 HEAD); \
	for n in one two; do \
		mkdir -p $$dir/$$n/some/where && git archive HEAD | tar -x -C $$dir/$$n/some/where || exit 1; \
		GOCACHE=$$dir/$$n/cache $(MAKE) --no-print-directory -C $$dir/$$n/some/where build COMMIT=$$commit >/dev/null || exit 1; \
		[ $$n = one ] && mv $$dir/one $$dir/first && mkdir $$dir/one; \
	done; \
	sha256sum $$dir/first/some/where/airlock $$dir/two/some/where/airlock; cmp $$dir/first/some/where/airlock $$dir/two/some/where/airlock

.PHONY: image
image: ## Build the container image, as docker build does
	docker build -t airlock --build-arg COMMIT=$(COMMIT) .

.PHONY: image-test
image-test: test-packages init .cache/image/trixie ## Build the whole image on a local Debian 13 root, run it in every way, and look at its size (root; minutes)
	go test $(E2E)/deploy -run '^TestImage$$' -image-root $(abspath .cache/image/trixie) -timeout 30m -v

.PHONY: sandbox-image-test
sandbox-image-test: test-packages init .cache/image/bookworm ## Build the standard image of docker boxes on a local Debian 12 root, and use each of its libraries in a box (root; minutes)
	go test $(E2E)/deploy -run '^TestSandboxImage$$' -sandbox-root $(abspath .cache/image/bookworm) -timeout 30m -v

# As debian:trixie-slim and debian:12-slim are: nothing but the base, without documentation.
.cache/image/%:
	@.ci/packages debootstrap
	mkdir -p .cache/image && rm -rf $@.part
	debootstrap --variant=minbase $* $(abspath $@).part >/dev/null
	printf 'path-exclude /usr/share/%s/*\n' doc man locale info > $@.part/etc/dpkg/dpkg.cfg.d/docker
	rm -rf $(addprefix $@.part/usr/share/,doc man locale info) $@.part/var/cache/apt $@.part/var/lib/apt/lists
	mv $@.part $@

comma := ,
empty :=
space := $(empty) $(empty)

CASES ?= 1000000
FIRST ?= 0
.PHONY: proof
proof: ## Try to get CASES secrets (1000000) past the redactor, from number FIRST (0) on; an hour or two on two cores. It says where to go on if it is stopped
	go test ./app/redact/proof -run '^TestNothingGetsOut$$' -count 1 -first $(FIRST) -cases $(CASES) -timeout 0 -v

.PHONY: clean
clean: ## Remove what was built
	rm -rf airlock .bin plugins/initbin/airlock-init-linux-* plugins/ssh/remotebin/airlock-remote-linux-*

.PHONY: run-packages
run-packages:
	@.ci/packages $(RUN_PACKAGES)

.PHONY: test-packages
test-packages:
	@.ci/packages $(TEST_PACKAGES)
	@command -v npm >/dev/null || .ci/packages nodejs npm

.bin/protoc-gen-go: go.mod
	mkdir -p .bin && go build -o $@ google.golang.org/protobuf/cmd/protoc-gen-go

.bin/protoc-gen-go-grpc: go.mod
	mkdir -p .bin && go build -o $@ google.golang.org/grpc/cmd/protoc-gen-go-grpc

.bin/govulncheck-$(GOVULNCHECK_VERSION):
	mkdir -p .bin
	GOBIN=$(CURDIR)/.bin GOFLAGS= go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) || { echo "vulncheck: NOT CHECKED: govulncheck can't be fetched" >&2; exit 1; }
	mv .bin/govulncheck $@

# Two clones may build it at once.
$(GOLANGCI):
	mkdir -p $(KEPT)
	@dir=$$(mktemp -d $(KEPT)/golangci-lint.XXXXXX) && trap 'rm -rf '$$dir EXIT && GOBIN=$$dir GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) && mv $$dir/golangci-lint $@
