package import CloudRecords
import Cryptography

/// The keys of a zone or share, and their recipients.
///
/// The newest key seals, and all of them open.
package struct KeyRing: Sendable {
  package let scope: KeyScope
  /// Distinguishes this ring from that of a later zone with the same name.
  let identifier: [UInt8]
  /// A counter of writes.
  ///
  /// A device does not accept an earlier ring as the latest one.
  package private(set) var epoch: Int64
  /// The keys, oldest first.
  package private(set) var keys: [ZoneKey]
  /// The owner and the participants who received the keys, by name.
  package private(set) var recipients: [PublicIdentity]
  /// The administrators who may change the ring.
  private(set) var authority: RingAuthority
  /// The recipients whose signatures on values are valid, and former ones.
  private(set) var writers: RingWriters

  static let identifierByteCount = 16

  /// Creates a ring with the first key of a scope.
  package init(scope: KeyScope, owner: PublicIdentity, randomBytes: (Int) -> [UInt8]) {
    self.scope = scope
    identifier = randomBytes(Self.identifierByteCount)
    epoch = 0
    keys = [Self.makeKey(randomBytes)]
    recipients = [owner]
    authority = .unwritten
    writers = RingWriters()
  }

  init(
    scope: KeyScope, identifier: [UInt8], epoch: Int64, keys: [ZoneKey],
    recipients: [PublicIdentity], authority: RingAuthority, writers: RingWriters
  ) {
    precondition(!keys.isEmpty, "A ring without keys cannot seal.")
    self.scope = scope
    self.identifier = identifier
    self.epoch = epoch
    self.keys = keys
    self.recipients = recipients
    self.authority = authority
    self.writers = writers
  }

  /// The administrators whom the owner has certified, by name.
  package var administrators: [PublicIdentity] { authority.administrators }

  /// The last epoch that devices accept from the administrators.
  ///
  /// The owner's next write exceeds it. An administrator may have replaced a later bag, which
  /// others have read, with an earlier or damaged one.
  var lastAdministratorEpoch: Int64 {
    administrators.isEmpty ? epoch : max(epoch, authority.epoch + Limits.administratorWrites)
  }

  /// The key that seals new values.
  package var newest: ZoneKey { keys[keys.count - 1] }

  package func key(_ identifier: KeyIdentifier) -> ZoneKey? {
    keys.last { $0.identifier == identifier }
  }

  /// Whether other people than the owner have the keys.
  package var isShared: Bool { recipients.count > 1 }

  /// Finds a person by the first bytes of the signing key, recipients first.
  ///
  /// - Returns: The searched person, and whether any person's signing key begins with the bytes.
  func firstPerson(
    signingWith beginning: UInt64, where isSearched: (PublicIdentity) -> Bool
  ) -> (person: PublicIdentity?, isKnown: Bool) {
    var isKnown = false
    for person in recipients where person.signingKey.beginning == beginning {
      isKnown = true
      if isSearched(person) { return (person, true) }
    }
    for person in writers.formerPeople where person.signingKey.beginning == beginning {
      isKnown = true
      if isSearched(person) { return (person, true) }
    }
    return (nil, isKnown)
  }

  /// Whether a person's values under a key are valid.
  package func mayWrite(_ person: PublicIdentity, under key: KeyIdentifier) -> Bool {
    let (name, owner) = (person.userRecordName, scope.zone.ownerName)
    if recipients.contains(person), name == owner || !writers.readers.contains(name) { return true }
    guard let last = writers.lastKey(of: person) else { return false }
    let places = [key, last].map { wanted in keys.lastIndex { $0.identifier == wanted } ?? .max }
    return places[0] <= places[1] && places[1] != .max
  }

  private static func makeKey(_ randomBytes: (Int) -> [UInt8]) -> ZoneKey {
    var bytes = randomBytes(ZoneKey.byteCount)
    return ZoneKey(SecretBytes(taking: &bytes))
  }
}

// MARK: - Changes

extension KeyRing {
  /// Returns the ring with a new key, under which new values are sealed.
  package func rotated(_ randomBytes: (Int) -> [UInt8]) -> KeyRing {
    var ring = self
    ring.keys.append(Self.makeKey(randomBytes))
    return ring
  }

  /// Returns the ring for exactly these recipients.
  ///
  /// If a recipient left or has other keys now, there is a new key that the previous recipient does
  /// not get. If a recipient may no longer write, there is a new key for the values from then on.
  ///
  /// - Parameter readers: The names of the recipients who may only read.
  package func withRecipients(
    _ recipients: [PublicIdentity], readers: Set<String> = [], _ randomBytes: (Int) -> [UInt8]
  ) -> KeyRing {
    let sorted = recipients.sorted {
      $0.userRecordName.utf8.lexicographicallyPrecedes($1.userRecordName.utf8)
    }
    let readers = readers.intersection(sorted.map(\.userRecordName)).subtracting([
      scope.zone.ownerName
    ])
    guard sorted != self.recipients || readers != writers.readers else { return self }
    let losesPeople =
      self.recipients.contains { !sorted.contains($0) }
      || !readers.isSubset(of: writers.readers.union(newNames(in: sorted)))
    var ring = losesPeople ? rotated(randomBytes) : self
    ring.recipients = sorted
    ring.writers = writers.changing(
      from: self.recipients, to: sorted, readers: readers, under: newest.identifier)
    return ring
  }

  /// Returns the ring for a recipient's present keys, with a new key that the former ones cannot
  /// open.
  func replacing(
    _ former: PublicIdentity, by present: PublicIdentity, _ randomBytes: (Int) -> [UInt8]
  ) -> KeyRing {
    withRecipients(
      recipients.map { $0 == former ? present : $0 }, readers: writers.readers, randomBytes)
  }

  private func newNames(in people: [PublicIdentity]) -> [String] {
    people.filter { !recipients.contains($0) }.map(\.userRecordName)
  }

  /// Returns the ring with the keys of another one before its own, so that none is lost.
  package func merging(keysOf other: KeyRing) -> KeyRing {
    let known = Set(keys)
    var ring = self
    ring.keys.insert(contentsOf: other.keys.filter { !known.contains($0) }, at: 0)
    ring.writers = writers.merging(
      other.writers, of: other.recipients, under: other.newest.identifier,
      recipients: recipients, keys: ring.keys)
    return ring
  }

  /// Returns the ring with those of these administrators who are recipients.
  package func withAdministrators(_ names: Set<String>) -> KeyRing {
    let administrators = recipients.filter { names.contains($0.userRecordName) }
    guard administrators != self.administrators else { return self }
    var ring = self
    ring.authority = authority.with(administrators, epoch: authority.epoch)
    return ring
  }

  /// Returns the ring with the epoch of the owner's next write.
  package func following(epoch: Int64) -> KeyRing {
    var ring = followingByAdministrator(epoch: epoch)
    let certified = administrators.filter(recipients.contains)
    ring.authority = authority.with(certified, epoch: ring.epoch)
    return ring
  }

  /// Returns the ring with the epoch of an administrator's next write.
  package func followingByAdministrator(epoch: Int64) -> KeyRing {
    var ring = self
    ring.epoch = max(self.epoch, epoch) + 1
    return ring
  }

  /// Whether this ring is later than another one.
  package func isLater(than other: KeyRing) -> Bool {
    identifier == other.identifier && epoch > other.epoch
  }

  /// Whether another ring has the same contents, possibly with another epoch.
  package func hasSameContents(as other: KeyRing) -> Bool {
    identifier == other.identifier && keys == other.keys && recipients == other.recipients
      && administrators == other.administrators && writers == other.writers
  }
}
