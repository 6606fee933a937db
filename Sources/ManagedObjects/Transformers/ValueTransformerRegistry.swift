import ManagedObjectModel
import Synchronization

/// The registered transformers by name.
///
/// If a name has no transformer but is a class name, an instance of the class is registered, as in
/// Foundation.
final class ValueTransformerRegistry: Sendable {
  // Sendable: transformers are documented to be stateless.
  private struct Entry: @unchecked Sendable {
    let transformer: ValueTransformer
  }

  static let shared = ValueTransformerRegistry()

  private let entries: Mutex<[NSValueTransformerName: Entry]>

  private init() {
    let builtIn: [(String, ValueTransformer)] = [
      ("NSNegateBoolean", NegateBooleanTransformer()), ("NSIsNil", IsNilTransformer()),
      ("NSIsNotNil", IsNotNilTransformer()),
      ("NSUnarchiveFromData", UnarchiveFromDataTransformer()),
      ("NSKeyedUnarchiveFromData", UnarchiveFromDataTransformer()),
      ("NSSecureUnarchiveFromData", NSSecureUnarchiveFromDataTransformer()),
    ]
    entries = Mutex(
      Dictionary(
        uniqueKeysWithValues: builtIn.map { (NSValueTransformerName($0), Entry(transformer: $1)) }))
  }

  subscript(name: NSValueTransformerName) -> ValueTransformer? {
    get { entries.withLock { $0[name] }?.transformer ?? registerClass(named: name) }
    set {
      let entry = newValue.map(Entry.init)
      entries.withLock { $0[name] = entry }
    }
  }

  private func registerClass(named name: NSValueTransformerName) -> ValueTransformer? {
    guard let transformer = Self.transformerClass(named: name.rawValue)?.init(_ofClass: ()) else {
      return nil
    }
    let made = Entry(transformer: transformer)
    let kept = entries.withLock { entries in
      let kept = entries[name] ?? made
      entries[name] = kept
      return kept
    }
    return kept.transformer
  }

  private static func transformerClass(named name: String) -> ValueTransformer.Type? {
    if let builtIn = builtInClasses[name] { return builtIn }
    for found in ModelRegistry.classes(named: name) + ModelRegistry.classesInModules(named: name) {
      if let transformerClass = found as? ValueTransformer.Type { return transformerClass }
    }
    return nil
  }

  /// The classes that models for Apple's platforms name.
  private static let builtInClasses: [String: ValueTransformer.Type] = [
    "NSSecureUnarchiveFromDataTransformer": NSSecureUnarchiveFromDataTransformer.self,
    "NSKeyedUnarchiveFromDataTransformer": UnarchiveFromDataTransformer.self,
    "NSUnarchiveFromDataTransformer": UnarchiveFromDataTransformer.self,
  ]

  var names: [NSValueTransformerName] {
    entries.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }
}
