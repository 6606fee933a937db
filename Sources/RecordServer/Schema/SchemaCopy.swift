import CloudRecords
import CloudSchema
import RecordStorage

/// A realm's schema within one transaction: read once, extended by new records, and stored if it
/// changed.
final class SchemaCopy {
  private let realm: Realm
  @safe @exclusivity(unchecked) private(set) var schema: Schema
  /// The pending replacement, if any; `schema` is already its new schema.
  let replacement: PendingReplacement?
  /// The version of the stored schema, without the changes of this transaction.
  let storedVersion: SchemaVersion
  private var isChanged = false

  static let partition = "_schemas"

  static func key(_ realm: Realm) -> StorageKey {
    var key = StorageKey(partition: partition, keyspace: Keyspace.schema.rawValue)
    key.append(unsigned: realm.number)
    return key
  }

  /// Reads a realm's schema.
  ///
  /// It is parsed only if it is not cached.
  init(of realm: Realm, in transaction: any StorageReading, parsed: ParsedSchemas) throws {
    self.realm = realm
    let read = try transaction.withValue(of: Self.key(realm)) {
      stored -> ((schema: Schema, version: SchemaVersion), PendingReplacement?) in
      guard PendingReplacement.isForm(stored) else {
        return (try parsed.schema(text: stored, of: realm), nil)
      }
      let replacement = try PendingReplacement(bytes: Array(copying: stored))
      return (try parsed.schema(text: replacement.text.span, of: realm), replacement)
    }
    schema = read?.0.schema ?? .initial
    storedVersion = read?.0.version ?? SchemaVersion(ofText: [])
    replacement = read?.1
  }

  func learn(_ additions: SchemaAdditions) {
    guard !additions.isEmpty else { return }
    schema.learn(additions)
    isChanged = true
  }

  /// Throws while a schema replacement is erasing data.
  func checkIsSettled() throws(CloudError) {
    guard replacement != nil else { return }
    throw CloudError(
      .tryAgainLater,
      "The schema of the development environment is being replaced. Try again in a moment.",
      retryAfterSeconds: 2)
  }

  /// Replaces the schema without erasing anything.
  func replace(by schema: Schema) {
    self.schema = schema
    isChanged = true
  }

  /// Discards the changes of this transaction.
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
