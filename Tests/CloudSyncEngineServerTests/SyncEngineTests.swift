import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudRecords
import CloudSyncEngine
import CloudTransport
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Manual engines with the real server: the events of their programs, and the results.
@Suite(.endsAtAll) struct SyncEngineTests {
  private let cloud: WatchedCloud
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  /// A device with a program and its engine.
  private struct Device {
    let notesProgram: NotesProgram
    let engine: CKSyncEngine
    let container: CKContainer

    init(
      _ container: CKContainer, notesProgram: NotesProgram = NotesProgram(),
      kept: CKSyncEngine.State.Serialization? = nil
    ) {
      self.container = container
      self.notesProgram = notesProgram
      var configuration = CKSyncEngine.Configuration(
        database: container.privateCloudDatabase, stateSerialization: kept, delegate: notesProgram)
      configuration.automaticallySync = false
      engine = CKSyncEngine(configuration)
    }

    func write(_ title: String, to recordID: CKRecord.ID) {
      notesProgram.write(title, to: recordID, engine)
    }

    /// Sends and fetches, and drops the recorded events.
    func sync() async throws {
      try await engine.sendChanges()
      try await engine.fetchChanges()
      _ = notesProgram.heard()
    }
  }

  private func device(_ user: String = "anna") -> Device { Device(cloud.container(user)) }

  private func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  private func signIn(_ person: String, _ container: CKContainer) async throws {
    let token = try #require(try await cloud.cloud.signIn(person).webAuthToken)
    try container.binding().setCredentials(
      .user(apiToken: cloud.cloud.apiToken, webAuthToken: token))
  }

  /// Two devices of one user that both have the zone and a note.
  private func pair() async throws -> (Device, Device) {
    let (first, second) = (device(), device())
    first.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    first.write("Milk", to: recordID("a"))
    try await first.sync()
    try await second.sync()
    return (first, second)
  }

  // MARK: Expired tokens

  @Test func `A full listing reveals deletions that the server has forgotten`() async throws {
    let (first, second) = try await pair()
    first.write("Bread", to: recordID("b"))
    try await first.sync()
    try await second.sync()
    #expect(second.notesProgram.titles == ["a: Milk", "b: Bread"])
    first.notesProgram.delete(recordID("a"), first.engine)
    first.write("Wine", to: recordID("c"))
    try await first.sync()
    second.write("Eggs", to: recordID("d"))
    let hasExpired = Flag()
    let zone = #"{"zoneName":"Notes","ownerRecordName":"\#(cloud.name("anna"))"}"#
    let expired = TransportResponse.json(
      #"{"zones":[{"zoneID":\#(zone),"serverErrorCode":"BAD_REQUEST","reason":"Too old.","extensionErrorCode":"CHANGE_TOKEN_EXPIRED"}]}"#
    )
    cloud.injectedFault.withLock {
      $0 = { operation in
        guard operation == "changes/zone", !hasExpired.isSet else { return .none }
        hasExpired.set()
        return .answer(expired)
      }
    }
    try await second.engine.fetchChanges()
    #expect(second.notesProgram.titles == ["b: Bread", "c: Wine", "d: Eggs"])
    #expect(
      second.notesProgram.heard().contains("didFetchRecordZoneChanges Notes:__defaultOwner__ whole")
    )
    try await second.engine.fetchChanges()
    #expect(!second.notesProgram.heard().contains { $0.hasSuffix("whole") })
  }

  // MARK: Former launches

  /// A former launch may have deleted the zone without storing the new state.
  @Test func `The deletion of a zone that no longer exists is reported as done`() async throws {
    let (first, second) = try await pair()
    try await first.container.privateCloudDatabase.deleteRecordZone(withID: zoneID)
    second.engine.state.add(pendingDatabaseChanges: [.deleteZone(zoneID)])
    try await second.engine.sendChanges()
    #expect(
      second.notesProgram.heard().contains("sentDatabaseChanges deleted: Notes:__defaultOwner__"))
    #expect(second.engine.state.pendingDatabaseChanges.isEmpty)
  }

  // MARK: Order

  @Test func `Events arrive in order, and state updates after what they cover`() async throws {
    let (first, second) = (device(), device())
    first.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    first.write("Milk", to: recordID("a"))
    first.write("Bread", to: recordID("b"))
    try await first.engine.sendChanges()
    #expect(
      first.notesProgram.heard() == [
        "stateUpdate", "accountChange signIn \(cloud.name("anna"))", "stateUpdate",
        "willSendChanges manual",
        "sentDatabaseChanges saved: Notes:__defaultOwner__", "stateUpdate",
        "sentRecordZoneChanges saved: Notes/a, Notes/b", "stateUpdate", "didSendChanges manual",
      ])
    try await second.engine.fetchChanges()
    #expect(
      second.notesProgram.heard() == [
        "accountChange signIn \(cloud.name("anna"))", "stateUpdate", "willFetchChanges manual",
        "fetchedDatabaseChanges changed: Notes:__defaultOwner__", "stateUpdate",
        "willFetchRecordZoneChanges Notes:__defaultOwner__",
        "fetchedRecordZoneChanges changed: Notes/a, Notes/b",
        "stateUpdate", "didFetchRecordZoneChanges Notes:__defaultOwner__", "didFetchChanges manual",
      ])
    #expect(second.notesProgram.titles == ["a: Milk", "b: Bread"])
    try await second.engine.fetchChanges()
    #expect(second.notesProgram.heard() == ["willFetchChanges manual", "didFetchChanges manual"])
    #expect(first.notesProgram.overlaps == 0 && second.notesProgram.overlaps == 0)
  }

  @Test func `Events whose state was not stored are delivered again`() async throws {
    let (first, second) = try await pair()
    first.write("Wine", to: recordID("a"))
    try await first.sync()
    let kept = second.notesProgram.kept
    try await second.engine.fetchChanges()
    let heard = second.notesProgram.heard()
    let again = Device(second.container, kept: kept)
    try await again.engine.fetchChanges()
    #expect(
      again.notesProgram.heard() == heard
        && heard.contains("fetchedRecordZoneChanges changed: Notes/a")
    )
    let later = Device(second.container, kept: again.notesProgram.kept)
    try await later.engine.fetchChanges()
    #expect(later.notesProgram.heard() == ["willFetchChanges manual", "didFetchChanges manual"])
  }

  @Test func `Pending changes survive a launch`() async throws {
    let (first, second) = try await pair()
    first.write("Wine", to: recordID("a"))
    await first.notesProgram.hears("stateUpdate")
    let kept = try #require(first.notesProgram.kept)
    let read = try JSONDecoder().decode(
      CKSyncEngine.State.Serialization.self, from: JSONEncoder().encode(kept))
    let next = Device(first.container, notesProgram: first.notesProgram, kept: read)
    #expect(next.engine.state.pendingRecordZoneChanges == [.saveRecord(recordID("a"))])
    try await next.sync()
    try await second.sync()
    #expect(second.notesProgram.titles == ["a: Wine"])
  }

  // MARK: Two devices

  @Test func `Two devices of one user converge`() async throws {
    let (first, second) = try await pair()
    second.write("Wine", to: recordID("a"))
    second.write("Salt", to: recordID("c"))
    try await second.sync()
    try await first.sync()
    #expect(first.notesProgram.titles == ["a: Wine", "c: Salt"])
    first.notesProgram.delete(recordID("a"), first.engine)
    try await first.sync()
    try await second.sync()
    #expect(second.notesProgram.titles == ["c: Salt"] && first.notesProgram.titles == ["c: Salt"])
    #expect(first.engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `The program resolves a conflict, and its result is sent at once`() async throws {
    let (first, second) = try await pair()
    first.write("Wine", to: recordID("a"))
    try await first.sync()
    second.write("Xylophone", to: recordID("a"))
    try await second.engine.sendChanges()
    #expect(
      second.notesProgram.heard().filter { $0 != "stateUpdate" } == [
        "willSendChanges manual", "sentRecordZoneChanges failed: Notes/a (serverRecordChanged)",
        "sentRecordZoneChanges saved: Notes/a", "didSendChanges manual",
      ])
    try await first.sync()
    #expect(first.notesProgram.titles == ["a: Xylophone"])
  }

  @Test func `In an atomic batch the records without an error are sent again`() async throws {
    let (first, second) = try await pair()
    first.write("Wine", to: recordID("a"))
    try await first.sync()
    second.notesProgram.isAtomic = true
    second.write("Xylophone", to: recordID("a"))
    second.write("Salt", to: recordID("c"))
    try await second.engine.sendChanges()
    #expect(
      second.notesProgram.heard().filter { $0.hasPrefix("sent") } == [
        "sentRecordZoneChanges failed: Notes/a (serverRecordChanged), Notes/c (batchRequestFailed)",
        "sentRecordZoneChanges saved: Notes/c, Notes/a",
      ])
    try await first.sync()
    #expect(first.notesProgram.titles == ["a: Xylophone", "c: Salt"])
  }

  @Test func `A large zone is fetched in pages and sent in batches`() async throws {
    let (first, second) = try await pair()
    for number in 0..<450 { first.write("\(number)", to: recordID("n\(1_000 + number)")) }
    try await first.engine.sendChanges()
    let sent = first.notesProgram.events.compactMap { event in
      if case .sentRecordZoneChanges(let sent) = event { sent.savedRecords.count } else { nil }
    }
    #expect(sent == [1, 200, 200, 50])
    try await second.engine.fetchChanges()
    let fetched = second.notesProgram.events.compactMap { event in
      if case .fetchedRecordZoneChanges(let fetched) = event {
        fetched.modifications.count
      } else {
        nil
      }
    }
    #expect(fetched.reduce(0, +) == 451 && fetched.allSatisfy { $0 <= 200 })
    #expect(second.notesProgram.titles == first.notesProgram.titles)
  }

  @Test func `Only changes in the scope are fetched and sent`() async throws {
    let (first, second) = try await pair()
    let other = CKRecordZone.ID(zoneName: "Other")
    let elsewhere = CKRecord.ID(recordName: "e", zoneID: other)
    first.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: other))])
    first.write("Wine", to: recordID("a"))
    first.write("Far", to: elsewhere)
    try await first.engine.sendChanges(.init(scope: .recordIDs([recordID("a")])))
    #expect(first.engine.state.pendingRecordZoneChanges == [.saveRecord(elsewhere)])
    #expect(first.engine.state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneID: other))])
    try await first.engine.sendChanges()
    #expect(first.engine.state.pendingRecordZoneChanges.isEmpty)
    second.notesProgram.fetchScope = .zoneIDs([other])
    try await second.engine.fetchChanges()
    #expect(second.notesProgram.titles == ["a: Milk", "e: Far"])
    #expect(second.engine.state.zoneIDsWithUnfetchedServerChanges == [zoneID])
    second.notesProgram.fetchScope = nil
    try await second.engine.fetchChanges()
    #expect(second.notesProgram.titles == ["a: Wine", "e: Far"])
  }

  // MARK: Sending

  @Test func `A zone that another device deleted is removed locally too`() async throws {
    let (first, second) = try await pair()
    second.engine.state.add(pendingDatabaseChanges: [.deleteZone(zoneID)])
    try await second.engine.sendChanges()
    #expect(
      second.notesProgram.heard().contains("sentDatabaseChanges deleted: Notes:__defaultOwner__"))
    try await first.engine.fetchChanges()
    #expect(
      first.notesProgram.heard().contains("fetchedDatabaseChanges gone: Notes:__defaultOwner__"))
    #expect(first.notesProgram.titles.isEmpty)
  }

  @Test func `A zone that the program restores is created before its records`() async throws {
    let (first, second) = try await pair()
    second.engine.state.add(pendingDatabaseChanges: [.deleteZone(zoneID)])
    try await second.engine.sendChanges()
    first.write("Wine", to: recordID("a"))
    try await first.engine.sendChanges()
    let sent = first.notesProgram.heard().filter { $0.hasPrefix("sent") }
    #expect(
      sent.count == 3 && sent.first?.hasPrefix("sentRecordZoneChanges failed: Notes/a") == true)
    #expect(sent.last == "sentRecordZoneChanges saved: Notes/a")
    let third = device()
    try await third.sync()
    #expect(third.notesProgram.titles == ["a: Wine"])
  }

  @Test func `After a key reset the program sends its records again`() async throws {
    let (first, second) = try await pair()
    let reference = ZoneReference(zoneName: zoneID.zoneName, ownerName: nil)
    _ = try await second.container.session().call(
      KeyBagsModifyRequest(operations: [.init(.reset, .zone(reference))]), .private)
    try await first.engine.fetchChanges()
    #expect(
      first.notesProgram.heard().contains(
        "fetchedDatabaseChanges gone: Notes:__defaultOwner__ (encryptedDataReset)"))
    #expect(first.notesProgram.titles == ["a: Milk"])
    try await first.sync()
    let third = device()
    try await third.sync()
    #expect(third.notesProgram.titles == ["a: Milk"])
  }

  @Test func `If the token has expired, everything is fetched again`() async throws {
    let (first, second) = try await pair()
    second.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Gone"))])
    try await second.sync()
    first.write("Wine", to: recordID("a"))
    first.engine.state.add(pendingDatabaseChanges: [.deleteZone(CKRecordZone.ID(zoneName: "Gone"))])
    try await first.sync()
    let answer = TransportResponse(
      status: 400,
      body: Array(
        #"{"serverErrorCode":"BAD_REQUEST","reason":"Old.","extensionErrorCode":"CHANGE_TOKEN_EXPIRED"}"#
          .utf8))
    let seen = Mutex<Set<String>>([])
    cloud.injectedFault.withLock { injectedFault in
      injectedFault = { endpoint in
        let isFirst = seen.withLock { $0.insert(endpoint).inserted }
        return isFirst && endpoint.hasPrefix("changes/") ? .answer(answer) : .none
      }
    }
    try await second.engine.fetchChanges()
    #expect(second.notesProgram.titles == ["a: Wine"])
    #expect(second.notesProgram.heard().contains { $0.contains("gone: Gone:__defaultOwner__") })
    try await second.engine.fetchChanges()
    #expect(second.notesProgram.heard() == ["willFetchChanges manual", "didFetchChanges manual"])
  }

  // MARK: Accounts

  @Test
  func `Another account starts empty, and the first one's pending changes are not sent`()
    async throws
  {
    let (first, _) = try await pair()
    first.write("Secret", to: recordID("s"))
    try await signIn("bob", first.container)
    await first.notesProgram.hears("accountChange")
    #expect(
      first.notesProgram.heard().contains(
        "accountChange switch \(cloud.name("anna")) to \(cloud.name("bob"))"))
    #expect(
      first.engine.state.pendingRecordZoneChanges.isEmpty && first.notesProgram.titles.isEmpty)
    try await first.sync()
    #expect(first.notesProgram.titles.isEmpty)
    try first.container.binding().setCredentials(.program(apiToken: cloud.cloud.apiToken))
    await first.notesProgram.hears("accountChange")
    #expect(first.notesProgram.heard().contains("accountChange signOut \(cloud.name("bob"))"))
    let error = await #expect(throws: CKError.self) { try await first.engine.fetchChanges() }
    #expect(error?.code == .notAuthenticated)
    try await signIn("anna", first.container)
    await first.notesProgram.hears("accountChange")
    try await first.sync()
    #expect(first.notesProgram.titles == ["a: Milk"])
  }

  @Test func `A fetch that notices another process's account change reports it and fetches`()
    async throws
  {
    let (first, _) = try await pair()
    let store = MemoryCredentialStore()
    let configuration = CKContainer.Configuration(
      containerIdentifier: cloud.cloud.container,
      server: try #require(URL(string: cloud.cloud.address)),
      credentials: .program(apiToken: cloud.cloud.apiToken))
    let binding = ContainerBinding(
      configuration, transport: cloud, dependencies: try first.container.binding().dependencies,
      store: store)
    func signIn(_ person: String) async throws {
      let token = try #require(try await cloud.cloud.signIn(person).webAuthToken)
      let account = StoredAccounts.Account(userRecordName: cloud.name(person), webAuthToken: token)
      try store.update(binding.address) { $0.signIn(account) }
    }
    try await signIn("bob")
    let device = Device(CKContainer(binding))
    try await device.engine.fetchChanges()
    _ = device.notesProgram.heard()
    try await signIn("anna")
    try await device.engine.fetchChanges()
    #expect(device.notesProgram.titles == ["a: Milk"])
    #expect(
      device.notesProgram.heard().contains(
        "accountChange switch \(cloud.name("bob")) to \(cloud.name("anna"))"))
  }

  @Test func `An account change between two launches is noticed`() async throws {
    let (first, _) = try await pair()
    let next = Device(
      cloud.container("bob"), notesProgram: first.notesProgram, kept: first.notesProgram.kept)
    try await next.engine.fetchChanges()
    #expect(
      next.notesProgram.heard().first
        == "accountChange switch \(cloud.name("anna")) to \(cloud.name("bob"))")
    #expect(next.notesProgram.titles.isEmpty)
  }

  // MARK: Failures

  @Test func `Changes whose send failed stay pending, and the next send includes them`()
    async throws
  {
    let (first, second) = try await pair()
    first.write("Wine", to: recordID("a"))
    cloud.injectedFault.withLock {
      $0 = { _ in .lost(TransportError(.untrusted, "Another server answers.")) }
    }
    let error = await #expect(throws: CKError.self) { try await first.engine.sendChanges() }
    #expect(error?.code == .networkFailure)
    #expect(
      first.notesProgram.heard().contains("sentRecordZoneChanges failed: Notes/a (networkFailure)"))
    #expect(first.engine.state.pendingRecordZoneChanges == [.saveRecord(recordID("a"))])
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    try await first.sync()
    try await second.sync()
    #expect(second.notesProgram.titles == ["a: Wine"])
  }

  @Test func `An interrupted fetch resumes`() async throws {
    let (first, second) = try await pair()
    for number in 0..<300 { first.write("\(number)", to: recordID("n\(1_000 + number)")) }
    try await first.sync()
    let begun = cloud.asked.withLock { $0.count }
    cloud.injectedFault.withLock { [cloud] injectedFault in
      injectedFault = { endpoint in
        let pages = cloud.asked.withLock {
          $0[begun...].count { $0 == Endpoint.changesZone.rawValue }
        }
        return endpoint == Endpoint.changesZone.rawValue && pages == 2
          ? .lost(TransportError(.untrusted, "Gone.")) : .none
      }
    }
    await #expect(throws: CKError.self) { try await second.engine.fetchChanges() }
    let heard = second.notesProgram.heard()
    #expect(
      heard.suffix(2) == [
        "didFetchRecordZoneChanges Notes:__defaultOwner__ networkFailure", "didFetchChanges manual",
      ])
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    try await second.engine.fetchChanges()
    let fetched = second.notesProgram.events.compactMap { event in
      if case .fetchedRecordZoneChanges(let fetched) = event {
        fetched.modifications.count
      } else {
        nil
      }
    }
    #expect(fetched.reduce(0, +) == 301 && second.notesProgram.titles == first.notesProgram.titles)
  }

  @Test
  func `A delegate that syncs from an event gets an error instead of a deadlock`() async throws {
    let first = device()
    let notesProgram = first.notesProgram
    notesProgram.inquire { event, engine in
      guard case .willFetchChanges = event else { return }
      await #expect(throws: CKError.self) { try await engine.sendChanges() }
      await engine.cancelOperations()
    }
    let error = await #expect(throws: CKError.self) { try await first.engine.fetchChanges() }
    #expect(error?.code == .operationCancelled)
    #expect(notesProgram.heard().last == "didFetchChanges manual")
  }

  @Test func `Cancelling ends running work and loses nothing`() async throws {
    let (first, _) = try await pair()
    first.write("Wine", to: recordID("a"))
    first.notesProgram.inquire { event, engine in
      if case .willSendChanges = event { Task.detached { await engine.cancelOperations() } }
      if case .willSendChanges = event { while !Task.isCancelled { await Task.yield() } }
    }
    let error = await #expect(throws: CKError.self) { try await first.engine.sendChanges() }
    #expect(error?.code == .operationCancelled)
    #expect(first.engine.state.pendingRecordZoneChanges == [.saveRecord(recordID("a"))])
    first.notesProgram.inquire { _, _ in }
    try await first.sync()
    #expect(first.engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `Without a delegate nothing is fetched`() async throws {
    let engine: CKSyncEngine
    do { engine = device().engine }
    let error = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
    #expect(error?.code == .internalError)
    let asked = cloud.asked.withLock(\.self)
    #expect(!asked.contains { $0.hasPrefix("changes/") }, "\(asked)")
  }
}
