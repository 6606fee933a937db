import CloudEncryption
import CloudKitClient
import CloudRecords
import CloudTransport
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Resealing that an ended process did not complete.
@Suite("Values left under a former key")
struct LeftoverTests {
  /// A change of the users who can open sealed values.
  enum Change {
    case guestLeaves, recordsAreShared, shareEnds
  }

  /// The point at which the ending process loses the network.
  struct Break: Sendable {
    let operation: String
    /// The first request that is lost.
    let number: Int
    let isAnswerLost: Bool
  }

  private let cloud: WatchedCloud
  private let zone = CKRecordZone(zoneName: "Secrets")
  /// More than fit in one request.
  private static let count = 250

  init() async throws { cloud = try await WatchedCloud() }

  private func recordID(_ number: Int) -> CKRecord.ID {
    CKRecord.ID(recordName: number == 0 ? "root" : "n\(number)", zoneID: zone.zoneID)
  }

  private func contacts() -> [CKRecord] {
    let root = CKRecord(recordType: "Contact", recordID: recordID(0))
    root.encryptedValues["phone"] = "555-0"
    return [root]
      + (1..<Self.count).map { number in
        let record = CKRecord(recordType: "Contact", recordID: recordID(number))
        record.encryptedValues["phone"] = "555-\(number)"
        record.setParent(root)
        return record
      }
  }

  private func save(_ records: [CKRecord], deleting: [CKRecord.ID] = [], _ container: CKContainer)
    async throws
  {
    let results = try await container.privateCloudDatabase.modifyRecords(
      saving: records, deleting: deleting)
    for result in results.saveResults.values { _ = try result.get() }
    for result in results.deleteResults.values { _ = try result.get() }
  }

  /// The encrypted values as the server has them, by record.
  private func sealed() async throws -> [String: FieldValue] {
    let session = try cloud.container("anna").session()
    var sealed: [String: FieldValue] = [:]
    for part in [0..<200, 200..<Self.count] {
      var request = RecordsLookupRequest()
      request.records = part.map {
        .init(
          recordName: recordID($0).recordName, zone: ZoneReference(zoneName: zone.zoneID.zoneName))
      }
      for case .record(let shown) in try await session.call(request, .private).records {
        sealed[shown.record.identifier.recordName] = shown.record.fields["phone"]?.value
      }
    }
    return sealed
  }

  private func changed(since before: [String: FieldValue]) async throws -> Int {
    let now = try await sealed()
    return before.count { now[$0.key] != $0.value }
  }

  /// Prepares the records, and returns their share if there is one before the change.
  private func begin(_ change: Change, _ anna: CKContainer) async throws -> CKShare? {
    try await anna.privateCloudDatabase.save(zone)
    let records = contacts()
    let guest = try await anna.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    guest.permission = .readWrite
    switch change {
    case .recordsAreShared:
      try await save(records, anna)
      return nil
    case .guestLeaves, .shareEnds:
      let share = CKShare(recordZoneID: zone.zoneID)
      share.addParticipant(guest)
      try await save([share], anna)
      try await save(records, anna)
      return share
    }
  }

  private func apply(_ change: Change, _ share: CKShare?, _ anna: CKContainer) async throws {
    switch change {
    case .guestLeaves:
      let share = try #require(share)
      share.removeParticipant(try #require(share.participants.last))
      try await save([share], anna)
    case .shareEnds: try await save([], deleting: [try #require(share).recordID], anna)
    case .recordsAreShared:
      let root = try await anna.privateCloudDatabase.record(for: recordID(0))
      let share = CKShare(rootRecord: root)
      let guest = try await anna.shareParticipant(
        forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
      share.addParticipant(guest)
      try await save([root, share], anna)
    }
  }

  /// Disconnects the network permanently at a given point.
  private func breakNetwork(_ at: Break) {
    let state = Mutex((count: 0, isBroken: false))
    let broken = TransportError(.broken, "The process has ended.", mayHaveArrived: true)
    cloud.injectedFault.withLock {
      $0 = { operation in
        state.withLock { state in
          if state.isBroken { return .lost(broken) }
          guard operation == at.operation else { return .none }
          state.count += 1
          guard state.count == at.number else { return .none }
          state.isBroken = true
          return at.isAnswerLost ? .answerLost(broken) : .lost(broken)
        }
      }
    }
  }

  /// The change is sent first, then each batch.
  private static let endings: [(Change, Break)] = [
    (.guestLeaves, Break(operation: "changes/zone", number: 1, isAnswerLost: false)),
    (.guestLeaves, Break(operation: "records/modify", number: 2, isAnswerLost: false)),
    (.guestLeaves, Break(operation: "records/modify", number: 3, isAnswerLost: false)),
    (.shareEnds, Break(operation: "records/modify", number: 2, isAnswerLost: true)),
    (.recordsAreShared, Break(operation: "records/modify", number: 3, isAnswerLost: false)),
  ]

  @Test(arguments: endings)
  func `The next process resumes an interrupted resealing`(_ change: Change, _ at: Break)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let bob = cloud.container("bob")
      _ = try await bob.encryption.status()
      let before = try await {
        let former = try cloud.container("anna", folder: folder)
        let share = try await begin(change, former)
        let before = try await sealed()
        #expect(before.count == Self.count)
        breakNetwork(at)
        try await apply(change, share, former)
        return before
      }()
      cloud.injectedFault.withLock { $0 = { _ in .none } }
      let middle = try await changed(since: before)
      #expect(middle < Self.count && (middle > 0 || at.number < 3))

      let next = try cloud.container("anna", folder: folder)
      #expect(try await next.encryption.status() != .needsApproval)
      try await next.session().vault.leftoverResealingIsDone()
      #expect(try await changed(since: before) == Self.count)
      let engine = try await next.session().vault.engine()
      #expect(try await engine.scopesToReseal().isEmpty)
      for number in [0, 1, Self.count - 1] {
        let record = try await next.privateCloudDatabase.record(for: recordID(number))
        #expect(record.encryptedValues["phone"] == "555-\(number)")
      }

      // After one run a third process has nothing to do.
      let asked = cloud.asked.withLock(\.count)
      let third = try cloud.container("anna", folder: folder)
      #expect(try await third.encryption.status() == .ready)
      try await third.session().vault.leftoverResealingIsDone()
      #expect(cloud.asked.withLock { !$0[asked...].contains("records/modify") })
    }
  }

  @Test func `The next process resumes if new keys were in flight`() async throws {
    try await withTemporaryDirectory { folder in
      _ = try await cloud.container("bob").encryption.status()
      let before = try await {
        let former = try cloud.container("anna", folder: folder)
        let share = try await begin(.guestLeaves, former)
        let before = try await sealed()
        breakNetwork(Break(operation: "keyBags/modify", number: 1, isAnswerLost: true))
        try await apply(.guestLeaves, share, former)
        return before
      }()
      cloud.injectedFault.withLock { $0 = { _ in .none } }
      #expect(try await changed(since: before) == 0)
      let next = try cloud.container("anna", folder: folder)
      // Reading an encrypted value also starts resealing.
      let record = try await next.privateCloudDatabase.record(for: recordID(1))
      #expect(record.encryptedValues["phone"] == "555-1")
      try await next.session().vault.leftoverResealingIsDone()
      #expect(try await changed(since: before) == Self.count)
    }
  }

  @Test func `Resealing that is impossible now stays marked for later`() async throws {
    try await withTemporaryDirectory { folder in
      _ = try await cloud.container("bob").encryption.status()
      let before = try await {
        let former = try cloud.container("anna", folder: folder)
        let share = try await begin(.guestLeaves, former)
        let before = try await sealed()
        breakNetwork(Self.endings[1].1)
        try await apply(.guestLeaves, share, former)
        return before
      }()
      cloud.injectedFault.withLock {
        $0 = { $0 == "changes/zone" ? .lost(TransportError(.offline, "No network.")) : .none }
      }
      let next = try cloud.container("anna", folder: folder)
      #expect(try await next.encryption.status() != .needsApproval)
      try await next.session().vault.leftoverResealingIsDone()
      #expect(try await changed(since: before) == 0)
      cloud.injectedFault.withLock { $0 = { _ in .none } }
      // The next save of any record retries.
      try await next.privateCloudDatabase.save(
        CKRecord(recordType: "Plain", recordID: .init(zoneID: zone.zoneID)))
      #expect(try await changed(since: before) == Self.count)
    }
  }
}
