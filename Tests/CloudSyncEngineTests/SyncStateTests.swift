import CloudKitClient
import CloudRecords
import CloudSyncEngine
import Foundation
import Testing

/// The stored state of an engine, and its format.
@Suite struct SyncStateTests {
  private let notes = CKRecordZone.ID(zoneName: "Notes")
  private let others = CKRecordZone.ID(zoneName: "Others", ownerName: "_ada")

  private let home = ContainerAddress(container: "iCloud.notes", environment: .development)

  private var full: SyncState {
    var state = SyncState()
    state.user = "_me"
    state.container = home
    state.subscriptionID = "subscription"
    state.databaseToken = "d1"
    state.zoneTokens = [notes: "n1", others: "o1"]
    state.unfetchedZones = [others]
    state.hasUntracked = true
    state.zones.add(.init(.save, notes))
    state.zones.add(.init(.delete, others))
    for number in 0..<3 {
      state.records.add(.init(.save, CKRecord.ID(recordName: "r\(number)", zoneID: notes)))
    }
    state.records.add(.init(.delete, CKRecord.ID(recordName: "gone", zoneID: others)))
    return state
  }

  @Test func `A stored state is unchanged`() throws {
    for state in [SyncState(), full] {
      #expect(try JSONDecoder().decode(SyncState.self, from: JSONEncoder().encode(state)) == state)
      #expect(
        try PropertyListDecoder().decode(SyncState.self, from: PropertyListEncoder().encode(state))
          == state)
    }
  }

  @Test func `Zones with a full listing are stored`() throws {
    var state = full
    state.apply(.zoneExpired(others))
    #expect(state.expiredZones == [others] && state.zoneTokens == [notes: "n1"])
    #expect(try JSONDecoder().decode(SyncState.self, from: JSONEncoder().encode(state)) == state)
    state.apply(.fetched(others, token: "o2", isLast: true))
    #expect(state.expiredZones.isEmpty)
  }

  @Test func `A zone with too many skipped records is listed from its start`() {
    var state = full
    let recordIDs = (0..<201).map { CKRecord.ID(recordName: "r\($0)", zoneID: notes) }
    state.apply(.fetchedListing(notes, there: [], gone: [], token: "half"))
    state.apply(.skipped(notes, recordIDs))
    state.apply(.recovered(notes, [recordIDs[0]]))
    #expect(state.expiredZones == [notes] && state.unfetchedZones == [others, notes])
    #expect(state.zoneTokens == [others: "o1"] && state.listings.isEmpty)
  }

  @Test func `The format is that of version 1`() throws {
    let kept = """
      {"version":1,"user":"_me","container":"iCloud.notes","environment":"development",
       "subscription":"subscription","database":"d1",
       "zones":[{"name":"Notes","owner":"__defaultOwner__"},{"name":"Others","owner":"_ada"}],
       "tokens":[{"zone":0,"token":"n1"},{"zone":1,"token":"o1"}],"unfetched":[1],"expired":[],
       "zoneChanges":[{"kind":"save","zone":0},{"kind":"delete","zone":1}],
       "recordChanges":[{"kind":"save","name":"r0","zone":0},{"kind":"save","name":"r1","zone":0},
         {"kind":"save","name":"r2","zone":0},{"kind":"delete","name":"gone","zone":1}],
       "untracked":true,"later":"ignored"}
      """
    #expect(try JSONDecoder().decode(SyncState.self, from: Data(kept.utf8)) == full)
  }

  /// An encoded state without zones.
  private static func text(version: Int = 1, unfetched: String = "") -> String {
    """
    {"version":\(version),"zones":[],"tokens":[],"unfetched":[\(unfetched)],"expired":[],
     "zoneChanges":[],"recordChanges":[],"untracked":false}
    """
  }

  @Test func `A state without zones is read`() throws {
    #expect(try JSONDecoder().decode(SyncState.self, from: Data(Self.text().utf8)) == SyncState())
  }

  @Test(arguments: [text(version: 2), "{}", #"{"version":1}"#, text(unfetched: "4")])
  func `Another version's or a damaged state is rejected`(kept: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SyncState.self, from: Data(kept.utf8))
    }
  }

  @Test func `Deleted zones are removed, and pending changes stay`() {
    var state = full
    state.apply(.listed(changed: [notes, notes], gone: [others], token: "d2"))
    #expect(state.unfetchedZones == [notes, notes].uniqued && state.zoneTokens == [notes: "n1"])
    #expect(state.databaseToken == "d2" && state.records.count == 4)
  }

  @Test func `Another account starts empty`() {
    var state = full
    state.apply(.account("_you", in: home))
    var empty = SyncState()
    (empty.user, empty.container) = ("_you", home)
    #expect(state == empty)
    state.apply(.account(nil, in: home))
    state.records.add(.init(.save, CKRecord.ID(recordName: "new")))
    state.apply(.account("_you", in: home))
    #expect(state.records.count == 1 && state.user == "_you")
  }

  @Test func `Another environment starts empty`() {
    var state = full
    state.apply(.account("_me", in: home))
    #expect(
      state.container == home && state.zoneTokens == full.zoneTokens && state.records.count == 4)
    state.apply(
      .account("_me", in: ContainerAddress(container: "iCloud.notes", environment: .production)))
    #expect(state.zoneTokens.isEmpty && state.records.isEmpty && state.user == "_me")
  }

  @Test func `Sent untracked changes stay pending if the program announced more meanwhile`() {
    var state = SyncState()
    (state.hasUntracked, state.untrackedStamp) = (true, 1)
    state.untrackedStamp = 2
    state.apply(.untrackedSent(upTo: 1))
    #expect(state.hasUntracked)
    state.apply(.untrackedSent(upTo: 2))
    #expect(!state.hasUntracked)
  }
}

extension [CKRecordZone.ID] {
  fileprivate var uniqued: Self {
    Array(NSOrderedSet(array: self).array.compactMap { $0 as? CKRecordZone.ID })
  }
}
