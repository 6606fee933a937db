import Foundation
import ManagedObjectModel
import ManagedObjects

extension ObjectBenchmark {
  /// Reads ten changes from the history of a large store, compared with a small one.
  func changesSince() throws -> Measured {
    let small = try HistoryStore(self, rows: objects / 100)
    let large = try HistoryStore(self, rows: objects * 10)
    let times = 200
    let sides = try SideBySide(
      rounds: rounds, ours: { for _ in 0..<times { try large.readChanges() } },
      reference: { for _ in 0..<times { try small.readChanges() } })
    return measured("objects.history.since", sides, items: times, limit: 1.5)
  }

  /// A store in which ten rows have changed since a history token.
  private struct HistoryStore {
    let context: NSManagedObjectContext
    let token: NSPersistentHistoryToken?
    private let store: BenchmarkStore

    init(_ benchmark: ObjectBenchmark, rows: Int) throws {
      store = try BenchmarkStore(benchmark.model, keepsHistory: true)
      let context = store.context()
      try Self.fill(context, benchmark.values, rows)
      token = store.coordinator.currentPersistentHistoryToken(fromStores: nil)
      try context.performAndWait {
        let request = NSFetchRequest<Entry>(entityName: "Entry")
        request.fetchLimit = 10
        for entry in try context.fetch(request) { entry.number += 1 }
        try context.save()
      }
      self.context = context
    }

    private static func fill(_ context: NSManagedObjectContext, _ values: EntryValues, _ rows: Int)
      throws
    {
      for start in stride(from: 0, to: rows, by: 100_000) {
        try context.performAndWait {
          for row in start..<min(rows, start + 100_000) {
            values.fill(Entry(context: context), row: row)
          }
          try context.save()
          context.reset()
        }
      }
    }

    func readChanges() throws {
      try context.performAndWait {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction]
        guard transactions?.flatMap({ $0.changes ?? [] }).count == 10 else {
          throw Disagreement(what: "objects.history.since")
        }
      }
    }
  }
}
