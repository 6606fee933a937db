import Synchronization

/// The transformers by name.
final class ValueTransformerRegistry: Sendable {
  // Sendable: transformers are documented to keep no state that changes.
  private struct Entry: @unchecked Sendable {
    let transformer: ValueTransformer
  }

  static let shared = ValueTransformerRegistry()

  private let entries: Mutex<[NSValueTransformerName: Entry]>

  private init() {
    let builtIn: [(String, ValueTransformer)] = [
      ("NSNegateBoolean", NegateBooleanTransformer()), ("NSIsNil", IsNilTransformer()),
      ("NSIsNotNil", IsNotNilTransformer()), ("NSUnarchiveFromData", UnarchiveFromDataTransformer()),
      ("NSKeyedUnarchiveFromData", UnarchiveFromDataTransformer()),
      ("NSSecureUnarchiveFromData", NSSecureUnarchiveFromDataTransformer()),
    ]
    entries = Mutex(
      Dictionary(uniqueKeysWithValues: builtIn.map { (NSValueTransformerName($0), Entry(transformer: $1)) }))
  }

  subscript(name: NSValueTransformerName) -> ValueTransformer? {
    get { entries.withLock { $0[name] }?.transformer }
    set {
      let entry = newValue.map(Entry.init)
      entries.withLock { $0[name] = entry }
    }
  }

  var names: [NSValueTransformerName] {
    entries.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }
}
