# The two commands for newcomers are `make demo` and `make test`. Each lists missing packages, then
# installs them.

.PHONY: demo test check gate soak format setup bench documentation

demo: setup
	@Scripts/demo

test: setup
	@Scripts/test

# Checks the current change: its files, its modules and their direct users. MODULES=A,B names
# modules instead.
check: setup
	@MODULES=$(MODULES) Scripts/check

# Runs what continuous integration runs: make test, then sanitizers, simulated worlds,
# documentation, examples and fuzzing.
gate: setup
	@Scripts/gate

# Runs for hours: sanitizers, both build systems, static linking, thousands of simulated worlds,
# long fuzzing.
soak: setup
	@Scripts/soak

bench: setup
	@Benchmarks/measure

format:
	@swift format --in-place --recursive --parallel --configuration .swift-format \
		Package.swift Sources Tests Plugins Examples Fuzz

documentation: setup
	@Scripts/documentation

setup:
	@Scripts/setup
