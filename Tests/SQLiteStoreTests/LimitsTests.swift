import SQLiteStore
import Testing

@Suite struct `Limits of the store` {
  @Test func `a value moves to a file of its own in the range that Core Data documents`() {
    #expect((100_000...128 * 1024).contains(Limits.externalDataBytes))
  }
}
