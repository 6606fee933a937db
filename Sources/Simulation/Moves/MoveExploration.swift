/// Every interleaving of the steps of a model of moves.
package struct MoveExploration: Sendable {
  /// The number of different states that were visited.
  package private(set) var stateCount = 0
  /// The number of quiet states, in which no step is possible.
  package private(set) var quietCount = 0
  /// The first problem, with the steps that lead to it; nil if there is none.
  package private(set) var failure: String?

  /// Visits all states that can be reached from a first one, breadth first.
  ///
  /// - Parameter check: Returns the problems of a quiet state that the model does not report.
  package init(_ first: MoveModel, check: (MoveModel) -> [String] = { _ in [] }) {
    var states = [first]
    var origins: [(state: Int, step: MoveModel.Step)?] = [nil]
    var known: Set = [first]
    var next = 0
    while next < states.count, failure == nil {
      let state = states[next]
      let steps = state.steps
      var found = state.missing.map { "The object \($0) is in no zone." }
      if steps.isEmpty {
        quietCount += 1
        found += state.problems + check(state)
      }
      if !found.isEmpty {
        failure = (found + Self.path(to: next, origins)).joined(separator: "\n")
      }
      for step in steps {
        let after = state.after(step)
        guard known.insert(after).inserted else { continue }
        states.append(after)
        origins.append((next, step))
      }
      next += 1
    }
    stateCount = states.count
  }

  private static func path(
    to state: Int, _ origins: [(state: Int, step: MoveModel.Step)?]
  ) -> [String] {
    var (steps, place): ([String], Int) = ([], state)
    while let origin = origins[place] {
      steps.append("\(origin.step)")
      place = origin.state
    }
    return steps.reversed()
  }
}
