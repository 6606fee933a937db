import BinaryCoding
import CloudRecords
import Cryptography

/// The people whose signatures on values are valid in a zone or share.
///
/// All recipients of the keys may write, except readers. A former writer's values stay readable if
/// their key was the newest when the writer lost the permission, or is an earlier one.
struct RingWriters: Hashable, Sendable {
  /// The names of recipients who may only read.
  private(set) var readers: Set<String> = []
  /// The last valid key of each former writer.
  private var former: [PublicIdentity: KeyIdentifier] = [:]

  init() {}

  /// The former writers, who may no longer write.
  var formerPeople: some Sequence<PublicIdentity> { former.keys }

  /// The last key under which a former writer's values are valid; nil for other people.
  func lastKey(of person: PublicIdentity) -> KeyIdentifier? { former[person] }

  /// Returns the writers after a change of the recipients.
  ///
  /// - Parameter key: The newest key before the change.
  func changing(
    from recipients: [PublicIdentity], to next: [PublicIdentity], readers nextReaders: Set<String>,
    under key: KeyIdentifier
  ) -> RingWriters {
    var changed = self
    changed.readers = nextReaders
    for person in recipients where !readers.contains(person.userRecordName) {
      changed.former[person] = key
    }
    for person in next where !nextReaders.contains(person.userRecordName) {
      changed.former[person] = nil
    }
    return changed
  }

  /// Returns the writers with those of another ring, whose keys are merged.
  ///
  /// - Parameters:
  ///   - others: The recipients of the other ring.
  ///   - key: The newest key of the other ring.
  ///   - recipients: The recipients of this ring.
  ///   - keys: The keys of both rings, oldest first.
  func merging(
    _ other: RingWriters, of others: [PublicIdentity], under key: KeyIdentifier,
    recipients: [PublicIdentity], keys: [ZoneKey]
  ) -> RingWriters {
    var theirs = other.former
    for person in others where !other.readers.contains(person.userRecordName) {
      theirs[person] = key
    }
    for person in recipients where !readers.contains(person.userRecordName) { theirs[person] = nil }
    let places = Dictionary(
      keys.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { $1 })
    var merged = self
    merged.former.merge(theirs) { (places[$0] ?? -1) < (places[$1] ?? -1) ? $1 : $0 }
    return merged
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(readers.count)
    for reader in readers.sorted() { form.text(reader) }
    form.count(former.count)
    let sorted = former.sorted {
      $0.key.signingKey.bytes.lexicographicallyPrecedes($1.key.signingKey.bytes)
    }
    for (person, key) in sorted {
      form.identity(person)
      form.keyIdentifier(key)
    }
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    readers = Set(try form.list { (form) throws(BinaryCodingError) in try form.text() })
    for _ in 0..<(try form.count()) {
      let person = try form.identity()
      former[person] = try form.keyIdentifier()
    }
  }
}
