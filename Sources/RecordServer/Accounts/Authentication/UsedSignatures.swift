import CloudRecords
import Synchronization

/// The signatures of requests that change something, for as long as they could be sent again.
///
/// A signature is known by its first half, which is another one each time that somebody signs and
/// which nobody can change without the key; the second half has two values that are both good. Each
/// lies with the minute in which its date is too old, so what can be sent no more goes by whole
/// minutes.
final class UsedSignatures: Sendable {
  /// A signature that was taken, so that it can be given back.
  struct Mark: Hashable, Sendable {
    fileprivate let key: String
    fileprivate let minute: Int64
    fileprivate let signature: Fingerprint
  }

  /// What tells signatures of a key apart.
  struct Fingerprint: Hashable, Sendable {
    fileprivate let high: UInt64
    fileprivate let low: UInt64

    /// - Parameter signature: One that was verified: a sequence of two integers in DER.
    init?(ofVerified signature: [UInt8]) {
      // Both integers are short enough for lengths of one byte.
      guard signature.count > 4, case let length = Int(signature[3]), signature.count > 4 + length
      else { return nil }
      let digits = signature[4..<4 + length].suffix(16)
      let numbers = digits.reduce((high: UInt64(0), low: UInt64(0))) { sum, byte in
        (sum.high << 8 | sum.low >> 56, sum.low << 8 | UInt64(byte))
      }
      (high, low) = numbers
    }
  }

  /// The signatures of a key, by the minute that ends them.
  private typealias Minutes = [Int64: Set<Fingerprint>]

  private let minutesByKey = Mutex<[String: Minutes]>([:])
  private let capacity: Int

  /// - Parameter capacity: How many are remembered of one key.
  init(capacity: Int) { self.capacity = capacity }

  /// How many are remembered.
  var count: Int {
    minutesByKey.withLock { $0.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }
  }

  /// What came of taking a signature.
  enum ReplayCheck: Hashable, Sendable {
    case taken(Mark)
    /// It was taken before.
    case seen
    /// The key has signed more than can be remembered.
    case full
  }

  /// Takes a signature, once.
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

  /// Lets a signature be taken again: nothing came of its request.
  func giveBack(_ mark: Mark) {
    minutesByKey.withLock { _ = $0[mark.key]?[mark.minute]?.remove(mark.signature) }
  }
}
