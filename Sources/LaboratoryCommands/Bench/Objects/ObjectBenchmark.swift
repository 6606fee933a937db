import Foundation
import ManagedObjectModel
import ManagedObjects

/// The benchmarks of the object graph over a store, beside plain C on a table of the same layout.
package struct ObjectBenchmark {
  /// How many objects the large workloads handle.
  package var objects = 100_000
  /// How many children each parent has.
  package var perFolder = 10
  /// How many times each workload is measured.
  package var rounds = 15
  /// How many times fifty the properties of a thousand objects are read.
  package var passes = 20

  let model: NSManagedObjectModel
  let values = EntryValues()

  package init() throws { model = try BenchmarkModel.linked() }

  /// Our side and the reference read different rows, so their times mean nothing.
  struct Disagreement: Error, CustomStringConvertible {
    let what: String
    var description: String { "The objects and the C reference of the benchmark \(what) disagree." }
  }

  package typealias Measured = LocalBenchmark.Measured

  /// Its workloads: those that read share one store, which the first of them fills.
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
      reading("objects.fetch", fetch), reading("objects.lookup", lookUp),
      reading("objects.update", update),
      reading("objects.traverse.nsset", traverseFoundationSets),
      reading("objects.traverse.set", traverseSets),
      BenchmarkWorkload("objects.identifier.cold", "objects.identifier.cached") {
        try byIdentifier(shared.filled())
      },
      BenchmarkWorkload("objects.delete.cascade", run: delete),
      reading("objects.get.integer", integerProperty), reading("objects.get.text", textProperty),
      reading("objects.memory", memory),
      BenchmarkWorkload("objects.history.since", run: changesSince),
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

/// A store with entries, folders and items, and the reference's copy of it.
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
