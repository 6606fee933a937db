import BinaryCoding
import CloudRecords

/// A policy for giving keys to invited people.
package enum DeliveryPolicy: UInt8, Sendable {
  /// All of them.
  case invited = 0
  /// Those whose safety numbers the user has confirmed.
  case verifiedOnly = 1
}

/// The policy that the user's devices follow, and when the user chose it.
struct ChosenPolicy: Hashable, Sendable {
  private(set) var policy = DeliveryPolicy.invited
  private var time = Timestamp(milliseconds: .min)

  init() {}

  mutating func choose(_ policy: DeliveryPolicy, at now: Timestamp) {
    guard policy != self.policy else { return }
    // A clock that went back must not make the choice weaker than the former one.
    let former = time.milliseconds
    time = former == .min ? now : Timestamp(milliseconds: max(now.milliseconds, former + 1))
    self.policy = policy
  }

  /// Takes over what the user chose on another device; the last choice wins.
  ///
  /// Of two choices at the same time, the stricter one wins.
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
      throw form.damage("it has an unknown policy")
    }
    (self.policy, time) = (policy, Timestamp(milliseconds: try form.signed()))
  }
}
