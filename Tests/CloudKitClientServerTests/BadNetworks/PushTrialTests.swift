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

  /// Ada's first device sends without the proxy, and her other one listens through it.
  private func withTalkerAndListener(
    _ dependencies: ClientDependencies,
    _ body: (DistantCloud, CKContainer, CKContainer) async throws -> Void
  ) async throws {
    try await withDistantCloud { cloud in
      let transports = [DistantCloud.transport(), DistantCloud.transport()]
      let talker = cloud.container(
        cloud.credentials(.ada), at: cloud.server.address, over: transports[0],
        DistantCloud.impatient())
      let listener = cloud.container(cloud.credentials(.ada), over: transports[1], dependencies)
      try await DistantCloud.closing(transports) {
        let database = talker.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zoneID))
        try await database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "notes"))
        try await body(cloud, talker, listener)
      }
    }
  }

  private func talk(_ talker: CKContainer) async throws {
    for name in Self.names { try await save(name, talker) }
  }

  private func save(_ name: String, _ talker: CKContainer) async throws {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = "New"
    try await talker.privateCloudDatabase.save(record)
  }

  /// Fetches after each notification until everything has arrived.
  ///
  /// A device that misses a notification waits longer than the test allows.
  private func hearEverything(_ listener: CKContainer) async throws {
    var (seen, token): (Set<String>, CKServerChangeToken?) = ([], nil)
    for await word in try listener.binding().signals {
      if case .silent = word { continue }
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
    try await withTalkerAndListener(DistantCloud.impatient()) { cloud, talker, listener in
      cloud.proxy.plan = plan
      async let talking: Void = talk(talker)
      try await hearEverything(listener)
      try await talking
    }
  }

  /// The next signal that is not about the schema.
  private func next(_ words: inout AsyncStream<PushSignal>.Iterator) async -> PushSignal? {
    while let word = await words.next(isolation: #isolation) {
      if case .schemaChanged = word { continue }
      return word
    }
    return nil
  }

  /// A single notification is lost.
  ///
  /// Its change arrives with the fetch after the device listens again.
  @Test(arguments: [NetworkFault.Ending.close, .reset, .unnoticed])
  func `A notification lost in a disconnection is made up for by listening again`(
    ending: NetworkFault.Ending
  )
    async throws
  {
    try await withTalkerAndListener(DistantCloud.impatient()) { cloud, talker, listener in
      var words = try listener.binding().signals.makeAsyncIterator()
      guard case .listening? = await words.next() else {
        Issue.record("The device did not start to listen.")
        return
      }
      try await save("first", talker)
      guard case .notification? = await next(&words) else {
        Issue.record("The device was not notified.")
        return
      }
      cloud.proxy.endNextAnswer(by: ending)
      try await save("lost", talker)
      var (isListening, isLost) = (false, true)
      while !isListening, let word = await words.next() {
        if case .listening = word { isListening = true }
        if case .notification = word { isLost = false }
      }
      #expect(isListening && isLost)
      try await save("last", talker)
      guard case .notification? = await next(&words) else {
        Issue.record("The device was not notified.")
        return
      }
    }
  }

  /// The engine waits as long as in programs, about a second after a disconnection.
  @Test(arguments: [NetworkFault.Ending.close, .unnoticed])
  func `An automatic engine misses no change`(ending: NetworkFault.Ending) async throws {
    try await withTalkerAndListener(.machine) { cloud, talker, listener in
      cloud.proxy.plan = [.none, .down(400, ending)]
      let notesProgram = NotesProgram()
      let engine = CKSyncEngine(
        CKSyncEngine.Configuration(
          database: listener.privateCloudDatabase, stateSerialization: nil, delegate: notesProgram))
      async let talking: Void = talk(talker)
      while notesProgram.titles.count < Self.names.count {
        await notesProgram.hears("fetchedRecordZoneChanges")
        _ = notesProgram.heard()
      }
      try await talking
      #expect(notesProgram.titles.count == Self.names.count)
      await engine.cancelOperations()
    }
  }
}
