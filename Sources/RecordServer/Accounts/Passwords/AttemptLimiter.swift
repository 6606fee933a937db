import CloudRecords
import Synchronization

/// The rate at which attempts are allowed.
package struct AttemptRate: Hashable, Sendable {
  /// The number of attempts after a long pause.
  package var atOnce: Int
  /// The time after which one attempt is available again.
  package var microsecondsForEach: Int64

  package init(atOnce: Int, secondsForEach: Int64) {
    self.atOnce = atOnce
    microsecondsForEach = secondsForEach * 1_000_000
  }

  /// Creates a rate.
  ///
  /// - Parameter perSecond: The number of attempts that become available per second. Up to 1,000,
  ///   the rate is accurate to 0.1 percent.
  package init(atOnce: Int, perSecond: Int) {
    self.atOnce = atOnce
    microsecondsForEach = max(1, 1_000_000 / Int64(max(1, perSecond)))
  }
}

/// Counts attempts by name, in a fixed amount of memory.
///
/// A keyed hash maps each name to one of a fixed number of slots, and names in one slot share their
/// attempts. Nothing is evicted, so an attacker cannot reset a count by trying other names.
final class AttemptLimiter: Sendable {
  /// 65,536 slots: 512 KiB.
  static let places = 1 << 16

  private let rate: AttemptRate
  private let message: String
  private let secret: ServerSecret
  /// By slot, the time in microseconds at which all of its attempts are available again.
  private let full: Mutex<[Int64]>

  /// Creates a limiter.
  ///
  /// - Parameter message: The message of the error if no attempt is left.
  init(
    rate: AttemptRate, secret: ServerSecret,
    message: String = "Too many attempts. Wait, and try again."
  ) {
    self.rate = rate
    self.message = message
    self.secret = secret
    full = Mutex(Array(repeating: .min, count: Self.places))
  }

  private var each: Int64 { rate.microsecondsForEach }

  private func place(of name: String) -> Int { Int(secret.number(for: name) % UInt64(Self.places)) }

  /// Consumes an attempt.
  ///
  /// - Throws: `THROTTLED` if none is left, with the seconds until the next one.
  func take(_ name: String, at now: Timestamp) throws(CloudError) {
    if let error = refusal(of: name, at: now) { throw error }
  }

  /// Consumes an attempt, or returns the error if none is left.
  func refusal(of name: String, at now: Timestamp) -> CloudError? {
    refusal(of: name, at: now, taking: true)
  }

  /// The error if no attempt is left, without consuming one.
  func refusalAhead(of name: String, at now: Timestamp) -> CloudError? {
    refusal(of: name, at: now, taking: false)
  }

  private func refusal(of name: String, at now: Timestamp, taking: Bool) -> CloudError? {
    let (place, now) = (place(of: name), now.milliseconds * 1_000)
    let wait = full.withLock { full -> Int64 in
      let next = max(full[place], now) + each
      let wait = next - now - Int64(rate.atOnce) * each
      if taking, wait <= 0 { full[place] = next }
      return wait
    }
    guard wait > 0 else { return nil }
    return CloudError(.throttled, message, retryAfterSeconds: Int((wait + 999_999) / 1_000_000))
  }

  /// Gives back an attempt that succeeded or was not checked, since only wrong passwords count.
  func giveBack(_ name: String) {
    let place = place(of: name)
    full.withLock { $0[place] -= each }
  }
}
