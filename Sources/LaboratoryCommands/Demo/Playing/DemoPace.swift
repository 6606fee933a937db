/// How long the demonstration waits so that somebody can read along.
package struct DemoPace: Equatable, Sendable {
  /// The seconds behind the title of a scene.
  package let titleSeconds: Double
  /// The seconds behind each thing that can be seen.
  package let stepSeconds: Double

  /// For logs and machines.
  package static let none = DemoPace(titleSeconds: 0, stepSeconds: 0)
  /// For people: all scenes together stay well within the time that the demonstration may take.
  package static let watched = DemoPace(titleSeconds: 1.2, stepSeconds: 0.7)

  /// The seconds to wait behind a step: there is something to be seen, and nothing that has begun
  /// is held up.
  package func seconds(after step: DemoStep) -> Double {
    switch step {
    case .tell, .agree, .killServer, .startServer: stepSeconds
    case .begin, .waitForAll, .waitFor, .expect, .measure: 0
    }
  }

  /// The seconds that it waits in all of some scenes.
  package func seconds(of scenes: [DemoScene]) -> Double {
    scenes.reduce(0) { sum, scene in
      scene.steps.reduce(sum + titleSeconds) { $0 + seconds(after: $1) }
    }
  }
}
