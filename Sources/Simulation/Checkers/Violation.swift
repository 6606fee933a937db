/// A violation of an invariant.
package struct Violation: Sendable, Equatable, CustomStringConvertible {
  /// The violated invariant.
  package enum Invariant: String, CaseIterable, Sendable {
    /// After faults stop, all devices agree with the server.
    case convergence
    /// Saved objects exist unless they are deleted.
    case lost
    /// Deleted objects do not come back.
    case resurrection
    /// A property has the last written value.
    case value
    /// No object exists twice.
    case once
    /// The changes of one save become visible together.
    case together
    /// No reference points to a missing object.
    case integrity
    /// The order of contributions is the same everywhere, and respects causality.
    case causality
    /// An entry leaves the outbox only when it is acknowledged.
    case outbox
    /// After faults stop, devices become idle.
    case liveness
    /// Each object is in exactly one zone, with its related objects and many-to-many pairs.
    case zones
    /// Unique values are unique.
    case uniqueness
    /// Encrypted values are unreadable without keys, and data stays within its account.
    case secrecy
    /// No unexpected error occurs in the world's events or in the server.
    case error
  }

  package let invariant: Invariant
  /// A sentence that describes the violation.
  package let message: String

  package var description: String { "\(invariant.rawValue): \(message)" }
}
