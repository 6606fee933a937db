import BinaryCoding
package import CloudRecords
import Cryptography

/// Another user's public keys, as this user trusts them.
///
///     first seen ──▶ pinned ──safety numbers are equal──▶ verified
///                      └──────other keys are verified──▶ replaced
///
/// Other keys that the server shows for the person are never used before the user has verified
/// them.
package struct KnownPerson: Hashable, Sendable {
  /// An event on a device of the user.
  package struct Moment: Hashable, Sendable {
    package let time: Timestamp
    /// The name of the device, as it calls itself.
    package let device: String

    package init(time: Timestamp, device: String) {
      (self.time, self.device) = (time, device)
    }
  }

  package let identity: PublicIdentity
  /// When a device of the user first saw the keys.
  package private(set) var pinned: Moment
  /// When the user last confirmed that the safety numbers are equal, or nil before.
  package private(set) var verified: Moment?

  package init(_ identity: PublicIdentity, pinned: Moment, verified: Moment? = nil) {
    self.identity = identity
    self.pinned = pinned
    self.verified = verified
  }

  package mutating func verify(at moment: Moment) { verified = Self.later(verified, moment) }

  /// Returns the merged knowledge of two devices of the user.
  ///
  /// Verified keys win over others, and the last verified ones over earlier ones. Among unverified
  /// keys, the first seen win.
  package func merging(_ other: KnownPerson) -> KnownPerson {
    guard identity == other.identity else { return other.isTrusted(before: self) ? other : self }
    var merged = self
    if other.pinned.isEarlier(than: pinned) { merged.pinned = other.pinned }
    merged.verified = Self.later(verified, other.verified)
    return merged
  }

  private func isTrusted(before other: KnownPerson) -> Bool {
    if verified?.time != other.verified?.time {
      guard let time = verified?.time else { return false }
      return other.verified.map { $0.time < time } ?? true
    }
    if pinned.time != other.pinned.time { return pinned.time < other.pinned.time }
    return identity.signingKey.bytes.lexicographicallyPrecedes(other.identity.signingKey.bytes)
  }

  private static func later(_ one: Moment?, _ other: Moment?) -> Moment? {
    guard let one, let other else { return one ?? other }
    return one.isEarlier(than: other) ? other : one
  }
}

extension KnownPerson.Moment {
  fileprivate func isEarlier(than other: Self) -> Bool {
    (time, device) < (other.time, other.device)
  }
}

extension BinaryWriter {
  mutating func person(_ person: KnownPerson) {
    identity(person.identity)
    moment(person.pinned)
    optional(person.verified) { $0.moment($1) }
  }

  private mutating func moment(_ moment: KnownPerson.Moment) {
    signed(moment.time.milliseconds)
    text(moment.device)
  }
}

extension BinaryReader {
  mutating func person() throws(BinaryCodingError) -> KnownPerson {
    KnownPerson(
      try identity(), pinned: try moment(),
      verified: try optional { (form) throws(BinaryCodingError) in try form.moment() })
  }

  private mutating func moment() throws(BinaryCodingError) -> KnownPerson.Moment {
    KnownPerson.Moment(time: Timestamp(milliseconds: try signed()), device: try text())
  }
}
