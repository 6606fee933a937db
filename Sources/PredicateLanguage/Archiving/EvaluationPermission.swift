import Synchronization

/// Whether an expression or predicate from a secure archive may be evaluated.
///
/// Its key paths and functions come from outside the program, so the program must look at them
/// first and call `allowEvaluation()`. Other expressions and predicates have no such permission and
/// need none.
final class EvaluationPermission: Sendable {
  private let isGiven = Atomic(false)

  func give() { isGiven.store(true, ordering: .relaxed) }

  /// Stops the program if the permission was not given.
  func require(_ text: @autoclosure () -> String) {
    precondition(
      isGiven.load(ordering: .relaxed),
      """
      \(text()) comes from a secure archive and cannot be evaluated yet. Check its key paths and \
      functions, then call allowEvaluation().
      """
    )
  }
}
