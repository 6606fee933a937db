import Simulation
import Testing

/// A world that revealed a defect, which is fixed.
struct KnownSeed: Sendable, CustomTestStringConvertible {
  /// The defect.
  let defect: String
  let plan: WorldPlan

  var testDescription: String { defect }

  /// All faults that were harmless when the seeds were found.
  ///
  /// Adding more would change the worlds of the same seeds.
  private static let harmless: SimulatedFaults = [
    .network, .crash, .clock, .quota, .server, .disk, .push,
  ]

  static let all = [
    KnownSeed(
      defect: "A device that crashes twice amid a listing forgets what was deleted between",
      plan: WorldPlan(seed: 1_474, workload: .manySmallSaves, faults: [.crash, .push])),
    KnownSeed(
      defect: "An insertion that arrives late, behind the deletion of what it made, brings it back",
      plan: WorldPlan(seed: 49, workload: .addDelete, faults: [.network, .late, .push])),
    KnownSeed(
      defect:
        "A device that crashes amid a listing sends a change of what was deleted meanwhile, which brings it back",
      plan: WorldPlan(seed: 2597, workload: .manySmallSaves, faults: [.crash, .push])),
    KnownSeed(
      defect: "The same, where objects relate to each other",
      plan: WorldPlan(seed: 2302, workload: .relations, faults: [.crash, .push])),
    KnownSeed(
      defect: "The same, where several change one object",
      plan: WorldPlan(seed: 3554, workload: .concurrentEdits, faults: [.crash, .push])),
    KnownSeed(
      defect:
        "Of two that may be there once only, one loses its value and the other is deleted before they are one",
      plan: WorldPlan(seed: 17, workload: .constraints, faults: [.crash, .push])),
    KnownSeed(
      defect:
        "A zone whose beginning is older than forgotten deletions can be read in one part alone",
      plan: WorldPlan(
        seed: 101_092, workload: .manySmallSaves, faults: harmless.union(.expiry), recordsInPage: 3)
    ),
    KnownSeed(
      defect:
        "Who deletes one of two that may be there once only, and has not heard of the other, deletes both",
      plan: WorldPlan(seed: 16, workload: .constraints, faults: .push)),
    KnownSeed(
      defect: "The same, where changes come in small parts",
      plan: WorldPlan(seed: 7, workload: .constraints, faults: .push, recordsInPage: 2)),
    KnownSeed(
      defect: "The same, where parts are larger",
      plan: WorldPlan(seed: 132, workload: .constraints, faults: .push, recordsInPage: 4)),
    KnownSeed(
      defect:
        "A conflict tells for whom somebody stands before it is known what was related to those",
      plan: WorldPlan(seed: 99, workload: .constraints, faults: .push)),
    KnownSeed(
      defect:
        "What came of a public database, and was not noted as told when the device crashed, stays when it is deleted",
      plan: WorldPlan(seed: 16, workload: .readers, faults: .harmless)),
    KnownSeed(
      defect: "What a former user of a public database alone was told stays when it is deleted",
      plan: WorldPlan(seed: 10, workload: .readers, faults: [], recordsInPage: 2)),
    KnownSeed(
      defect:
        "Of two requests without an answer the earlier one arrives, and what the later one alone had goes",
      plan: WorldPlan(seed: 22_605, workload: .secrets, faults: [.harmless, .late])),
    KnownSeed(
      defect:
        "What comes together with the deletion of what takes it along is gone on one device alone",
      plan: WorldPlan(seed: 3836, workload: .cascades, faults: [.network, .push], recordsInPage: 3)),
    KnownSeed(
      defect:
        "What a maker was told as a conflict alone, in a public database, stays when it is deleted",
      plan: WorldPlan(seed: 2863, workload: .readers, faults: .all)),
    KnownSeed(
      defect:
        "Who is shown what they have made keeps what is gone of it, of which another one was told on their device",
      plan: WorldPlan(seed: 5839, workload: .readers, faults: [.network, .late, .push])),
    KnownSeed(
      defect:
        "A file whose connection breaks is taken for a former one of its field that was asked for at the same moment",
      plan: WorldPlan(seed: 15236, workload: .largeValues, faults: [.network, .power])),
    KnownSeed(
      defect:
        "What others have cleared as well passes for the arrival of a request, of which the rest is lost",
      plan: WorldPlan(
        seed: 3117, workload: .lockers, faults: harmless.union([.expiry, .transaction, .power]))),
    KnownSeed(
      defect:
        "Who loses a member to another one amid a feed loses what the rest of the feed gives them instead",
      plan: WorldPlan(
        seed: 1462, workload: .lockers, faults: [.transaction, .push], recordsInPage: 4)),
    KnownSeed(
      defect:
        "Who takes over in small parts what may be there once only finds its own numbers overtaken for ever",
      plan: WorldPlan(seed: 2896, workload: .constraints, faults: [], recordsInPage: 1)),
    KnownSeed(
      defect:
        "What a listing named, whose save failed, stays where it is gone when the listing begins again",
      plan: WorldPlan(seed: 71282, workload: .manySmallSaves, faults: .all)),
  ]
}
