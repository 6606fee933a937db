import CloudRecords
import CloudSchema
import RecordStorage

/// A realm's schema within one transaction: read once, changed as records teach, and stored if it changed.
final class SchemaCopy {
  private let realm: Realm
  private(set) var schema: Schema
  private var isChanged = false

  private static let partition = "_schemas"

  private static func key(_ realm: Realm) -> StorageKey {
    var key = StorageKey(partition: partition, keyspace: Keyspace.schema.rawValue)
    key.append(unsigned: realm.number)
    return key
  }

  /// Reads a realm's schema.
  ///
  /// Its text is parsed only where it is not the one that was parsed last.
  init(of realm: Realm, in transaction: any StorageReading, parsed: ParsedSchemas) throws {
    self.realm = realm
    schema = try transaction.withValue(of: Self.key(realm)) { try parsed.schema(text: $0, of: realm) } ?? .initial
  }

  func learn(_ additions: SchemaAdditions) {
    guard !additions.isEmpty else { return }
    schema.learn(additions)
    isChanged = true
  }

  func replace(by schema: Schema) {
    self.schema = schema
    isChanged = true
  }

  /// Goes back to what the storage has.
  func startOver(with schema: Schema) {
    self.schema = schema
    isChanged = false
  }

  func store(in transaction: any StorageWriting) throws {
    guard isChanged else { return }
    try transaction.set(Array(schema.text.utf8), for: Self.key(realm))
    isChanged = false
  }
}
