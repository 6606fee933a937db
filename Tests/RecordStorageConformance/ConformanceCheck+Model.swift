import RecordStorage
import TestSupport
import Testing

extension ConformanceCheck {
  /// Compares the engine with a sorted array over random transactions.
  static let randomOperations: [Self] = [
    Self("random transactions agree with a sorted array") { storage in
      var random = SeededGenerator.forTest()
      try await storage.withEngine { engine in
        var model = SortedModel()
        for round in 0..<60 {
          let operations = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            RandomOperation(using: &random)
          }
          let isAborted = Int.random(in: 0..<4, using: &random) == 0
          var changed = model
          let expected = operations.map { changed.apply($0) }
          do {
            let answers = try await engine.write { store in
              let answers = try operations.map { try $0.apply(to: store) }
              if isAborted { throw TestError() }
              return answers
            }
            #expect(answers == expected, "\(random), round \(round)")
            model = changed
          } catch is TestError {}
          #expect(try await engine.contents() == model.entries, "\(random), round \(round)")
          try await storage.expectNoIssues(in: engine)
        }
      }
    }
  ]
}

/// An operation with a result that can be compared.
struct RandomOperation: Sendable {
  enum Kind: CaseIterable { case set, setLong, remove, removeRange, values, entries }

  let kind: Kind
  let range: StorageRange
  let order: StorageOrder
  let number: Int

  /// Keys are short and few, so that operations collide.
  init(using random: inout SeededGenerator) {
    func key() -> StorageKey {
      StorageKey(
        bytes: (0..<Int.random(in: 0...3, using: &random)).map { _ in
          [0, 1, 0x61, 0x62, 0xFF].randomElement(using: &random) ?? 0
        })
    }
    // Ranges are removed less often than entries are set, so that the store does not stay empty.
    let kinds: [Kind] = [
      .set, .set, .set, .setLong, .setLong, .remove, .values, .entries, .entries,
    ]
    kind =
      Int.random(in: 0..<40, using: &random) == 0
      ? .removeRange : kinds.randomElement(using: &random) ?? .set
    range = StorageRange(from: key(), to: Bool.random(using: &random) ? key() : nil)
    order = StorageOrder.allCases.randomElement(using: &random) ?? .ascending
    number = Int.random(in: 0..<1_000, using: &random)
  }

  var value: [UInt8] { bytes(number, count: kind == .setLong ? 200 + number * 3 : number % 20) }
  var limit: Int { number % 3 == 0 ? .max : number % 7 }
  var keys: [StorageKey] { [range.lower, range.upper ?? StorageKey(bytes: [0xFF]), range.lower] }

  func apply(to store: any StorageWriting) throws -> [StorageEntry] {
    switch kind {
    case .set, .setLong: try store.set(value, for: range.lower)
    case .remove: try store.remove(range.lower)
    case .removeRange: try store.removeEntries(in: range)
    case .values:
      return try zip(keys, store.values(of: keys)).compactMap { key, value in
        value.map { StorageEntry(key, $0) }
      }
    case .entries: return try store.entries(in: range, order: order, limit: limit)
    }
    return []
  }
}

/// The operations of a store on a sorted array.
struct SortedModel {
  private(set) var entries: [StorageEntry] = []

  mutating func apply(_ operation: RandomOperation) -> [StorageEntry] {
    switch operation.kind {
    case .set, .setLong:
      entries.removeAll { $0.key == operation.range.lower }
      let place = entries.firstIndex { $0.key > operation.range.lower } ?? entries.count
      entries.insert(StorageEntry(operation.range.lower, operation.value), at: place)
    case .remove: entries.removeAll { $0.key == operation.range.lower }
    case .removeRange: entries.removeAll { operation.range.contains($0.key) }
    case .values: return operation.keys.flatMap { key in entries.filter { $0.key == key } }
    case .entries:
      let found = entries.filter { operation.range.contains($0.key) }
      return Array(
        (operation.order == .ascending ? found : found.reversed()).prefix(operation.limit))
    }
    return []
  }
}
