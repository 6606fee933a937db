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
  package var rounds = 7

  let model: NSManagedObjectModel
  let values = EntryValues()

  package init() throws { model = try BenchmarkModel.linked() }

  /// Our side and the reference read different rows, so their times mean nothing.
  struct Disagreement: Error, CustomStringConvertible {
    let what: String
    var description: String { "The objects and the C reference of the benchmark \(what) disagree." }
  }

  package typealias Measured = LocalBenchmark.Measured

  /// Runs all workloads.
  package func run() throws -> [Measured] {
    var measured = [try insert(keepsHistory: false), try insert(keepsHistory: true)]
    let filled = try FilledStore(self)
    measured += try [fetch(filled), lookUp(filled), update(filled), traverse(filled)]
    measured += try byIdentifier(filled)
    measured += try [delete(), integerProperty(filled), textProperty(filled), memory(filled)]
    measured.append(try changesSince())
    return measured
  }

  func measured(_ name: String, _ sides: SideBySide, items: Int, limit: Double?) -> Measured {
    Measured(result: sides.result(name, items: items, limit: limit), spread: sides.spread)
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
