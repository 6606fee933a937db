import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  /// Repeats a fetch that failed because another process has removed a full-text index.
  func withIndexRetry<Result>(_ fetch: () throws -> Result) throws -> Result {
    do {
      return try fetch()
    } catch let error as StoreError where translator.usesFullTextIndex {
      guard let usable = try? pool.read({ try FullTextMaintenance.usable(schema, on: $0) }),
        translator.useFullTextIndexes(usable)
      else { throw error }
      return try fetch()
    }
  }
}
