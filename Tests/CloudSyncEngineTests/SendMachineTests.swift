import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Foundation
import Testing

/// The decisions of a send: its steps, and the pending changes after each answer.
@Suite struct SendMachineTests {
  /// Plays the program, the server and the engine, and records the machine's steps.
  private struct Play: ~Copyable {
    var machine: SendMachine
    var state: SyncState
    private(set) var lines: [String] = []
    private(set) var batch = CKSyncEngine.RecordZoneChangeBatch()
    private var hearing: ((inout SyncState) -> Void)?
    private var zones: (saves: [CKRecordZone.ID], deletes: [CKRecordZone.ID]) = ([], [])

    init(_ state: SyncState, _ scope: CKSyncEngine.SendChangesOptions.Scope = .all) {
      machine = SendMachine(.init(scope: scope))
      self.state = state
      perform(machine.begin())
    }

    /// Answers as the server; zones without an error succeeded.
    mutating func zonesAnswer(_ errors: [String: CKError.Code] = [:]) {
      var results = SendMachine.ZoneResults()
      results.saves = zones.saves.map {
        (CKRecordZone(zoneID: $0), errors[$0.zoneName].map { CKError($0) })
      }
      results.deletes = zones.deletes.map { ($0, errors[$0.zoneName].map { CKError($0) }) }
      perform(machine.zonesSent(results))
    }

    /// Gives all records that were pending when the engine asked.
    ///
    /// - Parameter meanwhile: The program's changes after the engine has asked.
    mutating func give(isAtomic: Bool = false, meanwhile: (inout SyncState) -> Void = { _ in }) {
      let before = state
      let items = state.records.items
      meanwhile(&state)
      let batch = CKSyncEngine.RecordZoneChangeBatch(
        recordsToSave: items.filter { $0.kind == .save }.map {
          CKRecord(recordType: "Note", recordID: $0.name)
        },
        recordIDsToDelete: items.filter { $0.kind == .delete }.map(\.name), atomicByZone: isAtomic)
      perform(machine.gave(batch, askedAt: before))
    }

    mutating func giveNothing() { perform(machine.gave(nil, askedAt: state)) }

    /// Answers as the server; records without an error succeeded.
    ///
    /// - Parameter hearing: The program's changes when it gets the answer.
    mutating func recordsAnswer(
      _ errors: [String: CKError.Code] = [:], otherwise: CKError.Code? = nil,
      hearing: ((inout SyncState) -> Void)? = nil
    ) {
      self.hearing = hearing
      func error(_ recordID: CKRecord.ID) -> CKError? {
        (errors[recordID.recordName] ?? otherwise).map { CKError($0) }
      }
      var results = SendMachine.RecordResults()
      results.saves = batch.recordsToSave.map { ($0, error($0.recordID)) }
      results.deletes = batch.recordIDsToDelete.map { ($0, error($0)) }
      perform(machine.recordsSent(batch, results))
    }

    private mutating func perform(_ actions: [SendMachine.Action]) {
      for action in actions {
        switch action {
        case .apply(let change): state.apply(change)
        case .deliver(.records): hearing?(&state)
        case .modifyZones(let saves, let deletes): zones = (saves, deletes)
        case .modifyRecords(let batch): self.batch = batch
        default: break
        }
        if case .next = action { return perform(machine.next(state)) }
        lines.append(Self.text(action))
      }
    }

    private static func text(_ action: SendMachine.Action) -> String {
      switch action {
      case .deliver(.willSend): "will send"
      case .deliver(.didSend): "did send"
      case .deliver(.zones(let results)):
        "zones" + results.saves.map { " +\($0.zone.zoneID.zoneName)\(mark($0.error))" }.joined()
          + results.deletes.map { " -\($0.zoneID.zoneName)\(mark($0.error))" }.joined()
      case .deliver(.records(let results)):
        "records"
          + results.saves.map { " +\($0.record.recordID.recordName)\(mark($0.error))" }.joined()
          + results.deletes.map { " -\($0.recordID.recordName)\(mark($0.error))" }.joined()
      case .apply: "note"
      case .update: "update"
      case .modifyZones(let saves, let deletes):
        "send zones" + saves.map { " +\($0.zoneName)" }.joined()
          + deletes.map { " -\($0.zoneName)" }.joined()
      case .next: "next"
      case .ask: "ask"
      case .modifyRecords(let batch):
        "send" + batch.recordsToSave.map { " +\($0.recordID.recordName)" }.joined()
          + batch.recordIDsToDelete.map { " -\($0.recordName)" }.joined()
      case .end(let error): "end" + (error.map { " \($0.code)" } ?? "")
      }
    }

    private static func mark(_ error: CKError?) -> String { error.map { " (\($0.code))" } ?? "" }
  }

  private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: Self.zoneID)
  }

  private func pending(_ names: String..., zones: String...) -> SyncState {
    var state = SyncState()
    for name in names {
      let isDelete = name.hasPrefix("-")
      state.records.add(
        .init(isDelete ? .delete : .save, recordID(isDelete ? String(name.dropFirst()) : name)))
    }
    for zone in zones { state.zones.add(.init(.save, CKRecordZone.ID(zoneName: zone))) }
    return state
  }

  private func names(_ state: SyncState) -> [String] { state.records.items.map(\.name.recordName) }

  @Test func `Zones are sent first, then batches until none is left`() {
    var play = Play(pending("a", "-b", zones: "Notes"))
    play.zonesAnswer()
    play.give()
    play.recordsAnswer()
    play.giveNothing()
    #expect(
      play.lines == [
        "will send", "send zones +Notes", "note", "zones +Notes", "update", "ask", "send +a -b",
        "note",
        "records +a -b",
        "update", "ask", "did send", "end",
      ])
    #expect(!play.state.hasSomethingToSend)
  }

  @Test func `A failure that the program must resolve is reported and no longer pending`() {
    for code: CKError.Code in [
      .serverRecordChanged, .unknownItem, .zoneNotFound, .quotaExceeded, .permissionFailure,
    ] {
      var play = Play(pending("a", "b"))
      play.give()
      play.recordsAnswer(["a": code])
      #expect(play.lines.suffix(4) == ["note", "records +a (\(code)) +b", "update", "ask"])
      #expect(play.state.records.isEmpty)
    }
  }

  @Test func `A temporary failure stays pending and ends the sending`() {
    for code: CKError.Code in [
      .networkFailure, .networkUnavailable, .serverResponseLost, .zoneBusy, .serviceUnavailable,
      .requestRateLimited,
      .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled,
    ] {
      var play = Play(pending("a", "b"))
      play.give()
      play.recordsAnswer(["a": code])
      #expect(
        play.lines.suffix(5) == [
          "note", "records +a (\(code)) +b", "update", "did send", "end \(code)",
        ])
      #expect(names(play.state) == ["a"])
    }
  }

  @Test func `A temporary failure to create a zone holds back its records`() {
    var play = Play(pending("a", zones: "Notes"))
    play.zonesAnswer(["Notes": .serviceUnavailable])
    #expect(
      play.lines.suffix(4) == [
        "zones +Notes (serviceUnavailable)", "update", "did send", "end serviceUnavailable",
      ])
    #expect(play.state.zones.count == 1 && names(play.state) == ["a"])
    var refused = Play(pending("a", zones: "Notes"))
    refused.zonesAnswer(["Notes": .permissionFailure])
    #expect(refused.lines.last == "ask" && refused.state.zones.isEmpty)
  }

  @Test func `A missing zone that the program adds is created before the next batch`() {
    var play = Play(pending("a"))
    play.give()
    let again = recordID("a")
    play.recordsAnswer(["a": .zoneNotFound]) { state in
      state.zones.add(.init(.save, Self.zoneID))
      state.records.add(.init(.save, again))
    }
    #expect(play.lines.suffix(3) == ["records +a (zoneNotFound)", "update", "send zones +Notes"])
    play.zonesAnswer()
    play.give()
    play.recordsAnswer()
    #expect(play.lines.last == "ask" && !play.state.hasSomethingToSend)
  }

  @Test func `Records that failed only because of another one are sent again without it`() {
    var play = Play(pending("a", "b", "c"))
    play.give(isAtomic: true)
    play.recordsAnswer(["b": .serverRecordChanged], otherwise: .batchRequestFailed)
    #expect(play.lines.last == "ask" && names(play.state) == ["a", "c"])
    // A server that names no cause does not keep the engine busy forever.
    play.give(isAtomic: true)
    play.recordsAnswer(otherwise: .batchRequestFailed)
    #expect(play.lines.last == "end batchRequestFailed" && names(play.state) == ["a", "c"])
  }

  @Test func `Zones that failed only because of another one are sent again without it`() {
    var play = Play(pending(zones: "Notes", "Other"))
    play.zonesAnswer(["Notes": .permissionFailure, "Other": .batchRequestFailed])
    #expect(play.lines.last == "send zones +Other")
    // A server that names no cause does not keep the engine busy forever.
    play.zonesAnswer(["Other": .batchRequestFailed])
    #expect(play.lines.last == "end batchRequestFailed" && play.state.zones.count == 1)
  }

  @Test func `A batch that is too large is halved in its order`() {
    var play = Play(pending("a", "b", "c", "-d", "-e"))
    play.give()
    play.recordsAnswer(otherwise: .limitExceeded)
    #expect(play.lines.last == "send +a +b +c" && names(play.state).count == 5)
    play.recordsAnswer(otherwise: .limitExceeded)
    play.recordsAnswer()
    play.recordsAnswer(["c": .limitExceeded])
    #expect(
      play.lines.suffix(9) == [
        "send +a +b", "note", "records +a +b", "update", "send +c", "note",
        "records +c (limitExceeded)", "update",
        "send -d -e",
      ])
    play.recordsAnswer()
    play.giveNothing()
    #expect(play.lines.last == "end" && play.state.records.isEmpty)
  }

  @Test func `Only the part that was too large is sent again`() {
    var play = Play(pending("a", "b", "c"))
    play.give()
    play.recordsAnswer(["b": .limitExceeded, "c": .limitExceeded])
    #expect(play.lines.suffix(4) == ["note", "records +a", "update", "send +b"])
    play.recordsAnswer()
    #expect(play.lines.last == "send +c")
  }

  @Test func `An atomic batch is not halved`() {
    var play = Play(pending("a", "b"))
    play.give(isAtomic: true)
    play.recordsAnswer(otherwise: .limitExceeded)
    #expect(
      play.lines.suffix(4) == [
        "note", "records +a (limitExceeded) +b (limitExceeded)", "update", "ask",
      ])
  }

  @Test func `A change that is added again while it is sent is sent again`() {
    var play = Play(pending("a", "b"))
    let again = recordID("a")
    play.give(meanwhile: { $0.records.add(.init(.save, again)) })
    play.recordsAnswer()
    #expect(names(play.state) == ["a"] && play.lines.last == "ask")
  }

  @Test func `Untracked changes are no longer pending when the program gives none`() {
    var state = SyncState()
    (state.hasUntracked, state.untrackedStamp) = (true, 1)
    var play = Play(state)
    play.giveNothing()
    #expect(
      play.lines == ["will send", "ask", "note", "update", "did send", "end"]
        && !play.state.hasUntracked)
  }

  @Test func `A send of some zones leaves untracked changes pending`() {
    var state = SyncState()
    (state.hasUntracked, state.untrackedStamp) = (true, 1)
    var play = Play(state, .zoneIDs([Self.zoneID]))
    play.giveNothing()
    #expect(play.lines == ["will send", "ask", "did send", "end"] && play.state.hasUntracked)
  }

  @Test func `Only zones in the scope are sent`() {
    let other = CKRecordZone.ID(zoneName: "Other")
    let table: [(CKSyncEngine.SendChangesOptions.Scope, String)] = [
      (.all, "send zones +Notes +Other"), (.zoneIDs([other]), "send zones +Other"),
      (.allExcluding([other]), "send zones +Notes"),
      (.recordIDs([recordID("a")]), "send zones +Notes"),
      (.zoneIDs([]), "ask"),
    ]
    for (scope, line) in table {
      #expect(Play(pending("a", zones: "Notes", "Other"), scope).lines.last == line)
    }
  }
}
