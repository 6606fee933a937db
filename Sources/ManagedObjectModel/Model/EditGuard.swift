import Synchronization

/// Remembers that a description is in use and may no longer be changed.
///
/// Every description carries one. Freezing a model sets the marks of everything in it, after all
/// derived values (inherited properties, hashes) have been stored; a reader that sees the mark set
/// therefore also sees those values.
struct EditGuard: ~Copyable, Sendable {
  private let mark = Atomic<Bool>(false)

  /// Whether the description is in use.
  var isSet: Bool { mark.load(ordering: .acquiring) }

  /// Sets the mark.
  ///
  /// It is never cleared; a copy of the description starts with a mark of its own.
  func set() { mark.store(true, ordering: .releasing) }

  /// Stops the program, with a sentence, when the description is in use.
  func requireEditable(_ subject: @autoclosure () -> String) {
    precondition(
      !isSet,
      "\(subject()) is in use by a persistent store coordinator and can no longer be changed. Change a copy of the model instead."
    )
  }
}
