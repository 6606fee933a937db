# The two commands a newcomer needs are `make demo` and `make test`. Each installs what is missing
# and says so first.

.PHONY: demo test check gate soak format setup bench documentation

demo: setup
	@Scripts/demo

test: setup
	@Scripts/test

# The change at hand: its files, its modules and their direct users. MODULES=A,B names modules instead.
check: setup
	@MODULES=$(MODULES) Scripts/check

# What continuous integration runs: make test, then sanitizers, worlds, documentation, examples,
# fuzzing.
gate: setup
	@Scripts/gate

# Hours rather than minutes: sanitizers, both build systems, static linking, thousands of simulated worlds, long fuzzing.
soak: setup
	@Scripts/soak

bench: setup
	@Benchmarks/measure

format:
	@swift format --in-place --recursive --parallel --configuration .swift-format Package.swift Sources Tests Plugins Examples Fuzz

documentation: setup
	@Scripts/documentation

setup:
	@Scripts/setup
