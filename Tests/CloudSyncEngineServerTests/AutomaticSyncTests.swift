import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudSyncEngine
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Automatic engines with the real server and a clock that the test moves.
@Suite(.endsAtAll) struct AutomaticSyncTests {
  private let cloud: WatchedCloud
  private let clock = ManualClock()
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private func container() async throws -> CKContainer {
    CKContainer(
      try await cloud.cloud.signIn("anna").binding(over: cloud, dependencies: clock.dependencies))
  }

  private func engine(_ notesProgram: NotesProgram, _ container: CKContainer) -> CKSyncEngine {
    CKSyncEngine(
      CKSyncEngine.Configuration(
        database: container.privateCloudDatabase, stateSerialization: nil, delegate: notesProgram))
  }

  private func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  /// An idle engine that has created its zone and fetched.
  private func settled(_ notesProgram: NotesProgram) async throws -> CKSyncEngine {
    let engine = engine(notesProgram, try await container())
    try await engine.database.save(CKRecordZone(zoneID: zoneID))
    await notesProgram.hears("didFetchChanges scheduled")
    try await rest(engine)
    _ = notesProgram.heard()
    return engine
  }

  private func rest(_ engine: CKSyncEngine) async throws {
    try await yields(while: !engine.isIdle)
  }

  @Test func `A new engine subscribes and fetches`() async throws {
    let notesProgram = NotesProgram()
    let engine = engine(notesProgram, try await container())
    await notesProgram.hears("didFetchChanges scheduled")
    let subscriptions = try await engine.database.allSubscriptions()
    #expect(subscriptions.count == 1 && subscriptions.first is CKDatabaseSubscription)
    let another = NotesProgram()
    let second = self.engine(another, try await container())
    await another.hears("didFetchChanges scheduled")
    #expect(
      try await second.database.allSubscriptions().count == 1,
      "The existing subscription is used.")
  }

  @Test
  func `A zone whose fetch failed on a full disk is fetched once there is space`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let others = cloud.container("anna").privateCloudDatabase
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      try Data("abc".utf8).write(to: file)
      let record = CKRecord(recordType: "Note", recordID: recordID("a"))
      (record["title"], record["file"]) = ("Milk", CKAsset(fileURL: file))
      cloud.injectedFault.withLock { $0 = { $0 == "download" ? .fullDisk : .none } }
      try await others.save(record)
    }
    await notesProgram.hears("didFetchRecordZoneChanges Notes:__defaultOwner__ internalError")
    #expect(abs(await clock.nextAlarm() - 2) < 0.001)
    // Sending needs no space.
    notesProgram.write("Eggs", to: recordID("b"), engine)
    while !notesProgram.heard().contains("sentRecordZoneChanges saved: Notes/b") {
      clock.advance(by: 1)
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    while !notesProgram.titles.contains("a: Milk") {
      clock.advance(by: 1)
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// The names of the subscriptions to the whole database.
  private func subscriptions(_ engine: CKSyncEngine) async throws -> [CKSubscription.ID] {
    try await engine.database.allSubscriptions().filter { $0 is CKDatabaseSubscription }.map(
      \.subscriptionID)
  }

  @Test func `A deleted subscription is created again`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let former = try #require(try await subscriptions(engine).first)
    // The server does not notify this device of its own changes.
    try await engine.database.deleteSubscription(withID: former)
    try await yields(while: try await subscriptions(engine).isEmpty)
    // The new subscription notifies it.
    let (another, writer) = (NotesProgram(), try await container())
    let sender = self.engine(another, writer)
    await another.hears("didFetchChanges scheduled")
    another.write("Milk", to: recordID("a"), sender)
    try await sender.sendChanges()
    try await yields(while: notesProgram.titles != ["a: Milk"])
  }

  @Test(arguments: [true, false])
  func `A subscription that an operation deleted or changed is created again at once`(
    _ isDeleted: Bool
  )
    async throws
  {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let former = try #require(try await subscriptions(engine).first)
    let operation =
      isDeleted
      ? CKModifySubscriptionsOperation(subscriptionIDsToDelete: [former])
      : CKModifySubscriptionsOperation(
        subscriptionsToSave: [CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: former)])
    await engine.database.carryOut(operation)
    try await yields(while: try await subscriptions(engine).allSatisfy { $0 == former })
  }

  @Test func `A subscription that another device deleted is created again at once`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let former = try #require(try await subscriptions(engine).first)
    let (another, writer) = (NotesProgram(), try await container())
    let sender = self.engine(another, writer)
    await another.hears("didFetchChanges scheduled")
    another.write("Milk", to: recordID("a"), sender)
    try await sender.sendChanges()
    // The engine is listening when it receives the change.
    try await yields(while: notesProgram.titles != ["a: Milk"])
    try await rest(engine)
    try await writer.privateCloudDatabase.deleteSubscription(withID: former)
    try await yields(while: try await subscriptions(engine).isEmpty)
    another.write("Bread", to: recordID("a"), sender)
    try await sender.sendChanges()
    try await yields(while: notesProgram.titles != ["a: Bread"])
  }

  @Test func `A subscription that was replaced by another kind is left, and a new one is created`()
    async throws
  {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let former = try #require(try await subscriptions(engine).first)
    try await engine.database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: former))
    try await yields(while: try await subscriptions(engine).isEmpty)
    #expect(try await engine.database.subscription(for: former) is CKRecordZoneSubscription)
  }

  @Test func `The next launch recreates a missing subscription`() async throws {
    let notesProgram = NotesProgram()
    let (database, former): (CKDatabase, CKSubscription.ID)
    weak var gone: CKSyncEngine?
    do {
      let first = try await settled(notesProgram)
      (database, former, gone) = (
        first.database, try #require(try await subscriptions(first).first), first
      )
    }
    try await yields(while: gone != nil)
    try await database.deleteSubscription(withID: former)
    let later = NotesProgram()
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: notesProgram.kept, delegate: later)
    configuration.subscriptionID = "mine"
    let second = CKSyncEngine(configuration)
    await later.hears("didFetchChanges scheduled")
    #expect(try await subscriptions(second) == ["mine"])
  }

  @Test func `An engine does not check its subscription at every sync`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let before = cloud.asked.withLock { $0.count { $0 == "subscriptions/list" } }
    for _ in 0..<3 {
      engine.notePush()
      await notesProgram.hears("didFetchChanges scheduled")
      try await rest(engine)
      _ = notesProgram.heard()
    }
    #expect(cloud.asked.withLock { $0.count { $0 == "subscriptions/list" } } == before)
  }

  /// How often an operation was requested.
  private func count(_ operation: String) -> Int {
    cloud.asked.withLock { $0.count { $0 == operation } }
  }

  @Test func `A notification that names a known zone saves the request for the list of zones`()
    async throws
  {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let others = cloud.container("anna").privateCloudDatabase
    var listings: [Int] = []
    for (number, name) in ["a", "b", "c"].enumerated() {
      let record = CKRecord(recordType: "Note", recordID: recordID(name))
      record["title"] = "Milk"
      try await others.save(record)
      try await yields(while: notesProgram.titles.count <= number)
      try await rest(engine)
      listings.append(count("changes/database"))
    }
    // The first fetch makes the zone known.
    #expect(listings[1] == listings[0] && listings[2] == listings[0])
    _ = notesProgram.heard()
    try await others.deleteRecordZone(withID: zoneID)
    await notesProgram.hears("fetchedDatabaseChanges gone: Notes")
    #expect(count("changes/database") > listings[0])
  }

  @Test func `Changes are debounced and sent together`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    for name in ["a", "b", "c"] { notesProgram.write(name, to: recordID(name), engine) }
    #expect(await clock.nextAlarm() < 0.101)
    clock.advance(by: 0.1)
    await notesProgram.hears("didSendChanges scheduled")
    #expect(notesProgram.heard().contains("sentRecordZoneChanges saved: Notes/a, Notes/b, Notes/c"))
  }

  @Test func `A push fetches at once`() async throws {
    // Without streams, only the push reports the change.
    cloud.areStreamsBroken.withLock { $0 = true }
    let (first, second) = (NotesProgram(), NotesProgram())
    let (sender, receiver) = (try await settled(first), try await settled(second))
    first.write("Milk", to: recordID("a"), sender)
    try await sender.sendChanges()
    receiver.notePush()
    await second.hears("didFetchChanges scheduled")
    #expect(second.titles == ["a: Milk"])
  }

  @Test func `An engine is notified of changes that another device sent`() async throws {
    let (first, second) = (NotesProgram(), NotesProgram())
    let (sender, receiver) = (try await settled(first), try await settled(second))
    first.write("Milk", to: recordID("a"), sender)
    try await sender.sendChanges()
    try await yields(while: second.titles != ["a: Milk"])
    withExtendedLifetime(receiver) {}
  }

  @Test func `Two engines over one container notify each other`() async throws {
    let container = try await container()
    var signals = try container.binding().signals.makeAsyncIterator()
    let (first, second) = (NotesProgram(), NotesProgram())
    let (sender, receiver) = (engine(first, container), engine(second, container))
    try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
    for notesProgram in [first, second] { await notesProgram.hears("didFetchChanges scheduled") }
    _ = await signals.next()
    for engine in [sender, receiver] { try await rest(engine) }
    first.write("Milk", to: recordID("a"), sender)
    try await sender.sendChanges()
    try await yields(while: second.titles != ["a: Milk"])
    withExtendedLifetime(receiver) {}
  }

  @Test func `An engine continues when its device listens again`() async throws {
    let notesProgram = NotesProgram()
    cloud.areStreamsBroken.withLock { $0 = true }
    let engine = try await settled(notesProgram)
    try await yields(while: !clock.hasNetworkObservers)
    cloud.injectedFault.withLock { $0 = { _ in .lost(TransportError(.untrusted, "Not here.")) } }
    notesProgram.write("Milk", to: recordID("a"), engine)
    try await yields(while: await clock.nextAlarm() > 0.101)
    clock.advance(by: 0.1)
    await notesProgram.hears("didSendChanges scheduled")
    _ = notesProgram.heard()
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    cloud.areStreamsBroken.withLock { $0 = false }
    // The channel retries after one second, or after two if an answer to the engine's requests
    // ended its first pause. The engine itself would retry two seconds after its save failed.
    clock.advance(by: 1.9)
    await notesProgram.hears("didSendChanges scheduled")
    #expect(notesProgram.heard().contains("sentRecordZoneChanges saved: Notes/a"))
  }

  @Test func `A network change ends a pause`() async throws {
    let pause = Task { [dependencies = clock.dependencies] in
      await dependencies.waitForNetwork(atMost: .seconds(300))
    }
    try await yields(while: !clock.hasNetworkObservers)
    #expect(await clock.nextAlarm() == 300)
    clock.changeNetwork()
    try await yields(while: await clock.nextAlarm() > 1)
    clock.advance(by: 1)
    await pause.value
  }

  @Test func `An answer to another request ends the pause before the device listens again`()
    async throws
  {
    cloud.areStreamsBroken.withLock { $0 = true }
    let container = try await container()
    var signals = try container.binding().signals.makeAsyncIterator()
    func isSilent(_ signal: PushSignal?) -> Bool {
      if case .silent? = signal { true } else { false }
    }
    for seconds in [1.0, 2, 4] {
      let signal = await signals.next()
      #expect(isSilent(signal))
      #expect(await clock.nextAlarm() == seconds)
      if seconds < 4 { clock.advance(by: seconds) }
    }
    _ = try await container.privateCloudDatabase.allRecordZones()
    let afterAnswer = await signals.next()
    #expect(isSilent(afterAnswer))
    #expect(await clock.nextAlarm() == 8)
    // If requests succeed and streams do not, not every request causes an attempt.
    _ = try await container.privateCloudDatabase.allRecordZones()
    clock.advance(by: 8)
    let afterPause = await signals.next()
    #expect(isSilent(afterPause))
    #expect(await clock.nextAlarm() == 16)
    cloud.areStreamsBroken.withLock { $0 = false }
    clock.advance(by: 2)
    _ = try await container.privateCloudDatabase.allRecordZones()
    guard case .listening? = await signals.next() else {
      Issue.record("The device does not listen.")
      return
    }
  }

  @Test(arguments: [false, true])
  func `An answer to another request does not shorten a pause that the server requested`(
    isForToken: Bool
  ) async throws {
    func answerLater(_ seconds: Int?) {
      let busy = seconds.map {
        TransportResponse(
          status: 503, headers: [("Retry-After", "\($0)")],
          body: Array(
            #"{"uuid":"u","serverErrorCode":"TRY_AGAIN_LATER","reason":"Busy.","retryAfter":\#($0)}"#
              .utf8))
      }
      if isForToken {
        cloud.injectedFault.withLock { injectedFault in
          injectedFault = { operation in
            busy.flatMap { operation == "tokens/create" ? .answer($0) : nil } ?? .none
          }
        }
      } else {
        cloud.streamAnswer.withLock { $0 = busy }
      }
    }
    answerLater(40)
    let container = try await container()
    var signals = try container.binding().signals.makeAsyncIterator()
    guard case .silent? = await signals.next() else {
      Issue.record("The device listens.")
      return
    }
    #expect(await clock.nextAlarm() == 40)
    answerLater(100)
    _ = try await container.privateCloudDatabase.allRecordZones()
    for _ in 0..<100 { await Task.yield() }
    clock.advance(by: 39)
    #expect(await clock.nextAlarm() == 1)
    answerLater(nil)
    clock.advance(by: 1)
    guard case .listening? = await signals.next() else {
      Issue.record("The device does not listen.")
      return
    }
  }

  @Test func `Waiting for a network change can be cancelled`() async throws {
    let waiting = Task { await ClientDependencies.machine.networkChange() }
    await Task.yield()
    waiting.cancel()
    await waiting.value
  }

  @Test func `A throttled request is retried later`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let busy = TransportResponse(
      status: 503,
      body: Array(
        #"{"uuid":"u","serverErrorCode":"TRY_AGAIN_LATER","reason":"Busy.","retryAfter":100}"#.utf8)
    )
    cloud.injectedFault.withLock { $0 = { _ in .answer(busy) } }
    notesProgram.write("Milk", to: recordID("a"), engine)
    #expect(await clock.nextAlarm() < 0.101)
    clock.advance(by: 0.1)
    await notesProgram.hears("didSendChanges scheduled")
    #expect(
      notesProgram.heard().contains("sentRecordZoneChanges failed: Notes/a (serviceUnavailable)"))
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    #expect(abs(await clock.nextAlarm() - 125) < 0.001, "This test's random number adds a quarter.")
    notesProgram.write("Wine", to: recordID("a"), engine)
    engine.notePush()
    clock.advance(by: 120)
    for _ in 0..<100 { await Task.yield() }
    #expect(!notesProgram.heard().contains("willSendChanges scheduled"))
    clock.advance(by: 5)
    await notesProgram.hears("didSendChanges scheduled")
    #expect(
      notesProgram.heard().contains("sentRecordZoneChanges saved: Notes/a")
        && engine.state.pendingRecordZoneChanges.isEmpty
    )
  }

  @Test func `A permanent error of the fetch does not prevent the send`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    let refusal = TransportResponse(
      status: 400,
      body: Array(#"{"uuid":"u","serverErrorCode":"BAD_REQUEST","reason":"No."}"#.utf8))
    cloud.injectedFault.withLock {
      $0 = { $0 == "changes/database" ? .answer(refusal) : .none }
    }
    let before = count("changes/database")
    notesProgram.write("Milk", to: recordID("a"), engine)
    engine.noteNetworkReturned()
    try await rest(engine)
    #expect(count("changes/database") > before)
    #expect(notesProgram.heard().contains("sentRecordZoneChanges saved: Notes/a"))
  }

  @Test func `A network that returns is used at once`() async throws {
    let notesProgram = NotesProgram()
    let engine = try await settled(notesProgram)
    cloud.injectedFault.withLock { $0 = { _ in .lost(TransportError(.untrusted, "Not here.")) } }
    notesProgram.write("Milk", to: recordID("a"), engine)
    #expect(await clock.nextAlarm() < 0.101)
    clock.advance(by: 0.1)
    await notesProgram.hears("didSendChanges scheduled")
    _ = notesProgram.heard()
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    #expect(abs(await clock.nextAlarm() - 2) < 0.001)
    engine.noteNetworkReturned()
    await notesProgram.hears("didSendChanges scheduled")
    #expect(notesProgram.heard().contains("sentRecordZoneChanges saved: Notes/a"))
  }

  @Test func `Signing in starts a sync`() async throws {
    let notesProgram = NotesProgram()
    let container = try await container()
    let (token, before) = (cloud.cloud.apiToken, try container.session().credentials)
    try container.binding().setCredentials(.program(apiToken: token))
    let engine = engine(notesProgram, container)
    #expect(engine.state.pendingDatabaseChanges.isEmpty)
    try container.binding().setCredentials(before)
    await notesProgram.hears("didFetchChanges scheduled")
    #expect(notesProgram.heard().first == "accountChange signIn \(cloud.name("anna"))")
  }

  @Test func `A released engine is freed although it waits`() async throws {
    let notesProgram = NotesProgram()
    weak var gone: CKSyncEngine?
    do {
      let engine = try await settled(notesProgram)
      notesProgram.write("Milk", to: recordID("a"), engine)
      gone = engine
      #expect(await clock.nextAlarm() < 0.101)
    }
    try await yields(while: gone != nil)
    #expect(gone == nil)
  }
}
