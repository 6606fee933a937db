import Simulation
import Testing

/// All interleavings of moves between zones, on two devices and a server.
@Suite struct MoveModelTests {
  /// Up to four objects, and the acts of two devices' users.
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let objects: [(parent: Int?, zone: Int)]
    let acts: [[MoveModel.Act]]
    var losses = 0
  }

  static let scenarios = [
    Scenario(
      testDescription: "A child joins a share while another device edits it",
      objects: [(nil, 1), (nil, 0)],
      acts: [[.relate(1, to: 0)], [.edit(1)]], losses: 1),
    Scenario(
      testDescription: "A child with a child of its own joins a share, and both are edited",
      objects: [(nil, 1), (nil, 0), (nil, 0), (2, 0)],
      acts: [[.relate(2, to: 0)], [.edit(2), .edit(3)]]),
    Scenario(
      testDescription: "A child leaves a share and comes back while another device edits it",
      objects: [(nil, 1), (nil, 0), (0, 1)],
      acts: [[.relate(2, to: 1), .relate(2, to: 0)], [.edit(2)]]),
    Scenario(
      testDescription: "Two devices move a child to two shares",
      objects: [(nil, 1), (nil, 2), (nil, 0)],
      acts: [[.relate(2, to: 0)], [.relate(2, to: 1)]]),
    Scenario(
      testDescription: "A child joins a share while another device gives it a private parent",
      objects: [(nil, 1), (nil, 0), (nil, 0), (2, 0)],
      acts: [[.relate(2, to: 0), .edit(3)], [.relate(2, to: 1)]]),
    Scenario(
      testDescription: "A child leaves a share while its own child is edited",
      objects: [(nil, 1), (nil, 0), (0, 1), (2, 1)],
      acts: [[.relate(2, to: 1)], [.edit(3), .edit(2)]]),
  ]

  @Test(arguments: scenarios)
  func `Each interleaving ends with every object in one zone, and with all edits`(
    scenario: Scenario
  ) {
    let edited = scenario.acts.enumerated().flatMap { device, acts in
      acts.compactMap { act in if case .edit(let object) = act { (device, object) } else { nil } }
    }
    let exploration = MoveExploration(
      MoveModel(scenario.objects, acts: scenario.acts, losses: scenario.losses)
    ) { state in
      edited.compactMap { device, object in
        let edit = state.content(of: object)?.edits[device] ?? 0
        return edit > scenario.objects.count
          ? nil : "The edit of \(object) by the device \(device) is lost."
      }
    }
    print("\(scenario.testDescription): \(exploration.stateCount) states")
    #expect(exploration.failure == nil)
    #expect(exploration.quietCount > 0 && exploration.stateCount > 100)
  }

  /// Each dictionary has its own order, so states that depended on the order would differ.
  @Test func `Equal states stay equal when several former records are deleted`() {
    let moved = (0..<32).map { _ in
      MoveModel([(nil, 1), (nil, 0), (1, 0), (1, 0)], acts: [[.relate(1, to: 0)], []], losses: 0)
        .after(.act(device: 0)).after(.send(device: 0, zone: 1, isLost: false))
    }
    #expect(Set(moved).count == 1)
    let deletion = MoveModel.Step.delete(device: 0, zone: 0, isLost: false)
    #expect(moved[0].steps.contains(deletion))
    #expect(Set(moved.map { $0.after(deletion) }).count == 1)
  }
}
