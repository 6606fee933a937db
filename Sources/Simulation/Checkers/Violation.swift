/// Something that must never be, and was.
package struct Violation: Sendable, Equatable, CustomStringConvertible {
  /// What was violated.
  package enum Invariant: String, CaseIterable, Sendable {
    /// All devices have the same as the server, when faults have stopped.
    case convergence
    /// What was saved is there, unless somebody deleted it.
    case lost
    /// What was deleted is gone.
    case resurrection
    /// A property has what somebody wrote last.
    case value
    /// Nothing is there twice.
    case once
    /// What one save made is seen together.
    case together
    /// Nothing refers to what is not there.
    case integrity
    /// Contributions come in orders that are the same everywhere, none before what it follows.
    case causality
    /// What leaves the outbox was acknowledged.
    case outbox
    /// When faults have stopped, devices come to an end.
    case liveness
    /// What must be unique is.
    case uniqueness
    /// Nobody reads what is encrypted without keys, and nobody gets what is somebody else's.
    case secrecy
    /// Nothing throws, here or within the server, that should not.
    case error
  }

  package let invariant: Invariant
  /// What was wrong, in a sentence.
  package let message: String

  package var description: String { "\(invariant.rawValue): \(message)" }
}
