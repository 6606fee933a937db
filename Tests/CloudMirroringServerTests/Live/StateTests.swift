import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

/// The state that a program can observe: events, phases, the state of a change, and blockers.
@Suite("The state of mirroring", .endsAtAll)
struct StateTests {
  private func withDevice(_ body: (TestCloud, Device) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await body(cloud, device)
      try device.close()
    }
  }

  @Test func `A saved change is pending until the server has it`() async throws {
    try await withDevice { _, device in
      try await device.sync()
      try await device.add("Person", ["name": "Ada"])
      let person = try await device.person("Ada")
      #expect(try device.container.syncState(of: person) == .pending(nil))
      #expect(device.container.syncState.pendingChangeCount == 1)
      #expect(!device.container.syncState.isUpToDate)
      try await device.sync()
      guard case .durable = try device.container.syncState(of: person) else {
        Issue.record("not durable but \(try device.container.syncState(of: person))")
        return
      }
      let state = try #require(device.container.syncState.stores.first)
      #expect(state.pendingChangeCount == 0 && state.isUpToDate)
      #expect(state.lastExportDate != nil && state.lastImportDate != nil)
    }
  }

  @Test func `Observers of the state learn that a store was removed`() async throws {
    try await withTemporaryDirectory { folder in
      let device = try await Device(try await TestCloud().signIn("ada"), in: folder)
      var states = device.container.syncStates.makeAsyncIterator()
      #expect(await states.next()?.stores.count == 1)
      try device.close()
      while await states.next()?.stores.isEmpty == false {}
      #expect(device.container.syncState.stores.isEmpty)
    }
  }

  @Test func `A program can wait until the server has an object or has deleted it`() async throws {
    try await withDevice { cloud, device in
      typealias Blocker = NSPersistentCloudKitContainer.SyncBlocker
      try await device.add("Person", ["name": "Ada"])
      let person = try await device.person("Ada")
      device.network.isOnline = false
      let offline = await #expect(throws: Blocker.self) { try await device.container.sync(person) }
      #expect(offline?.code == .offline)
      device.network.isOnline = true
      try await device.container.sync(person)
      guard case .durable = try device.container.syncState(of: person) else {
        Issue.record("not durable but \(try device.container.syncState(of: person))")
        return
      }
      try await device.delete("Ada")
      try await device.container.sync(person)
      #expect(device.container.syncState.pendingChangeCount == 0)
      let gone = await #expect(throws: Blocker.self) { try await device.container.sync(person) }
      #expect(gone?.code == .notMirrored && gone?.remedy.isEmpty == false)
    }
  }

  @Test func `A save during an export causes no failure and is sent, too`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, debouncesSaves: true, through: transport)
      try await device.sync()
      try await device.add("Person", ["name": "Ada"])
      let requests = Requests()
      transport.watch { request in
        guard request.address.contains("records/modify"), requests.next() == 1 else { return }
        do { try await device.add("Person", ["name": "Bob"]) } catch { Issue.record(error) }
      }
      try await device.sync()
      transport.watch(nil)
      #expect(device.container.syncState.pendingChangeCount == 0)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob"])
      try device.close()
      try other.close()
    }
  }

  @Test func `Joining a group waits until the server knows of it`() async throws {
    try await withDevice { _, device in
      try await device.add("Person", ["name": "Ada"])
      try await device.add("Group", ["title": "Chess"])
      try await device.sync()
      let person = try await device.person("Ada")
      let group = try await device.container.performBackgroundTask { context in
        try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group")).first?.objectID)
      }
      func areDurable() throws -> [Bool] {
        try [person, group].map {
          if case .durable = try device.container.syncState(of: $0) { true } else { false }
        }
      }
      #expect(try areDurable() == [true, true])
      for isMember in [true, false] {
        try await device.save { context in
          let groups = try context.person("Ada").mutableSetValue(forKey: "groups")
          let chess = try context.existingObject(with: group)
          if isMember { groups.add(chess) } else { groups.remove(chess) }
        }
        #expect(
          try [person, group].map { try device.container.syncState(of: $0) } == [
            .pending(nil), .pending(nil),
          ])
        try await device.container.sync(person)
        #expect(try areDurable() == [true, true])
      }
    }
  }

  @Test func `A rejected entry leaves the date of the last export unchanged`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await bob.sync()
      let before = try #require(bob.container.syncState.stores.first)
      try await cloud.advance(by: .seconds(60))
      try await bob.change("Ada", ["email": "not Bob's to change"])
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) { try await bob.sync() }
      let after = try #require(bob.container.syncState.stores.first)
      #expect(after.lastExportDate == before.lastExportDate)
      #expect(after.lastImportDate != before.lastImportDate, "Everything has arrived.")
      for device in [ada, bob] { try device.close() }
    }
  }

  @Test func `An account that changes elsewhere has no effect`() async throws {
    try await withDevice { _, device in
      try await device.sync()
      func tell(_ binding: ContainerBinding) {
        NotificationCenter.default.post(
          name: .CKAccountChanged, object: nil,
          userInfo: [ContainerBinding.bindingKey: ObjectIdentifier(binding)])
      }
      let elsewhere = try await TestCloud().signIn("ada")
      tell(try elsewhere.container.binding())
      #expect(device.container.syncState.isUpToDate)
      tell(try device.engine.mirror.container.binding())
      #expect(!device.container.syncState.isUpToDate)
    }
  }

  @Test func `An object has a record with its values, and a name from its first save`() async throws
  {
    try await withDevice { cloud, device in
      try await device.add("Person", ["name": "Ada", "age": 36])
      let person = try await device.person("Ada")
      let name = try #require(device.container.recordID(for: person))
      #expect(name.zoneID.zoneName == "com.apple.coredata.cloudkit.zone")
      #expect(device.container.record(for: person) == nil)
      try await device.sync()
      let record = try #require(device.container.record(for: person))
      #expect(
        record.recordID == name && record.recordType == "CD_Person" && record.recordChangeTag != nil
      )
      let there = try await cloud.signIn("ada").container.privateCloudDatabase.record(for: name)
      #expect(there["CD_name"] as? String == "Ada" && there["CD_age"] as? Int64 == 36)
      #expect(record["CD_name"] as? String == "Ada")
      #expect(device.container.canUpdateRecord(forManagedObjectWith: person))
    }
  }

  @Test func `Without a network the state reports it, and saves stay pending`() async throws {
    try await withDevice { _, device in
      try await device.sync()
      device.network.isOnline = false
      try await device.add("Person", ["name": "Ada"])
      do {
        try await device.sync()
        Issue.record("It synchronised without a network.")
      } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
        #expect(blocker.code == .offline)
        #expect(!blocker.remedy.isEmpty)
      }
      #expect(device.container.syncState.blocker?.code == .offline)
      let person = try await device.person("Ada")
      guard case .pending(let blocker) = try device.container.syncState(of: person) else {
        Issue.record("not pending but \(try device.container.syncState(of: person))")
        return
      }
      #expect(blocker?.code == .offline)
      device.network.isOnline = true
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
    }
  }

  @Test func `Without a signed-in user the state reports it, and everything waits`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.device(), in: folder)
      try await device.add("Person", ["name": "Ada"])
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      let state = try #require(device.container.syncState.stores.first)
      #expect(
        state.phase == .blocked && state.blocker?.code == .noAccount
          && state.pendingChangeCount == 1)
      let event = try #require(try await events(device).last)
      #expect(event.type == .setup && !event.succeeded)
      #expect((event.error as NSError?)?.code == 134_400)
      try device.close()
    }
  }

  @Test func `A paused store stops everything and continues afterwards`() async throws {
    try await withDevice { _, device in
      device.container.pause()
      try await device.add("Person", ["name": "Ada"])
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      #expect(device.container.syncState.stores.first?.phase == .paused)
      device.container.resume()
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
    }
  }

  // MARK: Events

  private func events(
    _ device: Device, from date: Date = .distantPast
  ) async throws -> [NSPersistentCloudKitContainer.Event] {
    try await device.container.performBackgroundTask { context in
      let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: date)
      let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
      return result?.result as? [NSPersistentCloudKitContainer.Event] ?? []
    }
  }

  @Test func `A fetch of events since a date includes those that began at that moment`()
    async throws
  {
    try await withDevice { cloud, device in
      try await device.sync()
      let moment = cloud.clock.now
      try await cloud.advance(by: .seconds(60))
      try await device.sync()
      let all = try await events(device)
      #expect(all.map(\.type) == [.setup, .import, .export, .import, .export])
      #expect(try await events(device, from: moment) == all)
      #expect(try await events(device, from: moment + 1) == Array(all.suffix(2)))
      #expect(try await events(device, from: moment + 61).isEmpty)
    }
  }

  @Test func `A request and its copy have the class that made it`() {
    final class Request: NSPersistentCloudKitContainerEventRequest {}
    let request: Request = Request.fetchEvents(after: Date.distantPast)
    request.resultType = .countEvents
    let copy = request.copy() as? Request
    #expect(copy?.resultType == .countEvents)
  }

  private func events(_ device: Device, after event: NSPersistentCloudKitContainer.Event)
    async throws -> [UUID]
  {
    try await device.container.performBackgroundTask { context in
      let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: event)
      let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
      return (result?.result as? [NSPersistentCloudKitContainer.Event] ?? []).map(\.identifier)
    }
  }

  @Test func `The error of an event has CloudKit's underlying error`() async throws {
    try await withDevice { _, device in
      device.network.isOnline = false
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      device.network.isOnline = true
      let error = try #require(try await events(device).first?.error as NSError?)
      #expect(error.domain == NSCocoaErrorDomain)
      let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? CKError)
      #expect([.networkFailure, .networkUnavailable].contains(cause.code))
    }
  }

  // MARK: Pending changes

  /// Objects from before mirroring count although no server was reached yet.
  @Test func `Entries that wait for a network are counted and reported`() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("Before.sqlite")
      let container = NSPersistentContainer(
        name: "Addresses", managedObjectModel: AddressBook.model())
      let description = NSPersistentStoreDescription(url: file)
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
      container.persistentStoreDescriptions = [description]
      try await container.loadPersistentStores()
      try await container.performBackgroundTask { context in
        for _ in 0..<3 {
          _ = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        }
        try context.save()
      }
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
      let device = try await Device(signedIn, in: folder, file: file)
      device.network.isOnline = false
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      let state = try #require(device.container.syncState.stores.first)
      #expect(state.pendingChangeCount == 3 && state.blocker?.code == .offline)
      let objectID = try await device.container.performBackgroundTask { context in
        try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).first)
          .objectID
      }
      guard case .pending(let blocker?) = try device.container.syncState(of: objectID) else {
        Issue.record("\(try device.container.syncState(of: objectID))")
        return
      }
      #expect(blocker.code == .offline)
      try device.close()
    }
  }

  @Test func `A record shows the server's known values and owns its files`() async throws {
    try await withDevice { _, device in
      let photo = Data(repeating: 5, count: MappingLimits.inlineBytes + 1)
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com", "photo": photo])
      try await device.sync()
      try await device.change("Ada", ["email": "unsent", "age": 7])
      let person = try await device.person("Ada")
      let folder = AssetFolder(besideStore: device.file).url.path
      do {
        let record = try #require(device.container.record(for: person))
        #expect(record["CD_name"] as? String == "Ada")
        #expect(record["CD_email"] as String? == nil && record["CD_age"] as Int? == nil)
        let file = try #require((record["CD_photo_ckAsset"] as CKAsset?)?.fileURL)
        #expect(try Data(contentsOf: file) == photo)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      try await device.sync()
      let record = try #require(device.container.record(for: person))
      #expect(record["CD_email"] as? String == "unsent" && record["CD_age"] as Int? == 7)
    }
  }

  @Test func `Every kind of blocker has a name and a line in the documentation`() throws {
    let named: [NSPersistentCloudKitContainer.SyncBlocker.Code] = [
      .offline, .throttled, .serviceUnavailable, .zoneBusy, .limitExceeded, .quotaExceeded,
      .permission, .conflict,
      .tokenExpired, .zoneMissing, .zoneDeletedByUser, .encryptedDataReset, .schemaNotDeployed,
      .rejectedRecord,
      .unreadableValue, .unreadableRecord, .keysMissing, .peopleChanged, .notListening, .noAccount,
      .signInAgain,
      .accountChanged,
      .cloudChanged, .notMirrored, .nothingMirrored, .notConfigured, .storeRemoved, .storeInUse,
      .store, .cannotUndo,
      .paused, .cancelled, .unexpected,
    ]
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let documentation = try String(
      contentsOf: root.appendingPathComponent("Documentation/Mirroring.md"), encoding: .utf8)
    for kind in MirrorError.Kind.allCases {
      #expect(named.contains { $0.rawValue == kind.rawValue }, "\(kind)")
      #expect(documentation.contains("`\(kind.rawValue)`"), "\(kind)")
    }
  }

  @Test
  func `The first synchronisation publishes start and end of a setup, an import and an export`()
    async throws
  {
    try await withDevice { _, device in
      let received = ReceivedEvents()
      let observer = NotificationCenter.default.addObserver(
        forName: NSPersistentCloudKitContainer.eventChangedNotification, object: device.container,
        queue: nil
      ) { notification in
        let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
        if let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event {
          received.note(event)
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try await device.sync()
      #expect(
        received.texts == [
          "setup begins", "setup ends", "import begins", "import ends", "export begins",
          "export ends",
        ])
      let kept = try await events(device)
      #expect(kept.map(\.type) == [.setup, .import, .export])
      // The clock stands still, so all events began at one moment.
      for (place, event) in kept.enumerated() {
        #expect(
          try await events(device, after: event) == Array(kept[(place + 1)...].map(\.identifier)))
      }
      let areDone = kept.allSatisfy { $0.succeeded && $0.endDate != nil && $0.error == nil }
      #expect(areDone)
      let count = try await device.container.performBackgroundTask { context in
        let request = NSPersistentCloudKitContainerEventRequest.fetchForEvents()
        request.predicate = NSPredicate(format: "type == 2")
        let events = NSPersistentCloudKitContainerEventRequest.fetchEvents(matchingFetch: request)
        events.resultType = .countEvents
        return (try context.execute(events) as? NSPersistentCloudKitContainerEventResult)?.result
          as? Int
      }
      #expect(count == 1)
    }
  }
}

/// The events that a test received.
private final class ReceivedEvents: Sendable {
  private let events = Mutex<[String]>([])

  var texts: [String] { events.withLock { $0 } }

  func note(_ event: NSPersistentCloudKitContainer.Event) {
    events.withLock { $0.append("\(event.type) \(event.endDate == nil ? "begins" : "ends")") }
  }
}
