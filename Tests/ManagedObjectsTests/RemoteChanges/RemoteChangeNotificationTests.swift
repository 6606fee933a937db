import Foundation
import ManagedObjects
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// The remote-change notifications of a coordinator, in order.
final class NotificationInbox: @unchecked Sendable {
  private let notified = DispatchSemaphore(value: 0)
  private let received = Mutex<[NSPersistentHistoryToken?]>([])
  private let stores = Mutex<[String]>([])
  private let others = Mutex<[Bool]>([])
  private var observer: (any NSObjectProtocol)?

  init(of coordinator: NSPersistentStoreCoordinator?) {
    observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) { [weak self] notification in
      guard let self else { return }
      let token = notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
      let uuid = notification.userInfo?[NSStoreUUIDKey] as? String ?? ""
      let url = notification.userInfo?[NSPersistentStoreURLKey] as? URL
      let isByOthers = notification.userInfo?[RemoteChangeMonitor.isByOthersKey] as? Bool
      others.withLock { $0.append(isByOthers ?? false) }
      received.withLock { $0.append(token) }
      stores.withLock { $0.append("\(uuid) \(url?.lastPathComponent ?? "")") }
      notified.signal()
    }
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  var tokens: [NSPersistentHistoryToken?] { received.withLock { $0 } }
  var places: [String] { stores.withLock { $0 } }
  /// Whether each notification reports a save by another coordinator.
  var areByOthers: [Bool] { others.withLock { $0 } }
  func wait() -> Bool { notified.waitPatiently() }
}

@Suite(.tags(.threads)) struct RemoteChangeNotificationTests {
  private func office(in folder: URL, keepsHistory: Bool = true) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil,
      at: folder.appendingPathComponent("Office.sqlite"),
      options: [
        NSPersistentHistoryTrackingKey: keepsHistory,
        NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
      ])
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func `A coordinator's own saves are reported with store and URL`() throws {
    try withTemporaryDirectory { folder in
      let context = try office(in: folder)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let inbox = NotificationInbox(of: coordinator)
      _ = context.company("Ice")
      try context.save()
      #expect(inbox.wait())
      #expect(inbox.tokens == [coordinator.currentPersistentHistoryToken(fromStores: nil)])
      #expect(inbox.places == ["\(coordinator.persistentStores[0].identifier ?? "") Office.sqlite"])
    }
  }

  @Test(arguments: [true, false])
  func `Another coordinator's saves are reported, and rows are read again`(keepsHistory: Bool)
    throws
  {
    try withTemporaryDirectory { folder in
      let one = try office(in: folder, keepsHistory: keepsHistory)
      let other = try office(in: folder, keepsHistory: keepsHistory)
      let company = one.company("Ice")
      try one.save()
      let known = try #require(try other.companies().first)
      #expect(known.rank == 1)
      let inbox = NotificationInbox(of: other.persistentStoreCoordinator)
      company.rank = 9
      try one.save()
      #expect(inbox.wait())
      #expect((inbox.tokens.last != .some(nil)) == keepsHistory)
      other.refresh(known, mergeChanges: false)
      #expect(known.rank == 9)
    }
  }

  @Test func `Rows are read again if their history was deleted before it was read`() throws {
    try withTemporaryDirectory { folder in
      let one = try office(in: folder)
      let company = one.company("Ice")
      try one.save()
      let other = try office(in: folder)
      let coordinator = try #require(other.persistentStoreCoordinator)
      let known = try #require(try other.companies().first)
      #expect(known.rank == 1)
      // Another context keeps the row in memory.
      let second = NSManagedObjectContext.onAnyThread()
      second.persistentStoreCoordinator = coordinator
      let same = try #require(try second.companies().first)
      let inbox = NotificationInbox(of: coordinator)
      // The coordinator reads the history after this block.
      try coordinator.performAndWait {
        company.rank = 9
        try one.save()
        try one.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
      }
      #expect(inbox.wait())
      other.refresh(known, mergeChanges: false)
      #expect(known.rank == 9)
      withExtendedLifetime((second, same)) {}
    }
  }

  @Test func `A context that merges automatically takes over another coordinator's saves`() throws {
    try withTemporaryDirectory { folder in
      let (one, other) = (try office(in: folder), try office(in: folder))
      let company = one.company("Ice")
      try one.save()
      let known = try #require(try other.companies().first)
      #expect(known.rank == 1)
      other.automaticallyMergesChangesFromParent = true
      let merged = DispatchSemaphore(value: 0)
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: other, queue: nil
      ) { _ in merged.signal() }
      defer { NotificationCenter.default.removeObserver(observer) }
      company.rank = 4
      try one.save()
      // The company's insertion may be reported first.
      while other.performAndWait({ known.rank }) != 4 {
        try #require(merged.waitPatiently())
      }
    }
  }

  @Test func `A removed store reports nothing`() throws {
    try withTemporaryDirectory { folder in
      let (one, other) = (try office(in: folder), try office(in: folder))
      let coordinator = try #require(other.persistentStoreCoordinator)
      let inbox = NotificationInbox(of: coordinator)
      let removed = coordinator.persistentStores[0]
      try coordinator.remove(removed)
      // Coordinators that observe one file are notified in the order in which they added it.
      let third = try office(in: folder)
      let thirdInbox = NotificationInbox(of: third.persistentStoreCoordinator)
      for name in ["Ice", "Steam"] {
        _ = one.company(name)
        try one.save()
        #expect(thirdInbox.wait())
      }
      coordinator.performAndWait { #expect(inbox.tokens.isEmpty) }
      withExtendedLifetime(removed) {}
    }
  }

  @Test func `A save that writes nothing does not hide another coordinator's`() throws {
    try withTemporaryDirectory { folder in
      let one = try office(in: folder)
      let person = one.person("Ada")
      try one.save()
      let other = try office(in: folder)
      let coordinator = try #require(other.persistentStoreCoordinator)
      let inbox = NotificationInbox(of: coordinator)
      let identifier = coordinator.managedObjectID(
        forURIRepresentation: person.objectID.uriRepresentation())
      let gone = other.object(with: try #require(identifier))
      one.delete(person)
      try one.save()
      // Reading the missing object marks it as deleted, but the save has no row to delete.
      #expect(gone.value(forKey: "name") == nil && other.hasChanges)
      try other.save()
      _ = one.person("Bob")
      try one.save()
      let latest = one.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
      while inbox.tokens.last != latest { try #require(inbox.wait()) }
      #expect(!inbox.areByOthers.contains(false))
    }
  }
}
