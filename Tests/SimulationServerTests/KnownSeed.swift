import Simulation
import Testing

/// A world that revealed a defect, which is fixed.
struct KnownSeed: Sendable, CustomTestStringConvertible {
  /// The defect, as a test name.
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
      defect: "A second crash during a full listing loses the deletions since the first one",
      plan: WorldPlan(seed: 1_474, workload: .manySmallSaves, faults: [.crash, .push])),
    KnownSeed(
      defect: "A late insert request recreates an object that was deleted since",
      plan: WorldPlan(seed: 49, workload: .addDelete, faults: [.network, .late, .push])),
    KnownSeed(
      defect: "A crash during a full listing exports a change that recreates a deleted object",
      plan: WorldPlan(seed: 2597, workload: .manySmallSaves, faults: [.crash, .push])),
    KnownSeed(
      defect: "A crash during a full listing recreates a deleted object with relationships",
      plan: WorldPlan(seed: 2302, workload: .relations, faults: [.crash, .push])),
    KnownSeed(
      defect:
        "A crash during a full listing recreates a deleted object that several devices change",
      plan: WorldPlan(seed: 3554, workload: .concurrentEdits, faults: [.crash, .push])),
    KnownSeed(
      defect: "A loser's unique value is lost if the winner is deleted before the two merge",
      plan: WorldPlan(seed: 17, workload: .constraints, faults: [.crash, .push])),
    KnownSeed(
      defect:
        "A listing that starts before expired tombstones returns its first page again and again",
      plan: WorldPlan(
        seed: 101_092, workload: .manySmallSaves, faults: harmless.union(.expiry), recordsInPage: 3)
    ),
    KnownSeed(
      defect: "Deleting one of two duplicates without knowing the other deletes both",
      plan: WorldPlan(seed: 16, workload: .constraints, faults: .push)),
    KnownSeed(
      defect: "Deleting one of two duplicates deletes both, with pages of two records",
      plan: WorldPlan(seed: 7, workload: .constraints, faults: .push, recordsInPage: 2)),
    KnownSeed(
      defect: "Deleting one of two duplicates deletes both, with pages of four records",
      plan: WorldPlan(seed: 132, workload: .constraints, faults: .push, recordsInPage: 4)),
    KnownSeed(
      defect: "A conflict applies a merge before the objects that refer to the loser have arrived",
      plan: WorldPlan(seed: 99, workload: .constraints, faults: .push)),
    KnownSeed(
      defect:
        "An object whose import a crash left unrecorded survives deletion in a public database",
      plan: WorldPlan(seed: 16, workload: .readers, faults: .harmless)),
    KnownSeed(
      defect:
        "An object that only a device's former user received survives deletion in a public database",
      plan: WorldPlan(seed: 10, workload: .readers, faults: [], recordsInPage: 2)),
    KnownSeed(
      defect:
        "Of two unanswered requests only the earlier one arrives, and the later changes are lost",
      plan: WorldPlan(seed: 22_605, workload: .secrets, faults: [.harmless, .late])),
    KnownSeed(
      defect: "An object that arrives with its owner's deletion is deleted on one device only",
      plan: WorldPlan(seed: 3836, workload: .cascades, faults: [.network, .push], recordsInPage: 3)),
    KnownSeed(
      defect:
        "An object that a creator received only in a conflict survives deletion in a public database",
      plan: WorldPlan(seed: 2863, workload: .readers, faults: .all)),
    KnownSeed(
      defect: "A deletion reported while another user is signed in does not reach the creator",
      plan: WorldPlan(seed: 5839, workload: .readers, faults: [.network, .late, .push])),
    KnownSeed(
      defect: "Two uploads for one field in one millisecond share a URL, and one file is lost",
      plan: WorldPlan(seed: 15236, workload: .largeValues, faults: [.network, .power])),
    KnownSeed(
      defect: "A field that another device also cleared counts as proof that a request arrived",
      plan: WorldPlan(
        seed: 3117, workload: .lockers, faults: harmless.union([.expiry, .transaction, .power]))),
    KnownSeed(
      defect: "A lost one-to-one target is exported over the one that a later page assigns",
      plan: WorldPlan(
        seed: 1462, workload: .lockers, faults: [.transaction, .push], recordsInPage: 4)),
    KnownSeed(
      defect:
        "Small pages of duplicates make a device mistake its own ledger writes for foreign ones",
      plan: WorldPlan(seed: 2896, workload: .constraints, faults: [], recordsInPage: 1)),
    KnownSeed(
      defect: "An object from a listing whose save failed survives its deletion when it restarts",
      plan: WorldPlan(seed: 71282, workload: .manySmallSaves, faults: .all)),
    KnownSeed(
      defect: "An insertion that arrived after a rejected one overwrites later edits of others",
      plan: WorldPlan(seed: 501_659, workload: .secrets, faults: .harmless, recordsInPage: 1)),
    KnownSeed(
      defect: "After an expired token, an edit brings back a part of a deleted group",
      plan: WorldPlan(
        seed: 609_259, workload: .fewLargeSaves, faults: [.harmless, .expiry])),
    KnownSeed(
      defect: "After an expired token, an edit brings back an object that its target lost",
      plan: WorldPlan(
        seed: 601_708, workload: .constraints, faults: [.harmless, .expiry], recordsInPage: 4)),
    KnownSeed(
      defect: "An edit brings a record back that its owner moved out of the share",
      plan: WorldPlan(seed: 32, workload: .sharing, faults: [])),
    KnownSeed(
      defect: "A second end of a membership is not reported",
      plan: WorldPlan(seed: 46, workload: .sharing, faults: [], recordsInPage: 2)),
    KnownSeed(
      defect: "An object with an unsent edit survives when its user deletes its zone",
      plan: WorldPlan(seed: 33, workload: .sharing, faults: .harmless, recordsInPage: 4)),
    KnownSeed(
      defect: "A rejected deletion stays pending forever",
      plan: WorldPlan(seed: 4, workload: .sharing, faults: [.crash, .push])),
  ]
}
