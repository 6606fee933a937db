import CloudRecords
import Synchronization

/// How often something may be tried.
package struct AttemptRate: Hashable, Sendable {
  /// How many attempts somebody has who did not try for long.
  package var atOnce: Int
  /// How long one attempt takes to come back.
  package var millisecondsForEach: Int64

  package init(atOnce: Int, secondsForEach: Int64) {
    self.atOnce = atOnce
    millisecondsForEach = secondsForEach * 1_000
  }

  /// - Parameter perSecond: How many come back in a second, a thousand at most.
  package init(atOnce: Int, perSecond: Int) {
    self.atOnce = atOnce
    millisecondsForEach = max(1, 1_000 / Int64(max(1, perSecond)))
  }
}

/// Counts attempts by name, in memory that does not grow with the names that are tried.
///
/// A name falls into one of a fixed number of places, which nobody can foresee. Names that share a
/// place share their attempts. So nothing is ever dropped to make room: an attacker cannot reset a
/// count by trying other names.
final class AttemptLimiter: Sendable {
  /// 65,536 places: 512 KiB.
  static let places = 1 << 16

  private let rate: AttemptRate
  private let message: String
  private let secret: ServerSecret
  /// For each place, the time at which all of its attempts are back.
  private let full: Mutex<[Int64]>

  /// - Parameter message: What is said to who has none left.
  init(
    rate: AttemptRate, secret: ServerSecret,
    message: String = "Too many attempts. Wait, and try again."
  ) {
    self.rate = rate
    self.message = message
    self.secret = secret
    full = Mutex(Array(repeating: .min, count: Self.places))
  }

  private var each: Int64 { rate.millisecondsForEach }

  private func place(of name: String) -> Int { Int(secret.number(for: name) % UInt64(Self.places)) }

  /// Takes an attempt.
  ///
  /// - Throws: `THROTTLED` where none is left, with the seconds until one is.
  func take(_ name: String, at now: Timestamp) throws(CloudError) {
    if let error = refusal(of: name, at: now) { throw error }
  }

  /// Takes an attempt; what to say where none is left.
  func refusal(of name: String, at now: Timestamp) -> CloudError? {
    refusal(of: name, at: now, taking: true)
  }

  /// The error if no attempt is left; takes none.
  func refusalAhead(of name: String, at now: Timestamp) -> CloudError? {
    refusal(of: name, at: now, taking: false)
  }

  private func refusal(of name: String, at now: Timestamp, taking: Bool) -> CloudError? {
    let place = place(of: name)
    let wait = full.withLock { full -> Int64 in
      let next = max(full[place], now.milliseconds) + each
      let wait = next - now.milliseconds - Int64(rate.atOnce) * each
      if taking, wait <= 0 { full[place] = next }
      return wait
    }
    guard wait > 0 else { return nil }
    return CloudError(.throttled, message, retryAfterSeconds: Int((wait + 999) / 1_000))
  }

  /// Gives an attempt back that succeeded: only failures count.
  func giveBack(_ name: String) {
    let place = place(of: name)
    full.withLock { $0[place] -= each }
  }
}
