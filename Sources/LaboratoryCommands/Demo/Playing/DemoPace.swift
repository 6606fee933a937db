/// The pauses of the demonstration, which give viewers time to read.
package struct DemoPace: Equatable, Sendable {
  /// The seconds after the title of a scene.
  package let titleSeconds: Double
  /// The seconds after each visible step.
  package let stepSeconds: Double

  /// No pauses, for logs and programs.
  package static let none = DemoPace(titleSeconds: 0, stepSeconds: 0)
  /// Pauses for viewers; all scenes together stay well within the time limit.
  package static let watched = DemoPace(titleSeconds: 1.2, stepSeconds: 0.7)

  /// The seconds to wait after a step; 0 after steps that only start, await, check or measure.
  package func seconds(after step: DemoStep) -> Double {
    switch step {
    case .tell, .agree, .killServer, .startServer: stepSeconds
    case .begin, .waitForAll, .waitFor, .expect, .measure: 0
    }
  }

  /// The total seconds of pauses in some scenes.
  package func seconds(of scenes: [DemoScene]) -> Double {
    scenes.reduce(0) { sum, scene in
      scene.steps.reduce(sum + titleSeconds) { $0 + seconds(after: $1) }
    }
  }
}
