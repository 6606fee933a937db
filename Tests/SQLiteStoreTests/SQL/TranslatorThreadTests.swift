import Foundation
import ObjectRows
import PredicateLanguage
import SQLiteStore
import Synchronization
import Testing

@Suite struct `Translators shared by threads` {
  /// Sendable: threads read it only.
  private struct Work: @unchecked Sendable {
    let translator: FetchTranslator
    let fetches: [RowFetch]
    let statements: [String]
  }

  @Test func `Each thread gets the SQL of its own fetch`() throws {
    let store = try LibraryStore()
    let fetches = try (0..<(Limits.translations * 2)).map { index in
      let parts = (0..<10).map { (index >> $0) & 1 == 0 ? "name == 'a'" : "rating > 1" }
      return try store.fetch("Author", NSPredicate(format: parts.joined(separator: " OR ")))
    }
    let work = Work(
      translator: store.translator, fetches: fetches,
      statements: try fetches.map { try FetchTranslator(schema: store.schema).keys($0).sql })
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for step in 0..<2000 {
        let index = (step * 7 + thread * 131) % work.fetches.count
        let sql = try? work.translator.keys(work.fetches[index]).sql
        if sql != work.statements[index] { failures.withLock { $0 += 1 } }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    #expect(store.translator.rememberedTranslations <= Limits.translations)
  }
}
