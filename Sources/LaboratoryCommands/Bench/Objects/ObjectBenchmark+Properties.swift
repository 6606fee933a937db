import CSQLiteReference
import Foundation
import ManagedObjectModel
import ManagedObjects

/// The reference for properties and memory: a class with stored properties, as in a program without
/// a store.
class PlainEntry: NSObject {
  var body: String?
  var count: Int32 = 0
  var date: Date?
  var flag = false
  var mark: UUID?
  var number: Int64 = 0
  var score = 0.0
  var title: String?
}

/// A subclass that keeps the compiler from devirtualizing `PlainEntry`.
final class OtherPlainEntry: PlainEntry {
  override var number: Int64 {
    get { super.number + 1 }
    set { super.number = newValue }
  }
  override var title: String? {
    get { super.title }
    set { super.title = newValue }
  }
}

extension ObjectBenchmark {
  func integerProperty(_ filled: FilledStore) throws -> Measured {
    try property("objects.get.integer", filled, ours: { $0.number }, reference: { $0.number })
  }

  func textProperty(_ filled: FilledStore) throws -> Measured {
    try property("objects.get.text", filled, ours: { $0.title }, reference: { $0.title })
  }

  /// Reads a property of a thousand objects, repeatedly.
  private func property<Value>(
    _ name: String, _ filled: FilledStore, ours: (Entry) -> Value, reference: (PlainEntry) -> Value
  ) throws -> Measured {
    let context = filled.store.context()
    let entries = try Array(fetchAll(context).prefix(1_000))
    let plain = plainEntries(1_000)
    let sides = try context.performAndWait {
      // The limit equals the reference's cost, so many short rounds measure differences of 1%.
      try SideBySide(
        rounds: rounds * 20,
        ours: { for _ in 0..<passes * 10 { for entry in entries { keep(ours(entry)) } } },
        reference: { for _ in 0..<passes * 10 { for entry in plain { keep(reference(entry)) } } })
    }
    return measured(name, sides, items: passes * 10_000, limit: 1)
  }

  private func plainEntries(_ count: Int) -> [PlainEntry] {
    (0..<count).map { row in
      let entry = row == count - 1 ? OtherPlainEntry() : PlainEntry()
      fillPlain(entry, row)
      return entry
    }
  }

  private func fillPlain(_ entry: PlainEntry, _ row: Int) {
    let turn = row % EntryValues.variety
    (entry.flag, entry.count, entry.number) = (row & 1 == 1, Int32(turn), Int64(row))
    (entry.date, entry.score) = (
      Date(timeIntervalSinceReferenceDate: Double(row)), Double(row) * 0.5
    )
    // A store also creates separate texts for each object.
    entry.body = String(decoding: Array(values.bodies[turn].utf8), as: UTF8.self)
    entry.title = String(decoding: Array(values.titles[turn].utf8), as: UTF8.self)
    entry.mark = values.marks[turn]
  }

  /// The heap memory of managed objects, compared with plain objects.
  func memory(_ filled: FilledStore) throws -> Measured {
    let context = filled.store.context()
    let before = heapBytes()
    let entries = try fetchAll(context)
    let ours = withExtendedLifetime(entries) { heapBytes() - before }
    let middle = heapBytes()
    let plain = (0..<objects).map { row in
      let entry = PlainEntry()
      fillPlain(entry, row)
      return entry
    }
    let reference = withExtendedLifetime(plain) { heapBytes() - middle }
    let scale = Double(objects)
    // An allocator without statistics, such as a sanitizer's, measures nothing.
    let ratio = reference == 0 ? 0 : (Double(ours) / Double(reference) * 1_000).rounded() / 1_000
    return Measured(
      result: BenchmarkResult(
        name: "objects.memory", value: (Double(ours) / scale).rounded(), unit: "bytes/object",
        reference: (Double(reference) / scale).rounded(), ratio: ratio, limit: 1.3),
      spread: ratio...ratio)
  }

  private func heapBytes() -> Int { Int(parhelion_heap_bytes()) }
}

/// Keeps the compiler from removing the computation of a value.
@inline(never)
private func keep<Value>(_ value: Value) {}
