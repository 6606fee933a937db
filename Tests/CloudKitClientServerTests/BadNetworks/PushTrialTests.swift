import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Foundation
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Notifications over bad networks", .blockingThreads, .endsAtAll)
struct PushTrialTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")
  private static let names = (0..<20).map { "note-\($0)" }

  /// The faults of a device's successive connections: the one that registers it, then those on
  /// which it listens.
  ///
  /// Connections break within the stream's head, right after it, and within notifications.
  private static let plans: [[NetworkFault]] =
    [20, 250, 400, 900].flatMap { count in
      [NetworkFault.Ending.close, .reset, .unnoticed].map {
        [.none, .down(count, $0), .down(count, $0)]
      }
    } + [
      [.up(20, .reset), .none], [.down(20, .reset), .down(20, .close)], [.late, .late],
      [
        .duplicate(answering: .first), .duplicate(answering: .first), .duplicate(answering: .first),
      ],
      [
        .delay(upMilliseconds: 3, downMilliseconds: 3),
        .delay(upMilliseconds: 3, downMilliseconds: 3),
      ],
      [.none, .answer(Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>".utf8), .close)],
      [.none, .answer(Array("HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n".utf8), .close)],
    ]

  /// Runs a test with two devices of Ada: one saves without the proxy, one listens through it.
  private func withSaverAndListener(
    _ dependencies: ClientDependencies,
    _ body: (DistantCloud, CKContainer, CKContainer) async throws -> Void
  ) async throws {
    try await withDistantCloud { cloud in
      let transports = [DistantCloud.transport(), DistantCloud.transport()]
      let saver = cloud.container(
        cloud.credentials(.ada), at: cloud.server.address, over: transports[0],
        DistantCloud.impatient())
      let listener = cloud.container(cloud.credentials(.ada), over: transports[1], dependencies)
      try await DistantCloud.closing(transports) {
        let database = saver.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zoneID))
        try await database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "notes"))
        try await body(cloud, saver, listener)
      }
    }
  }

  private func saveAll(_ saver: CKContainer) async throws {
    for name in Self.names { try await save(name, saver) }
  }

  private func save(_ name: String, _ saver: CKContainer) async throws {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = "New"
    try await saver.privateCloudDatabase.save(record)
  }

  /// Fetches after each notification until everything has arrived.
  ///
  /// A device that misses a notification waits longer than the test allows.
  private func fetchEverything(_ listener: CKContainer) async throws {
    var (seen, token): (Set<String>, CKServerChangeToken?) = ([], nil)
    for await signal in try listener.binding().signals {
      if case .silent = signal { continue }
      let changes = try await listener.privateCloudDatabase.recordZoneChanges(
        inZoneWith: zoneID, since: token)
      token = changes.changeToken
      seen.formUnion(changes.modificationResultsByID.keys.map(\.recordName))
      if seen.count == Self.names.count { break }
    }
    #expect(seen == Set(Self.names), "The stream of signals ended.")
  }

  @Test(arguments: plans) func `A device misses no change, whatever its connections do`(
    plan: [NetworkFault]
  )
    async throws
  {
    try await withSaverAndListener(DistantCloud.impatient()) { cloud, saver, listener in
      cloud.proxy.plan = plan
      async let saving: Void = saveAll(saver)
      try await fetchEverything(listener)
      try await saving
    }
  }

  /// The next signal that is not about the schema.
  private func next(_ signals: inout AsyncStream<PushSignal>.Iterator) async -> PushSignal? {
    while let signal = await signals.next(isolation: #isolation) {
      if case .schemaChanged = signal { continue }
      return signal
    }
    return nil
  }

  /// A program fetches the change of a lost notification when its device listens again.
  @Test(arguments: [NetworkFault.Ending.close, .reset, .unnoticed])
  func `A device that loses a notification in a disconnection listens again`(
    ending: NetworkFault.Ending
  )
    async throws
  {
    try await withSaverAndListener(DistantCloud.impatient()) { cloud, saver, listener in
      var signals = try listener.binding().signals.makeAsyncIterator()
      guard case .listening? = await signals.next() else {
        Issue.record("The device did not start to listen.")
        return
      }
      try await save("first", saver)
      guard case .notification? = await next(&signals) else {
        Issue.record("The device was not notified.")
        return
      }
      cloud.proxy.endNextAnswer(by: ending)
      try await save("lost", saver)
      var (isListening, isLost) = (false, true)
      while !isListening, let signal = await signals.next() {
        if case .listening = signal { isListening = true }
        if case .notification = signal { isLost = false }
      }
      #expect(isListening && isLost)
      try await save("last", saver)
      guard case .notification? = await next(&signals) else {
        Issue.record("The device was not notified.")
        return
      }
    }
  }

  /// The engine uses real time, so it waits about a second after a disconnection.
  @Test(arguments: [NetworkFault.Ending.close, .unnoticed])
  func `An automatic engine misses no change`(ending: NetworkFault.Ending) async throws {
    try await withSaverAndListener(.machine) { cloud, saver, listener in
      cloud.proxy.plan = [.none, .down(400, ending)]
      let notesProgram = NotesProgram()
      let engine = CKSyncEngine(
        CKSyncEngine.Configuration(
          database: listener.privateCloudDatabase, stateSerialization: nil, delegate: notesProgram))
      async let saving: Void = saveAll(saver)
      while notesProgram.titles.count < Self.names.count {
        await notesProgram.hears("fetchedRecordZoneChanges")
        _ = notesProgram.heard()
      }
      try await saving
      #expect(notesProgram.titles == Self.names.map { "\($0): New" }.sorted())
      await engine.cancelOperations()
    }
  }
}
