import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage

/// Batch requests on stores that keep a history.
extension ObjectBenchmark {
  /// Inserts many objects by one request.
  func batchInsert() throws -> Measured {
    var pair = try BatchStores(self, rows: 0)
    let sides = try SideBySide(
      rounds: rounds, prepare: { pair = try BatchStores(self, rows: 0) },
      ours: { try pair.insert(objects) },
      reference: { try pair.reference.insertEntries(objects, withHistory: true) })
    return measured("objects.batch.insert", sides, items: objects, limit: 1.3)
  }

  /// Changes one property of all objects by one request.
  func batchUpdate() throws -> Measured {
    let pair = try BatchStores(self, rows: objects)
    let sides = try SideBySide(
      rounds: rounds, ours: { try pair.update() },
      reference: { try pair.reference.updateAllEntries() })
    return measured("objects.batch.update", sides, items: objects, limit: 1.5)
  }

  /// Deletes all objects by one request.
  func batchDelete() throws -> Measured {
    var pair = try BatchStores(self, rows: objects)
    let sides = try SideBySide(
      rounds: rounds, prepare: { pair = try BatchStores(self, rows: objects) },
      ours: { try pair.delete() }, reference: { try pair.reference.deleteAllEntries() })
    return measured("objects.batch.delete", sides, items: objects, limit: 1.5)
  }

  /// A store with entries and a history, and the reference's copy of it.
  private struct BatchStores {
    private let store: BenchmarkStore
    private let context: NSManagedObjectContext
    private let benchmark: ObjectBenchmark
    let reference: ObjectReference

    init(_ benchmark: ObjectBenchmark, rows: Int) throws {
      self.benchmark = benchmark
      store = try BenchmarkStore(benchmark.model, keepsHistory: true)
      context = store.context()
      if rows > 0 { try Self.insert(rows, benchmark, context) }
      reference = try ObjectReference(path: store.copyForReference(), values: benchmark.values)
    }

    func insert(_ rows: Int) throws { try Self.insert(rows, benchmark, context) }

    private static func insert(
      _ rows: Int, _ benchmark: ObjectBenchmark, _ context: NSManagedObjectContext
    ) throws {
      var row = 0
      let request = NSBatchInsertRequest(
        entityName: "Entry",
        managedObjectHandler: { object in
          guard row < rows, let entry = object as? Entry else { return true }
          benchmark.values.fill(entry, row: row)
          row += 1
          return false
        })
      request.resultType = .count
      let count = try context.performAndWait {
        (try context.execute(request) as? NSBatchInsertResult)?.result as? Int
      }
      guard count == rows else { throw Disagreement(what: "objects.batch.insert") }
    }

    func update() throws {
      let request = NSBatchUpdateRequest(entityName: "Entry")
      request.propertiesToUpdate = ["number": PredicateLanguage.NSExpression(format: "number + 1")]
      request.resultType = .updatedObjectsCountResultType
      let count = try context.performAndWait {
        (try context.execute(request) as? NSBatchUpdateResult)?.result as? Int
      }
      guard count == benchmark.objects else { throw Disagreement(what: "objects.batch.update") }
    }

    func delete() throws {
      let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<Entry>(entityName: "Entry"))
      request.resultType = .resultTypeCount
      let count = try context.performAndWait {
        (try context.execute(request) as? NSBatchDeleteResult)?.result as? Int
      }
      guard count == benchmark.objects else { throw Disagreement(what: "objects.batch.delete") }
    }
  }
}

extension ObjectReference {
  /// Changes every entry by one statement, and records the changes by another one.
  fileprivate func updateAllEntries() throws {
    try execute(
      "BEGIN IMMEDIATE; UPDATE ZENTRY SET ZNUMBER = ZNUMBER + 1, Z_OPT = Z_OPT + 1; "
        + "INSERT INTO ACHANGE(Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
        + "SELECT 16001, 1, Z_ENT, Z_PK, 1, X'01' FROM ZENTRY; COMMIT")
  }

  /// Deletes every entry by one statement, after another one has recorded the deletions.
  fileprivate func deleteAllEntries() throws {
    try execute(
      "BEGIN IMMEDIATE; "
        + "INSERT INTO ACHANGE(Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
        + "SELECT 16001, 2, Z_ENT, Z_PK, 1 FROM ZENTRY; "
        + "DELETE FROM ZENTRY WHERE Z_PK > 0; COMMIT")
  }
}
