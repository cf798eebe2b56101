# Every command of a developer. `make help` lists them; CONTRIBUTING.md says what to run when.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The DuckDB store needs a C++ compiler. Without one everything else builds, and the store says what it lacks.
export CGO_ENABLED ?= $(shell command -v g++ c++ clang++ >/dev/null 2>&1 && echo 1 || echo 0)

GO_FILES  := $(shell find . -path ./demo/.work -prune -o -path './.*' -prune -o -path ./plugin -prune -o -name '*.go' ! -name '*_test.go' -print)
GO_EMBEDS := internal/version/VERSION $(shell find . -path './.*' -prune -o -path ./demo -prune -o -name '*.csv' -print)
PY_FILES  := $(shell find plugin/src -name '*.py' 2>/dev/null) plugin/pyproject.toml plugin/hatch_build.py plugin/README.md
COMMIT    := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)
LDFLAGS   := -s -w -buildid= -X hodor/internal/version.Commit=$(COMMIT)

# On Linux the C++ library is linked in (where the compiler has an archive of it), so that of the user's system only glibc must be as new as the build
# machine's. DuckDB's package asks for -lstdc++ by name, so what decides is a folder in which no other libstdc++ is.
ifeq ($(CGO_ENABLED)/$(shell uname -s),1/Linux)
LIBSTDCXX := $(filter /%,$(shell c++ -print-file-name=libstdc++.a 2>/dev/null))
LDFLAGS   += -B none $(if $(LIBSTDCXX),-extldflags -Lbin/static)
endif

# Whatever is built of one commit is the same to the byte: no time but the commit's enters an archive.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1580601600)

.PHONY: help
help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- build ----------------------------------------------------------------------------------------------------------

.PHONY: build
build: bin/hodor-sql ## the service and command line: bin/hodor-sql

bin/hodor-sql: go.mod go.sum $(GO_FILES) $(GO_EMBEDS) bin/.commit
	@test -e $@ || echo 'building hodor-sql: minutes the first time (DuckDB is large), seconds later'
	@rm -rf bin/static && mkdir -p bin/static $(if $(LIBSTDCXX),&& ln -s '$(LIBSTDCXX)' bin/static/)
	go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o $@ ./cmd/hodor-sql

# Changes only when the commit, the flags or the C compiler's presence do, so that an unchanged tree is not linked again.
.PHONY: force
bin/.commit: force
	@mkdir -p bin
	@echo '$(LDFLAGS) cgo=$(CGO_ENABLED)' | cmp -s - $@ || echo '$(LDFLAGS) cgo=$(CGO_ENABLED)' > $@

.PHONY: wheel
wheel: dist/.wheel ## the Python package with the binary inside: dist/dbt_hodor-*.whl, and what it is made of: dist/*.cdx.json

SBOM := dist/hodor-sql.cdx.json
dist/.wheel: bin/hodor-sql $(PY_FILES) plugin/THIRD_PARTY_LICENSES tools/sbom .venv-tools/.stamp
	@mkdir -p dist
	rm -f dist/dbt_hodor-*.whl dist/*.cdx.json
	.venv-tools/bin/python tools/sbom bin/hodor-sql $(SBOM)
	cd plugin && HODOR_SQL_BINARY='$(CURDIR)/bin/hodor-sql' HODOR_WHEEL_SBOM='$(CURDIR)/$(SBOM)' ../.venv-tools/bin/hatchling build -t wheel -d ../dist
	@touch $@

.PHONY: sdist
sdist: .venv-tools/.stamp ## the source distribution: dist/dbt_hodor-*.tar.gz
	@mkdir -p dist
	rm -f dist/dbt_hodor-*.tar.gz
	cd plugin && ../.venv-tools/bin/hatchling build -t sdist -d ../dist

.PHONY: licences
licences: .venv-tools/.stamp ## write plugin/THIRD_PARTY_LICENSES again, after a change of go.mod (fetches DuckDB's sources)
	.venv-tools/bin/python tools/licences

.PHONY: release-check
release-check: .venv-tools/.stamp .venv-release/.stamp ## all that must be true of a release (docs/releasing.md); a tag makes it strict
	.venv-tools/bin/python tools/release-check

.venv-release/.stamp: requirements/release.txt .venv-tools/.stamp
	tools/venv .venv-release release.txt
	@touch $@

# --- Python environments --------------------------------------------------------------------------------------------

# The environments hold the built wheel, never the sources: what is tested is what is installed.
.PHONY: venv venv-next
venv: .venv/.hodor ## .venv: dbt-core 1.12.5 on DuckDB 2, with the wheel
venv-next: .venv-next/.hodor ## .venv-next: dbt-core 1.12.6 on DuckDB 1.5, with the wheel

.venv-tools/.stamp: requirements/tools.txt tools/venv
	tools/venv tools
	@touch $@

.venv/.stamp: requirements/dbt.txt .venv-tools/.stamp
	tools/venv .venv dbt.txt
	@touch $@

.venv-next/.stamp: requirements/dbt-next.txt .venv-tools/.stamp
	tools/venv .venv-next dbt-next.txt
	@touch $@

# Spark, and Delta Lake's own jars; what they need beside comes with Spark.
.PHONY: venv-spark
venv-spark: .venv-spark/.stamp ## .venv-spark: Spark 4.2 with Delta Lake 4.4 (half a gigabyte; needs Java 17 and Maven)

.venv-docs/.stamp: requirements/docs.txt .venv-tools/.stamp
	tools/venv .venv-docs docs.txt
	@touch $@

.venv-spark/.stamp: requirements/spark.txt tools/delta-jars.xml .venv-tools/.stamp
	tools/venv .venv-spark spark.txt
	rm -rf .venv-spark/delta
	mvn --quiet --batch-mode --file tools/delta-jars.xml dependency:copy-dependencies -DoutputDirectory='$(CURDIR)/.venv-spark/delta'
	@touch $@

.PHONY: venv-databricks
venv-databricks: .venv-databricks/.hodor ## .venv-databricks: dbt-databricks 1.12.7, with the wheel, to be run against Spark

.venv-databricks/.stamp: requirements/databricks.txt .venv-tools/.stamp
	tools/venv .venv-databricks databricks.txt
	@touch $@

.PHONY: venv-integrations
venv-integrations: .venv-integrations/.hodor ## .venv-integrations: Airflow with Cosmos, Dagster and others beside dbt on DuckDB, with the wheel

.venv-integrations/.stamp: requirements/integrations.txt .venv-tools/.stamp
	tools/venv .venv-integrations integrations.txt
	@touch $@

.venv/.hodor .venv-next/.hodor .venv-databricks/.hodor .venv-integrations/.hodor: %/.hodor: %/.stamp dist/.wheel
	.venv-tools/bin/uv pip install --quiet --python $*/bin/python --no-deps --reinstall dist/dbt_hodor-*.whl
	@touch $@

.PHONY: lock
lock: .venv-tools/.stamp ## pin requirements/*.in again
	tools/lock

# --- test -----------------------------------------------------------------------------------------------------------

# In CI a test that lacks an engine (PostgreSQL, a Python environment) fails; elsewhere it is skipped.
ifeq ($(CI),true)
export HODOR_REQUIRE_ENGINES ?= 1
endif

.PHONY: test
test: lint docs test-go test-plugin test-docs test-main ## the tests of every commit; test-e2e has the long ones

.PHONY: test-go
test-go: .venv/.stamp .venv-next/.stamp ## the Go tests; some speak to the DuckDB of both environments
	go test -timeout 60m ./...

# What runs side by side: the packages with a go statement or a WaitGroup's Go in the code or the tests, and those whose tests use a kit that has some. All that
# these import is instrumented with them. TestRacePackages: none is left out.
CONCURRENT = (^|[^/a-z])go (func\(|[a-z][A-Za-z.]*\()|\.Go\(func|(storetest|executortest|httptest|simulation)\.[A-Z]
RACE_PACKAGES = $(shell find . -path './.*' -prune -o -name '*.go' -exec grep -lE '$(CONCURRENT)' {} + | xargs -r -n 1 dirname | sort -u)
.PHONY: test-race race-packages
test-race: ## the Go tests of all that runs side by side, under the race detector, the long ones cut short
	CGO_ENABLED=1 HODOR_SIMULATION_HISTORIES=200 HODOR_SIMULATION_CLOCKS=30 HODOR_SIMULATION_ROUNDS=2 \
		go test -race -short -vet=off -timeout 60m $(or $(PKG),$(RACE_PACKAGES))

race-packages: # what test-race runs
	@echo $(RACE_PACKAGES)

.PHONY: soundness
soundness: .venv/.stamp .venv-next/.stamp ## the long forms of what may never go wrong (hours): make soundness PAIRS=200000 HISTORIES=50000 SEED=7
	HODOR_SOUNDNESS_PAIRS=$(or $(PAIRS),100000) HODOR_SOUNDNESS_SEED=$(or $(SEED),1000000) \
		go test ./normalize/soundness -run 'TestEqualHashes|TestUnsound' -v -timeout 6h
	HODOR_SIMULATION_HISTORIES=$(or $(HISTORIES),1000000) HODOR_SIMULATION_SEED=$(or $(SEED),1000000) \
		go test ./simulation -run TestHistories -v -timeout 12h
	HODOR_SIMULATION_ROUNDS=$(or $(ROUNDS),100) HODOR_SIMULATION_CLOCKS=20000 HODOR_LONG=1 \
		go test ./simulation ./simulation/crowd ./protocol -run 'TestCrowd|TestClocks|TestHostile|TestEndlessLine' -v -timeout 6h
	HODOR_MUTANTS=all HODOR_MUTANTS_DBT=all go test ./simulation/mutants -v -timeout 9h
	$(MAKE) test-faults

# The Go tests that need Spark are in files with the build tag spark: one Spark for all of them (internal/sparktest). Two packages, and four tests of each, run
# side by side: a statement uses one core, and databricks-sql-go looks for its answer once a second.
SPARK_PACKAGES = $(shell find . -path './.*' -prune -o -name '*_test.go' -exec grep -l '^//go:build .*spark' {} + | xargs -r -n 1 dirname | sort -u)
.PHONY: test-spark soundness-spark
test-spark: .venv-spark/.stamp ## the tests on real Spark and Delta Lake: make test-spark PKG=./versions RUN=TestSparkDeltaVersions
	.venv-spark/bin/python internal/sparktest/server.py .venv-spark/delta -- \
		go test -tags spark -timeout 60m -p 2 -parallel 4 -run '$(or $(RUN),^TestSpark)' $(GOTEST_FLAGS) $(or $(PKG),$(SPARK_PACKAGES))

soundness-spark: .venv-spark/.stamp ## the same, with many more pairs of queries, and the stores on both ways whole: make soundness-spark PAIRS=5000 SEED=7
	HODOR_SOUNDNESS_PAIRS=$(or $(PAIRS),2000) HODOR_SOUNDNESS_SEED=$(or $(SEED),1000000) HODOR_LONG=1 \
		$(MAKE) test-spark PKG='$(PKG)' RUN='$(RUN)' GOTEST_FLAGS='-v -timeout 3h'

# dbt-databricks itself. In test-databricks it speaks to Spark's Thrift Server (internal/sparktest/thrift.py) through internal/thriftproxy; in
# test-workspace to a workspace, in schemas that are dropped.
WORKSPACE = DATABRICKS_HOST DATABRICKS_TOKEN DATABRICKS_HTTP_PATH DATABRICKS_CATALOG
.PHONY: test-databricks test-workspace
test-databricks: .venv-spark/.stamp .venv-databricks/.hodor ## real dbt-databricks on Spark and Delta Lake (some five minutes of CPU)
	cd plugin && ../.venv-databricks/bin/python -m pytest tests/test_databricks.py tests/test_patches.py
	go build -o .venv-databricks/listen ./internal/thriftproxy/listen
	cd plugin && HODOR_REQUIRE_ENGINES=1 ../.venv-spark/bin/python ../internal/sparktest/thrift.py ../.venv-spark/delta -- \
		../.venv-databricks/listen ../.venv-databricks/bin/python -m pytest -x tests/lake $(PYTEST_FLAGS)

test-workspace: ## the same scenarios on a Databricks workspace; CONTRIBUTING.md names its variables
	@for name in $(WORKSPACE); do test -n "$${!name:-}" || { \
		echo "test-workspace: $$name is not set; nothing was run"; exit $${HODOR_REQUIRE_ENGINES:-0}; }; done; \
	$(MAKE) .venv-databricks/.hodor && cd plugin && \
		HODOR_REQUIRE_ENGINES=1 ../.venv-databricks/bin/python -m pytest -x tests/lake $(PYTEST_FLAGS)

.PHONY: test-matrix
test-matrix: dist/.wheel ## every supported pair of dbt-core and DuckDB, and dbt-databricks on both dbt-cores (an hour): PAIR='duckdb 1.5.6' for some
	PAIR='$(PAIR)' tools/matrix $(PYTEST_FLAGS)

# Processes that tests run in side by side.
TEST_JOBS ?= 2

# Run from plugin/, so that the installed wheel is imported, never the sources. What runs dbt in the process of the tests has processes of its own.
ELSEWHERE = $(addprefix --ignore tests/,docs e2e integrations lake) $(addprefix --ignore ,$(DBT_INSIDE))
DBT_INSIDE = tests/test_run.py tests/test_ahead.py
.PHONY: test-plugin
test-plugin: .venv/.hodor .venv-next/.hodor ## the plugin's unit tests, on both environments
	cd plugin && ../.venv/bin/python -m pytest -n $(TEST_JOBS) $(ELSEWHERE) $(PYTEST_FLAGS)
	cd plugin && ../.venv/bin/python -m pytest -n $(TEST_JOBS) $(DBT_INSIDE) $(PYTEST_FLAGS)
	cd plugin && ../.venv-next/bin/python -m pytest -n $(TEST_JOBS) $(ELSEWHERE) --ignore tests/test_install.py --ignore tests/test_static.py --ignore tests/test_wheel_tag.py $(PYTEST_FLAGS)
	cd plugin && ../.venv-next/bin/python -m pytest -n $(TEST_JOBS) $(DBT_INSIDE) $(PYTEST_FLAGS)

# Many of these wait for a deadline.
E2E_JOBS ?= 3
.PHONY: test-main test-e2e
test-main: .venv/.hodor .venv-next/.hodor ## the main job with real dbt on DuckDB: the scenarios E01 to E20
	cd plugin && ../.venv/bin/python -m pytest -n $(TEST_JOBS) tests/e2e/test_scenarios.py $(PYTEST_FLAGS)

test-e2e: .venv/.hodor .venv-next/.hodor ## all real dbt projects on DuckDB (half an hour): make test-e2e PYTEST_FLAGS='-k _s7_'
	cd plugin && ../.venv/bin/python -m pytest -n $(E2E_JOBS) $(if $(AFTER_TEST),--ignore tests/e2e/test_scenarios.py) tests/e2e $(PYTEST_FLAGS)

.PHONY: test-faults
test-faults: .venv/.hodor .venv-next/.hodor ## every fault at every fault point, where test-e2e has one at each
	cd plugin && HODOR_FAULTS=all ../.venv/bin/python -m pytest -n $(E2E_JOBS) tests/e2e/test_fault_service.py $(PYTEST_FLAGS)

# The folder PACKAGES has dbt packages, as `dbt deps` leaves them; what needs one that is not there is skipped.
.PHONY: test-integrations
test-integrations: .venv-integrations/.hodor ## what runs dbt or reads its results, for real (docs/integrations.md): PACKAGES=../shop/dbt_packages
	cd plugin && HODOR_DBT_PACKAGES='$(abspath $(PACKAGES))' ../.venv-integrations/bin/python -m pytest tests/integrations $(PYTEST_FLAGS)

.PHONY: docs test-docs
docs: .venv-docs/.stamp ## the site of docs/ in site/; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict

test-docs: .venv/.hodor ## every command and example of the documentation
	cd plugin && ../.venv/bin/python -m pytest -n $(TEST_JOBS) tests/docs $(PYTEST_FLAGS)

.PHONY: test-executor
test-executor: .venv/.hodor .venv-next/.hodor ## state's executor at length: selections of 120 random projects beside dbt ls (half an hour)
	HODOR_SELECT_PROJECTS=120 HODOR_LONG=1 go test ./executor/... ./state -timeout 2h

.PHONY: lint
lint: .venv-tools/.stamp ## formatting, golangci-lint (vet and staticcheck among it), what is Windows' own compiles, ruff, mypy
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt -w needed: $$unformatted"; exit 1; }
	go tool -modfile=requirements/go-tools.mod golangci-lint run ./...
	CGO_ENABLED=0 GOOS=windows go build $$(git ls-files '*_windows.go' '*_other.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
	@for d in $$(go list -f '{{.Dir}}' ./...); do test -f $$d/doc.go || { echo "$$d has no doc.go"; exit 1; }; done
	.venv-tools/bin/ruff check -q .
	.venv-tools/bin/ruff format -q --check .
	.venv-tools/bin/mypy
	cmp LICENSE plugin/LICENSE
	cmp NOTICE plugin/NOTICE

# What this machine can't link, it can compile: without C, and so without the DuckDB store.
CROSS ?= windows/amd64
.PHONY: cross
cross: ## compile all for other systems: make cross CROSS='linux/arm64 darwin/arm64 windows/amd64'
	@set -e; for system in $(CROSS); do echo "go build ./... for $$system"; \
		CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} go build ./...; done

.PHONY: gen check-gen
gen: ## generate code again (*_gen.go)
	go generate ./...

check-gen: gen ## fail if the generated code in the repository is not what the generators make
	git diff --exit-code

.PHONY: golden
golden: ## rewrite the golden files of the packages that have some; read the diff before you commit it
	go test $$(find . -path './.*' -prune -o -name '*_test.go' -exec grep -l 'flag.Bool("update"' {} + | xargs -r -n 1 dirname | sort -u) -update

# Before a release: docs/benchmarks.md. AGAINST names another hodor-sql. The published dbt-hodor in pure Python is run beside, in an environment of its own.
.PHONY: bench bench-baseline
bench: bin/hodor-sql .venv/.hodor .venv-peers/.stamp .venv-python-hodor/.stamp ## everything that is measured, as one report in Markdown (half an hour on a quiet machine): make bench AGAINST=old/hodor-sql
	@go build -o bin/bench-normalize ./bench/normalize
	@go run ./bench/release -peers .venv-peers/bin/python -other .venv-python-hodor/bin/python $(if $(AGAINST),-against '$(AGAINST)') $(BENCH_FLAGS)

bench-baseline: bin/hodor-sql ## save what bench compares the corpus with: bench/baseline
	for d in databricks duckdb; do bin/hodor-sql bench --json --seconds 3 --dialect $$d corpus/$$d corpus/common | \
		python3 -m json.tool --indent 1 > bench/baseline/$$d.json; done

.venv-python-hodor/.stamp: requirements/python-hodor.txt .venv-tools/.stamp
	tools/venv .venv-python-hodor python-hodor.txt
	@touch $@

# Text to tree, beside other parsers, which have an environment of their own. RUST=no leaves sqlparser-rs out, as does a
# machine without cargo.
BENCH_FLAGS ?=
.PHONY: bench-normalize
bench-normalize: .venv-peers/.stamp ## text to hash and facts beside other pipelines: make bench-normalize BENCH_FLAGS='-models 300'
	bench/normalize/run $(BENCH_FLAGS)

.PHONY: bench-parse
bench-parse: .venv-peers/.stamp ## the parser's speed and memory beside other parsers: make bench-parse BENCH_FLAGS='-models 300'
	bench/parse/run $(BENCH_FLAGS)

.venv-peers/.stamp: requirements/peers.txt .venv-tools/.stamp
	tools/venv .venv-peers peers.txt
	@touch $@

FUZZ_SECONDS ?= 30
.PHONY: fuzz
fuzz: ## every fuzz test for 30 s: make fuzz PKG=./grammar FUZZ_SECONDS=600
	tools/fuzz $(FUZZ_SECONDS) $(PKG)

.PHONY: fmt
fmt: .venv-tools/.stamp ## format Go and Python
	gofmt -w $$(git ls-files '*.go')
	.venv-tools/bin/ruff check -q --fix .
	.venv-tools/bin/ruff format -q .

# Spark works on one core and waits a lot, so two suites run side by side. What the tests of every commit hold is not run again.
.PHONY: ci ci-suites
ci: ## what .ci/run runs, going on after a failure
	$(MAKE) -k -j 2 AFTER_TEST=1 ci-suites

ci-suites: test-spark test test-e2e test-databricks

# --- demo -----------------------------------------------------------------------------------------------------------

.PHONY: demo
demo: .venv/.hodor ## a dbt project of real shape, built again and again with hodor on (about two minutes)
	.venv/bin/python demo/run.py

# --- clean ----------------------------------------------------------------------------------------------------------

.PHONY: clean
clean: ## remove all that these commands made
	rm -rf bin dist site demo/.work bench/parse/sqlparser/target .venv .venv-databricks .venv-docs .venv-integrations .venv-matrix .venv-next .venv-peers .venv-python-hodor .venv-release .venv-spark .venv-tools
