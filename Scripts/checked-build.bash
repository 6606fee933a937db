# Sourced by the checks, in the project's folder: the options with which `make test` builds.
#
# All checks use one folder, so that the examples and the migrated package do not compile the
# project again. Daily builds have other options and another folder. Line tables are enough for
# backtraces.
checked=(--scratch-path "$PWD/.build/checks" -Xswiftc -warnings-as-errors -Xcc -Werror
  -Xswiftc -gline-tables-only)
# Makes Package.swift choose whole-module compilation for modules that no example compiles.
export PARHELION_CHECKS=1
# Programs and examples run with the concurrency checks of Core Data, which are off by default.
export com_apple_CoreData_ConcurrencyDebug=1
