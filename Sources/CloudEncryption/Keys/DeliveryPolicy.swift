import BinaryCoding
import CloudRecords

/// A policy for giving keys to invited people.
package enum DeliveryPolicy: UInt8, Sendable {
  /// All invited people get keys.
  case invited = 0
  /// Only invited people whose safety numbers the user has confirmed get keys.
  case verifiedOnly = 1
}

/// The policy that the user's devices follow, and when the user chose it.
struct ChosenPolicy: Hashable, Sendable {
  private(set) var policy = DeliveryPolicy.invited
  private var time = Timestamp(milliseconds: .min)

  init() {}

  mutating func choose(_ policy: DeliveryPolicy, at now: Timestamp) {
    guard policy != self.policy else { return }
    // If the clock was set back, the new choice must still be later than the former one.
    let former = time.milliseconds
    time = former == .min ? now : Timestamp(milliseconds: max(now.milliseconds, former + 1))
    self.policy = policy
  }

  /// Merges the choice of another device: the last choice wins, and of two at the same time the
  /// stricter one.
  mutating func merge(_ other: ChosenPolicy) {
    if other.time > time || other.time == time && other.policy == .verifiedOnly { self = other }
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.byte(policy.rawValue)
    form.signed(time.milliseconds)
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    guard let policy = DeliveryPolicy(rawValue: try form.byte()) else {
      throw form.error("it has an unknown policy")
    }
    (self.policy, time) = (policy, Timestamp(milliseconds: try form.signed()))
  }
}
