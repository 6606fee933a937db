/// A time during which no other process records server versions.
package struct LedgerMoment: Hashable, Sendable {
  private var number = 0

  mutating func pass() { number += 1 }
}
