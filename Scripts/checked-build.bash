# Sourced by the checks, from the project's folder: how `make test` builds.
#
# One folder serves all its steps, so that the examples and the migrated package compile nothing of
# the project again. It is not the folder of the daily build, which has other options. Line tables
# are all that a trace needs.
checked=(--scratch-path "$PWD/.build/checks" -Xswiftc -warnings-as-errors -Xcc -Werror
  -Xswiftc -gline-tables-only)
# Modules that only this package compiles are compiled as wholes.
export PARHELION_CHECKS=1
# Programs and examples are run with the check of queues, which is off by default.
export com_apple_CoreData_ConcurrencyDebug=1
