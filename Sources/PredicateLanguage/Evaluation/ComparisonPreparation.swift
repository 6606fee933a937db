import Synchronization
import TextMatching

/// The parts of a comparison that are computed once for all objects: its compiled text pattern, and
/// the index of its list of constants.
package final class ComparisonPreparation: Sendable {
  /// An index never changes after its creation, so any thread may read it.
  private struct SharedIndex: @unchecked Sendable {
    let index: MembershipIndex
  }

  private enum RightSide: Sendable {
    /// Not determined yet.
    case unknown
    /// The right side depends on the object or the variables, or is not a collection.
    case noList
    case list(SharedIndex)
  }

  private struct State: Sendable {
    var pattern: TextPattern?
    var list = RightSide.unknown
    var compilations = 0
  }

  private let state = Mutex(State())

  /// The number of patterns and lists prepared so far, for tests.
  package var compilations: Int { state.withLock { $0.compilations } }

  /// The pattern for a text.
  ///
  /// The last pattern is cached, so a constant is compiled once.
  func pattern(
    _ operation: TextOperator, _ text: String, _ options: TextOptions
  ) throws(PredicateEvaluationError) -> TextPattern {
    let kept = state.withLock { $0.pattern }
    if let kept, kept.operator == operation, kept.options == options, kept.pattern == text {
      return kept
    }
    do {
      let pattern = try TextPattern(operation, text, options: options)
      state.withLock {
        $0.pattern = pattern
        $0.compilations += 1
      }
      return pattern
    } catch {
      throw PredicateEvaluationError(.badPattern, error.message)
    }
  }

  /// The index of a constant right side; nil if it is not a list of constants.
  func list(_ folding: @autoclosure () -> TextFolding?, of values: () -> [Any?]?)
    -> MembershipIndex?
  {
    switch state.withLock({ $0.list }) {
    case .list(let kept): return kept.index
    case .noList: return nil
    case .unknown: break
    }
    guard let values = values() else {
      state.withLock { $0.list = .noList }
      return nil
    }
    let list = SharedIndex(index: MembershipIndex(values, folding: folding()))
    state.withLock {
      $0.list = .list(list)
      $0.compilations += 1
    }
    return list.index
  }
}
