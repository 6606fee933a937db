import SQLiteStore
import Testing

@Suite struct `Limits of the store` {
  @Test func `A value moves to an external file in the range that Core Data documents`() {
    #expect((100_000...128 * 1024).contains(Limits.externalDataBytes))
  }
}
