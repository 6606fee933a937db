import CloudRecords
import Synchronization

/// The used signatures of changing requests, for as long as they could be replayed.
///
/// An ECDSA signature consists of two integers. The first is different for each signature, and
/// cannot be changed without the key, so it identifies the signature. The second has two valid
/// values. Signatures are grouped and removed by the minute in which they expire.
final class UsedSignatures: Sendable {
  /// A consumed signature, which can be released again.
  struct Mark: Hashable, Sendable {
    fileprivate let key: String
    fileprivate let minute: Int64
    fileprivate let signature: Fingerprint
  }

  /// The identity of a signature among those of its key: the last 16 bytes of its first integer.
  struct Fingerprint: Hashable, Sendable {
    fileprivate let high: UInt64
    fileprivate let low: UInt64

    /// Creates the fingerprint of a signature; nil if its form is wrong.
    ///
    /// - Parameter signature: A verified signature: a DER sequence of two integers.
    init?(ofVerified signature: [UInt8]) {
      // Both integers are short enough for one-byte lengths.
      guard signature.count > 4, case let length = Int(signature[3]), signature.count > 4 + length
      else { return nil }
      let digits = signature[4..<4 + length].suffix(16)
      let numbers = digits.reduce((high: UInt64(0), low: UInt64(0))) { sum, byte in
        (sum.high << 8 | sum.low >> 56, sum.low << 8 | UInt64(byte))
      }
      (high, low) = numbers
    }
  }

  /// The signatures of a key by the minute in which they expire.
  private typealias Minutes = [Int64: Set<Fingerprint>]

  private let minutesByKey = Mutex<[String: Minutes]>([:])
  private let capacity: Int

  /// Creates an empty memory of signatures.
  ///
  /// - Parameter capacity: The maximum number of remembered signatures per key.
  init(capacity: Int) { self.capacity = capacity }

  /// The number of remembered signatures.
  var count: Int {
    minutesByKey.withLock { $0.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }
  }

  /// The result of consuming a signature.
  enum ReplayCheck: Hashable, Sendable {
    case taken(Mark)
    /// It was already used.
    case seen
    /// The key has signed more requests than can be remembered.
    case full
  }

  /// Consumes a signature once.
  func take(_ signature: Fingerprint, of key: String, goodUntil end: Timestamp, at now: Timestamp)
    -> ReplayCheck
  {
    let (minute, present) = (end.milliseconds / 60_000, now.milliseconds / 60_000)
    return minutesByKey.withLock { minutesByKey in
      var minutes = minutesByKey.removeValue(forKey: key) ?? [:]
      defer { minutesByKey[key] = minutes }
      for past in minutes.keys.filter({ $0 < present }) { minutes[past] = nil }
      if minutes[minute]?.contains(signature) == true { return .seen }
      guard minutes.values.reduce(0, { $0 + $1.count }) < capacity else { return .full }
      minutes[minute, default: []].insert(signature)
      return .taken(Mark(key: key, minute: minute, signature: signature))
    }
  }

  /// Releases a signature whose request had no effect.
  func giveBack(_ mark: Mark) {
    minutesByKey.withLock { _ = $0[mark.key]?[mark.minute]?.remove(mark.signature) }
  }
}
