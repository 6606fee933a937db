# Sourced by the checks, from the project's folder: how they build.
#
# Neither folder is that of the daily build, which has other options. Line tables are all that a
# trace needs. Modules as wholes, without an index, take 60 % of the processor time.
strict=(-Xswiftc -warnings-as-errors -Xcc -Werror -Xswiftc -gline-tables-only)
checked=(--scratch-path "$PWD/.build/checks" --disable-index-store
  -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 "${strict[@]}")
# The examples and the migrated package share one folder. Wholes would be compiled again for each.
outside=(--scratch-path "$PWD/.build/outside" "${strict[@]}")
# Programs and examples are run with the check of queues, which is off by default.
export com_apple_CoreData_ConcurrencyDebug=1
