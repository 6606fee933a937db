import ClientTestSupport
import CloudEncryption
import CloudKitClient
import CloudSyncEngine
import Foundation
import Testing

/// The decisions of a fetch: its steps and its state after each answer.
@Suite struct FetchMachineTests {
  /// Plays the server and the engine, and records the machine's steps.
  private struct Play: ~Copyable {
    var machine: FetchMachine
    var state: SyncState
    private(set) var lines: [String] = []
    private var asked: CKRecordZone.ID?

    init(
      _ state: SyncState = SyncState(), _ options: CKSyncEngine.FetchChangesOptions = .init(),
      changed zones: Set<CKRecordZone.ID>? = nil
    ) {
      machine = FetchMachine(options)
      self.state = state
      perform(machine.begin(state, changed: zones))
    }

    mutating func list(
      _ token: String, changed: [String] = [],
      gone: [(String, CKDatabase.DatabaseChange.Deletion.Reason)] = [],
      more: Bool = false
    ) {
      var page = DatabaseChanges(token: CKServerChangeToken(token), moreComing: more)
      page.changed = changed.map { CKRecordZone.ID(zoneName: $0) }
      page.deleted = gone.map { (CKRecordZone.ID(zoneName: $0.0), $0.1) }
      perform(machine.listed(page, state))
    }

    mutating func listingFails(_ code: CKError.Code) {
      perform(machine.listingFailed(CKError(code)))
    }

    mutating func zone(
      _ token: String, changed: [String] = [], gone: [String] = [], failed: [CKError.Code] = [],
      more: Bool = false
    ) {
      guard let asked else { return }
      var page = ZoneChanges(token: CKServerChangeToken(token), moreComing: more)
      page.records = changed.map { name in
        let recordID = CKRecord.ID(recordName: name, zoneID: asked)
        return (recordID, .success(CKRecord(recordType: "Note", recordID: recordID)))
      }
      page.records += failed.map {
        (CKRecord.ID(recordName: "failed", zoneID: asked), .failure(CKError($0)))
      }
      page.deleted = gone.map { (CKRecord.ID(recordName: $0, zoneID: asked), "Note") }
      perform(machine.fetched(asked, page, state))
    }

    /// A page with records whose keys are missing.
    mutating func zone(_ token: String, sealed: [String]) {
      guard let asked else { return }
      var page = ZoneChanges(token: CKServerChangeToken(token), moreComing: false)
      page.records = sealed.map {
        (CKRecord.ID(recordName: $0, zoneID: asked), .failure(.withoutKeys))
      }
      perform(machine.fetched(asked, page, state))
    }

    /// A page with records of a later version of the library.
    mutating func zone(_ token: String, later: [String]) {
      guard let asked else { return }
      var page = ZoneChanges(token: CKServerChangeToken(token), moreComing: false)
      page.records = later.map {
        (CKRecord.ID(recordName: $0, zoneID: asked), .failure(.ofLaterVersion))
      }
      perform(machine.fetched(asked, page, state))
    }

    /// Records that are requested by name: readable, without keys, missing, failed, and of a later
    /// version of the library.
    mutating func read(
      _ zone: String, open: [String] = [], sealed: [String] = [], gone: [String] = [],
      failed: [String] = [],
      later: [String] = []
    ) {
      let zoneID = CKRecordZone.ID(zoneName: zone)
      func recordID(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }
      let results =
        open.map { (recordID($0), .success(CKRecord(recordType: "Note", recordID: recordID($0)))) }
        + sealed.map { (recordID($0), .failure(.withoutKeys)) }
        + gone.map { (recordID($0), .failure(CKError(.unknownItem))) }
        + failed.map { (recordID($0), .failure(CKError(.internalError))) }
        + later.map { (recordID($0), .failure(.ofLaterVersion)) }
        as [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)]
      perform(machine.read(zoneID, results, state))
    }

    mutating func zoneFails(_ code: CKError.Code) { zoneFails(CKError(code)) }

    mutating func zoneFails(_ error: CKError) {
      guard let asked else { return }
      perform(machine.zoneFailed(asked, error, state))
    }

    private mutating func perform(_ actions: [FetchMachine.Action]) {
      for action in actions {
        if case .apply(let change) = action { state.apply(change) }
        if case .fetch(let zoneID, _) = action { asked = zoneID }
        lines.append(Self.text(action))
      }
    }

    private static func text(_ action: FetchMachine.Action) -> String {
      switch action {
      case .deliver(.willFetch): "will fetch"
      case .deliver(.database(let changed, let gone)):
        "zones" + changed.map { " +\($0.zoneName)" }.joined()
          + gone.map { " -\($0.zoneID.zoneName) (\($0.reason))" }.joined()
      case .deliver(.willFetchZone(let zone)): "will fetch \(zone.zoneName)"
      case .deliver(.zone(let changed, let deleted)):
        "records" + changed.map { " +\($0.recordID.recordName)" }.joined()
          + deleted.map { " -\($0.recordID.recordName)" }.joined()
      case .deliver(.didFetchZone(let zone, let error, let there)):
        "did fetch \(zone.zoneName)" + (error.map { " \($0.code)" } ?? "")
          + (there.map { ": " + $0.map(\.recordName).sorted().joined(separator: " ") } ?? "")
      case .deliver(.didFetch): "did fetch"
      case .apply: "note"
      case .update: "update"
      case .list(let token): "list \(token ?? "all")"
      case .fetch(let zone, let token): "ask \(zone.zoneName) \(token ?? "all")"
      case .read(let zone, let records):
        "read \(zone.zoneName)" + records.map { " \($0.recordName)" }.joined()
      case .end(let error): "end" + (error.map { " \($0.code)" } ?? "")
      }
    }
  }

  private func zoneID(_ name: String) -> CKRecordZone.ID { CKRecordZone.ID(zoneName: name) }

  /// A state after an earlier fetch.
  private func known(_ zones: String...) -> SyncState {
    var state = SyncState()
    state.databaseToken = "d0"
    for zone in zones { state.zoneTokens[zoneID(zone)] = "\(zone)0" }
    return state
  }

  @Test func `A first fetch lists everything and fetches each zone page by page`() {
    var play = Play()
    play.list("d1", changed: ["A"], more: true)
    play.list("d2", changed: ["B"])
    play.zone("a1", changed: ["1", "2"], more: true)
    #expect(
      play.state.zoneTokens == [zoneID("A"): "a1"]
        && play.state.unfetchedZones == [zoneID("A"), zoneID("B")])
    play.zone("a2", changed: ["3"], gone: ["4"])
    play.zone("b1")
    #expect(
      play.lines == [
        "will fetch", "list all", "zones +A", "note", "update", "list d1", "zones +B", "note",
        "update", "will fetch A",
        "ask A all", "records +1 +2", "note", "update", "ask A a1", "records +3 -4", "note",
        "update", "did fetch A",
        "will fetch B", "ask B all", "note", "update", "did fetch B", "did fetch", "end",
      ])
    #expect(play.state.databaseToken == "d2" && play.state.unfetchedZones.isEmpty)
    #expect(play.state.zoneTokens == [zoneID("A"): "a2", zoneID("B"): "b1"])
  }

  @Test func `A first listing's token is not kept before its end`() {
    var play = Play()
    play.list("d1", changed: ["A"], more: true)
    #expect(play.state.databaseToken == nil && play.state.unfetchedZones == [zoneID("A")])
    var next = Play(known("A"))
    next.list("d1", changed: ["A"], more: true)
    #expect(next.state.databaseToken == "d1")
  }

  @Test func `Without changes nothing is reported or stored`() {
    var play = Play(known("A"))
    play.list("d0")
    #expect(play.lines == ["will fetch", "list d0", "did fetch", "end"])
  }

  @Test func `Zones that notifications named are fetched without a listing`() {
    var play = Play(known("A", "B", "C"), changed: [zoneID("B"), zoneID("A")])
    play.zone("a1", changed: ["1"])
    play.zone("b1")
    #expect(
      play.lines == [
        "will fetch", "zones +A +B", "note", "update", "will fetch A", "ask A A0", "records +1",
        "note", "update", "did fetch A", "will fetch B", "ask B B0", "note", "update",
        "did fetch B", "did fetch", "end",
      ])
    #expect(play.state.databaseToken == "d0" && play.state.unfetchedZones.isEmpty)
  }

  @Test func `An unknown zone needs a listing, and so does a first fetch`() {
    let play = Play(known("A"), changed: [zoneID("A"), zoneID("B")])
    #expect(play.lines == ["will fetch", "list d0"])
    var state = known("A")
    state.databaseToken = nil
    #expect(Play(state, changed: [zoneID("A")]).lines == ["will fetch", "list all"])
  }

  @Test func `A named zone that is gone needs a listing, which reports the reason`() {
    var play = Play(known("A", "B"), changed: [zoneID("A"), zoneID("B")])
    play.zoneFails(.userDeletedZone)
    #expect(
      play.lines.suffix(4) == [
        "will fetch A", "ask A A0", "did fetch A userDeletedZone", "list d0",
      ])
    play.list("d1", gone: [("A", .purged)])
    play.zone("b1")
    #expect(
      play.lines.suffix(10) == [
        "zones -A (purged)", "note", "update", "will fetch B", "ask B B0", "note", "update",
        "did fetch B", "did fetch", "end",
      ])
    #expect(Array(play.state.zoneTokens.keys) == [zoneID("B")])
  }

  @Test func `A named zone that is gone and not listed is fetched once more and then dropped`() {
    var play = Play(known("A"), changed: [zoneID("A")])
    play.zoneFails(.zoneNotFound)
    play.list("d1")
    play.zoneFails(.zoneNotFound)
    #expect(
      play.lines.suffix(6) == [
        "ask A A0", "did fetch A zoneNotFound", "note", "update", "did fetch", "end",
      ])
  }

  @Test func `Deleted zones are reported with the reason and removed`() {
    var play = Play(known("A", "B", "C"))
    play.list("d1", gone: [("A", .deleted), ("B", .purged), ("C", .encryptedDataReset)])
    #expect(play.lines[2] == "zones -A (deleted) -B (purged) -C (encryptedDataReset)")
    #expect(play.lines.last == "end" && play.state.zoneTokens.isEmpty)
  }

  @Test func `After an expired listing, zones that are no longer listed are gone`() {
    var play = Play(known("A", "B"))
    play.listingFails(.changeTokenExpired)
    #expect(play.state.databaseToken == nil && play.state.zoneTokens.count == 2)
    play.list("d1", changed: ["B"])
    play.zone("b1")
    #expect(
      play.lines == [
        "will fetch", "list d0", "note", "update", "list all", "zones +B -A (deleted)", "note",
        "update",
        "will fetch B",
        "ask B B0", "note", "update", "did fetch B", "did fetch", "end",
      ])
    #expect(play.state.databaseToken == "d1" && Array(play.state.zoneTokens.keys) == [zoneID("B")])
  }

  @Test func `A listing that expires twice ends the fetch`() {
    var play = Play(known("A"))
    play.listingFails(.changeTokenExpired)
    play.listingFails(.changeTokenExpired)
    #expect(play.lines.suffix(2) == ["did fetch", "end changeTokenExpired"])
  }

  @Test func `A zone with an expired token is fetched from the start once`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zoneFails(.changeTokenExpired)
    #expect(
      play.lines.suffix(3) == ["note", "update", "ask A all"] && play.state.zoneTokens.isEmpty)
    play.zoneFails(.changeTokenExpired)
    #expect(
      play.lines.suffix(3) == [
        "did fetch A changeTokenExpired", "did fetch", "end changeTokenExpired",
      ])
  }

  @Test
  func
    `A zone with an expired token is reported with its records and resumes after an interruption`()
  {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zoneFails(.changeTokenExpired)
    play.zone("a1", changed: ["1", "2"], more: true)
    #expect(
      play.lines.suffix(3) == ["records +1 +2", "note", "ask A a1"] && play.state.zoneTokens.isEmpty
    )
    play.zoneFails(.networkFailure)
    var again = Play(play.state)
    again.list("d1")
    #expect(again.lines.last == "ask A a1")
    again.zone("a2", changed: ["3"], gone: ["1"], more: true)
    again.zone("a3", changed: ["4"])
    #expect(again.lines.contains("did fetch A: 2 3 4"))
    #expect(again.state.zoneTokens[zoneID("A")] == "a3" && again.state.expiredZones.isEmpty)
    #expect(again.state.listings.isEmpty)
    var later = Play(again.state)
    later.list("d2", changed: ["A"])
    later.zone("a3", changed: ["3"])
    #expect(later.lines.contains("did fetch A"))
  }

  @Test
  func `An interrupted full listing is not stored and starts over at the next launch`() throws {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zoneFails(.changeTokenExpired)
    play.zone("a1", changed: ["1"], more: true)
    play.zoneFails(.networkFailure)
    let kept = try JSONDecoder().decode(SyncState.self, from: try JSONEncoder().encode(play.state))
    #expect(kept.listings.isEmpty && kept.expiredZones == [zoneID("A")])
    var next = Play(kept)
    next.list("d1")
    #expect(next.lines.last == "ask A all")
  }

  @Test func `An interrupted full listing is dropped when its token expires, too`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zoneFails(.changeTokenExpired)
    play.zone("a1", changed: ["1"], more: true)
    play.zoneFails(.networkFailure)
    var again = Play(play.state)
    again.list("d1")
    again.zoneFails(.changeTokenExpired)
    #expect(again.lines.last == "ask A all")
    again.zone("b1", changed: ["2"])
    #expect(again.lines.contains("did fetch A: 2"))
  }

  @Test func `An unavailable record counts as existing`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zoneFails(.changeTokenExpired)
    play.zone("a1", changed: ["1"], failed: [.assetNotAvailable])
    #expect(play.lines.contains("did fetch A assetNotAvailable: 1 failed"))
  }

  @Test func `A temporary failure ends the fetch, and the zone stays to be fetched`() {
    var play = Play(known("A", "B"))
    play.list("d1", changed: ["A", "B"])
    play.zone("a1", changed: ["1"], more: true)
    play.zoneFails(.networkFailure)
    #expect(
      play.lines.suffix(3) == ["did fetch A networkFailure", "did fetch", "end networkFailure"])
    #expect(
      play.state.unfetchedZones == [zoneID("A"), zoneID("B")]
        && play.state.zoneTokens[zoneID("A")] == "a1")
    // The next fetch continues after the last page, though the listing names nothing new.
    var next = Play(play.state)
    next.list("d1")
    #expect(next.lines.last == "ask A a1")
  }

  @Test func `An error in one zone does not stop other zones`() {
    var play = Play(known("A", "B"))
    play.list("d1", changed: ["A", "B"])
    play.zoneFails(.permissionFailure)
    play.zone("b1")
    #expect(
      play.lines.contains("did fetch A permissionFailure") && play.lines.contains("did fetch B"))
    #expect(
      play.lines.last == "end permissionFailure" && play.state.unfetchedZones == [zoneID("A")])
  }

  @Test(arguments: [CKError.Code.zoneNotFound, .userDeletedZone])
  func `A zone deleted meanwhile is not fetched again`(code: CKError.Code) {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zoneFails(code)
    #expect(play.lines.suffix(5) == ["did fetch A \(code)", "note", "update", "did fetch", "end"])
    #expect(play.state.unfetchedZones.isEmpty && play.state.zoneTokens.isEmpty)
  }

  @Test func `A page with a temporary record failure is discarded`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("a1", changed: ["1"], failed: [.networkFailure])
    #expect(
      play.lines.suffix(3) == ["did fetch A networkFailure", "did fetch", "end networkFailure"])
    #expect(play.state.zoneTokens[zoneID("A")] == "A0")
  }

  @Test(arguments: [CKError.Code.internalError, .permissionFailure, .limitExceeded])
  func `A record that may be available later holds back its zone only`(
    _ code: CKError.Code
  ) {
    var play = Play(known("A", "B"))
    play.list("d1", changed: ["A", "B"])
    play.zone("a1", changed: ["1"], failed: [.assetNotAvailable, code])
    #expect(play.lines.suffix(3) == ["did fetch A \(code)", "will fetch B", "ask B B0"])
    play.zone("b1", changed: ["2"])
    #expect(play.lines.last == "end \(code)" && !play.lines.contains("records +1"))
    #expect(play.state.zoneTokens == [zoneID("A"): "A0", zoneID("B"): "b1"])
    #expect(play.state.unfetchedZones == [zoneID("A")])
  }

  @Test func `A permanently unavailable record is left out and reported with the zone`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("a1", changed: ["1"], failed: [.assetNotAvailable], more: true)
    play.zone("a2")
    #expect(play.lines.contains("records +1"))
    #expect(
      play.lines.suffix(3) == [
        "did fetch A assetNotAvailable", "did fetch", "end assetNotAvailable",
      ])
    #expect(play.state.unfetchedZones.isEmpty)
  }

  @Test
  func `Records whose keys are missing are requested by later fetches until they open`() throws {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("a1", sealed: ["1", "2", "3"])
    #expect(
      play.lines.last == "end permissionFailure" && play.state.zoneTokens[zoneID("A")] == "a1")
    let kept = try JSONDecoder().decode(SyncState.self, from: try JSONEncoder().encode(play.state))
    #expect(kept.unread == play.state.unread)
    var next = Play(kept)
    next.list("d1")
    #expect(next.lines.last == "read A 1 2 3")
    next.read("A", open: ["1"], sealed: ["2"], gone: ["3"])
    #expect(
      next.lines.suffix(7) == [
        "will fetch A", "records +1", "note", "update", "did fetch A", "did fetch", "end",
      ])
    var last = Play(next.state)
    last.list("d1")
    #expect(last.lines.last == "read A 2")
    last.read("A", sealed: ["2"])
    #expect(last.lines.suffix(3) == ["read A 2", "did fetch", "end"])
    var gone = Play(last.state)
    gone.list("d2", gone: [("A", .deleted)])
    #expect(gone.lines.last == "end" && gone.state.unread.isEmpty)
  }

  @Test func `A skipped record is requested again if it fails for other reasons`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("a1", sealed: ["1", "2"])
    var next = Play(play.state)
    next.list("d1")
    next.read("A", open: ["1"], failed: ["2"])
    #expect(next.lines.contains("records +1") && next.lines.last == "end internalError")
    #expect(next.state.unread[zoneID("A")]?.recordIDs.map(\.recordName) == ["2"])
  }

  @Test func `A zone with too many skipped records is fetched from the start once keys arrive`() {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("a1", sealed: (0..<201).map { "\($0)" })
    #expect(play.state.unread[zoneID("A")]?.recordIDs.count == 200)
    var next = Play(play.state)
    next.list("d1")
    next.read("A", open: ["0"], sealed: ["1"])
    #expect(next.lines.last == "ask A all" && next.state.unread.isEmpty)
    next.zone("a2", changed: ["0", "1"])
    #expect(next.lines.suffix(3) == ["did fetch A: 0 1", "did fetch", "end"])
  }

  @Test func `Prioritized zones are fetched first, and excluded zones are left for later`() {
    var options = CKSyncEngine.FetchChangesOptions(scope: .allExcluding([zoneID("B")]))
    options.prioritizedZoneIDs = [zoneID("C"), zoneID("B"), zoneID("nobody")]
    var play = Play(known(), options)
    play.list("d1", changed: ["A", "B", "C"])
    play.zone("c1")
    play.zone("a1")
    #expect(play.lines.filter { $0.hasPrefix("ask") } == ["ask C all", "ask A all"])
    #expect(play.lines.last == "end" && play.state.unfetchedZones == [zoneID("B")])
  }

  /// The state in the next launch.
  private func kept(_ state: SyncState) throws -> SyncState {
    try JSONDecoder().decode(SyncState.self, from: JSONEncoder().encode(state))
  }

  @Test
  func `Records of a later library version are reported and fetched when a launch can read them`()
    throws
  {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("A1", later: ["x", "y"])
    #expect(
      play.lines.suffix(3) == [
        "did fetch A incompatibleVersion", "did fetch", "end incompatibleVersion",
      ])
    #expect(play.state.unread[zoneID("A")]?.recordIDs.map(\.recordName) == ["x", "y"])
    // This launch requests them once more. Further requests would be useless.
    play = Play(play.state)
    play.list("d1")
    #expect(play.lines.last == "read A x y")
    play.read("A", later: ["x", "y"])
    #expect(play.lines.suffix(2) == ["did fetch", "end"])
    play = Play(play.state)
    play.list("d1")
    #expect(play.lines.suffix(2) == ["did fetch", "end"])
    // The next launch reports them again, unless it can read them.
    play = Play(try kept(play.state))
    play.list("d1")
    #expect(play.lines.last == "read A x y")
    play.read("A", open: ["x"], later: ["y"])
    #expect(
      play.lines.suffix(8) == [
        "will fetch A", "records +x", "note", "update", "did fetch A incompatibleVersion", "note",
        "did fetch", "end",
      ])
    play = Play(try kept(play.state))
    play.list("d1")
    #expect(play.lines.last == "read A y")
    play.read("A", open: ["y"])
    #expect(
      play.lines.suffix(6) == ["records +y", "note", "update", "did fetch A", "did fetch", "end"])
    #expect(play.state.unread.isEmpty)
  }

  @Test
  func `Records of a later version are requested with those that wait for keys`() throws {
    var play = Play(known("A"))
    play.list("d1", changed: ["A"])
    play.zone("A1", later: ["x"])
    play = Play(play.state)
    play.list("d1")
    play.read("A", later: ["x"])
    play = Play(play.state)
    play.list("d2", changed: ["A"])
    play.zone("A2", sealed: ["y"])
    play = Play(play.state)
    play.list("d2")
    #expect(play.lines.last == "read A x y")
    play.read("A", open: ["y"], later: ["x"])
    #expect(play.state.unread[zoneID("A")]?.recordIDs.map(\.recordName) == ["x"])
  }

  @Test func `Records that this machine cannot store are reported before unreadable ones`() {
    var play = Play(known("A", "B"))
    play.list("d1", changed: ["A", "B"])
    play.zone("A1", failed: [.assetNotAvailable])
    play.zoneFails(.internalError)
    #expect(play.lines.last == "end assetNotAvailable")
    let full = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
    play = Play(known("A", "B"))
    play.list("d1", changed: ["A", "B"])
    play.zone("A1", failed: [.assetNotAvailable])
    play.zoneFails(CKError(.internalError, userInfo: [NSUnderlyingErrorKey: full]))
    #expect(play.lines.last == "end internalError")
  }
}

extension CKError {
  /// The error of a record of a later version of the library.
  fileprivate static let ofLaterVersion = CKError(
    encryption: EncryptionError(.unknownVersion, "Update it."))
  /// The error of a record whose keys are missing.
  fileprivate static let withoutKeys = CKError(
    encryption: EncryptionError(.keysNotDelivered, "No keys yet."))
}
