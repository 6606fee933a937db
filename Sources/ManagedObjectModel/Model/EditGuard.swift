import Synchronization

/// Marks a description as in use and immutable.
///
/// Every description has one. Freezing a model stores all derived values (inherited properties,
/// hashes) and then sets the marks of everything in it. So a reader that sees the mark also sees
/// those values.
struct EditGuard: ~Copyable, Sendable {
  private let mark = Atomic<Bool>(false)

  /// Whether the description is in use.
  var isSet: Bool { mark.load(ordering: .acquiring) }

  /// Sets the mark.
  ///
  /// It is never cleared; a copy of the description has a new mark.
  func set() { mark.store(true, ordering: .releasing) }

  /// Stops the program with a message if the description is in use.
  func requireEditable(_ subject: @autoclosure () -> String) {
    precondition(
      !isSet,
      "\(subject()) is in use by a persistent store coordinator and can no longer be changed. Change a copy of the model instead."
    )
  }
}
