import CloudRecords
import Cryptography

/// The keys of a zone or a share, and those whom they are sealed for: the newest key seals, all of
/// them open.
package struct KeyRing: Sendable {
  package let scope: KeyScope
  /// Tells this ring from one of a zone of the same name that was made later.
  let identifier: [UInt8]
  /// Counts what was written of the ring; a device takes no earlier one for the latest.
  package private(set) var epoch: Int64
  /// Oldest first.
  package private(set) var keys: [ZoneKey]
  /// The owner and those who were given the keys, by name.
  package private(set) var recipients: [PublicIdentity]

  static let identifierByteCount = 16

  /// Makes the first key of a scope.
  package init(scope: KeyScope, owner: PublicIdentity, randomBytes: (Int) -> [UInt8]) {
    self.scope = scope
    identifier = randomBytes(Self.identifierByteCount)
    epoch = 0
    keys = [Self.makeKey(randomBytes)]
    recipients = [owner]
  }

  init(
    scope: KeyScope, identifier: [UInt8], epoch: Int64, keys: [ZoneKey],
    recipients: [PublicIdentity]
  ) {
    precondition(!keys.isEmpty, "A ring without keys cannot seal.")
    self.scope = scope
    self.identifier = identifier
    self.epoch = epoch
    self.keys = keys
    self.recipients = recipients
  }

  /// The key that seals.
  package var newest: ZoneKey { keys[keys.count - 1] }

  package func key(_ identifier: KeyIdentifier) -> ZoneKey? {
    keys.last { $0.identifier == identifier }
  }

  private static func makeKey(_ randomBytes: (Int) -> [UInt8]) -> ZoneKey {
    var bytes = randomBytes(ZoneKey.byteCount)
    return ZoneKey(SecretBytes(taking: &bytes))
  }
}

// MARK: - Changes

extension KeyRing {
  /// The ring with another key, under which everything is sealed from now on.
  package func rotated(_ randomBytes: (Int) -> [UInt8]) -> KeyRing {
    var ring = self
    ring.keys.append(Self.makeKey(randomBytes))
    return ring
  }

  /// The ring for exactly these people; whoever is no more among them, or has other keys now, does
  /// not get what is sealed from now on.
  package func handed(to recipients: [PublicIdentity], _ randomBytes: (Int) -> [UInt8]) -> KeyRing {
    let sorted = recipients.sorted {
      $0.userRecordName.utf8.lexicographicallyPrecedes($1.userRecordName.utf8)
    }
    guard sorted != self.recipients else { return self }
    let isLosing = self.recipients.contains { !sorted.contains($0) }
    var ring = isLosing ? rotated(randomBytes) : self
    ring.recipients = sorted
    return ring
  }

  /// The ring with the keys of another one before its own, so that none is lost.
  package func taking(keysOf other: KeyRing) -> KeyRing {
    let known = Set(keys)
    var ring = self
    ring.keys.insert(contentsOf: other.keys.filter { !known.contains($0) }, at: 0)
    return ring
  }

  /// The ring as it is written next.
  package func following(epoch: Int64) -> KeyRing {
    var ring = self
    ring.epoch = max(self.epoch, epoch) + 1
    return ring
  }

  /// Whether a device that has this ring has seen something later than the other.
  package func isLater(than other: KeyRing) -> Bool {
    identifier == other.identifier && epoch > other.epoch
  }

  /// Whether another ring says the same.
  package func says(what other: KeyRing) -> Bool {
    identifier == other.identifier && keys == other.keys && recipients == other.recipients
  }
}
