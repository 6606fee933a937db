import Foundation
import ManagedObjectModel
import ManagedObjects

/// The benchmarks of the object graph over a store, compared with plain C on a table with the same
/// layout.
package struct ObjectBenchmark {
  /// The number of objects in the large workloads.
  package var objects = 100_000
  /// The number of children of each parent.
  package var perFolder = 10
  /// The number of rounds of each workload.
  package var rounds = 15
  /// A tenth of the number of times that a round reads a property of a thousand objects.
  package var passes = 20

  let model: NSManagedObjectModel
  let values = EntryValues()

  package init() throws { model = try BenchmarkModel.linked() }

  /// The error if the two sides read different rows, so that their times are not comparable.
  struct Disagreement: Error, CustomStringConvertible {
    let what: String
    var description: String { "The objects and the C reference of the benchmark \(what) disagree." }
  }

  package typealias Measured = LocalBenchmark.Measured

  /// The workloads, some of which share one store that the first of them fills.
  package func workloads() -> [BenchmarkWorkload] {
    let shared = SharedStore(self)
    func reading(_ name: String, _ run: @escaping (FilledStore) throws -> Measured)
      -> BenchmarkWorkload
    {
      BenchmarkWorkload(name) { try run(shared.filled()) }
    }
    return [
      BenchmarkWorkload("objects.insert") { try insert(keepsHistory: false) },
      BenchmarkWorkload("objects.insert.history") { try insert(keepsHistory: true) },
      BenchmarkWorkload("objects.insert.related", run: insertRelated),
      reading("objects.fetch", fetch), reading("objects.lookup", lookUp),
      reading("objects.update", update),
      reading("objects.traverse.nsset", traverseFoundationSets),
      reading("objects.traverse.set", traverseSets),
      reading("objects.traverse.faults", traverseFaults),
      BenchmarkWorkload("objects.identifier.cold", "objects.identifier.cached") {
        try byIdentifier(shared.filled())
      },
      BenchmarkWorkload("objects.delete.cascade", run: deleteByCascade),
      BenchmarkWorkload("objects.delete.single", run: deleteSingly),
      reading("objects.get.integer", integerProperty), reading("objects.get.text", textProperty),
      reading("objects.memory", memory),
      BenchmarkWorkload("objects.history.since", run: changesSince),
      BenchmarkWorkload("objects.batch.insert", run: batchInsert),
      BenchmarkWorkload("objects.batch.update", run: batchUpdate),
      BenchmarkWorkload("objects.batch.delete", run: batchDelete),
    ]
  }

  func measured(_ name: String, _ sides: SideBySide, items: Int, limit: Double?) -> Measured {
    Measured(result: sides.result(name, items: items, limit: limit), spread: sides.spread)
  }
}

/// The store that workloads share, filled when the first one needs it.
private final class SharedStore {
  private let benchmark: ObjectBenchmark
  private var kept: FilledStore?

  init(_ benchmark: ObjectBenchmark) { self.benchmark = benchmark }

  func filled() throws -> FilledStore {
    if let kept { return kept }
    let filled = try FilledStore(benchmark)
    kept = filled
    return filled
  }
}

/// A store with entries, folders, and items, and the reference's copy of it.
struct FilledStore {
  let store: BenchmarkStore
  let reference: ObjectReference
  let benchmark: ObjectBenchmark

  init(_ benchmark: ObjectBenchmark) throws {
    self.benchmark = benchmark
    store = try BenchmarkStore(benchmark.model)
    let context = store.context()
    try context.performAndWait {
      for row in 0..<benchmark.objects { benchmark.values.fill(Entry(context: context), row: row) }
      try context.save()
      for number in 0..<(benchmark.objects / benchmark.perFolder) {
        let folder = Folder(context: context)
        folder.name = "Folder \(number)"
        for place in 0..<benchmark.perFolder {
          let item = Item(context: context)
          benchmark.values.fill(item, row: number * benchmark.perFolder + place)
          item.folder = folder
        }
      }
      try context.save()
    }
    reference = try ObjectReference(path: store.copyForReference(), values: benchmark.values)
  }
}
