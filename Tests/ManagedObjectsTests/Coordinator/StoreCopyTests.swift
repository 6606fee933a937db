import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// Makes a coordinator copy stores as files, and refuses to open the copy `copy.sqlite` at first.
private final class FileCopying: StoreObserver {
  let refuses = Atomic(true)

  func options(for request: StoreOpeningRequest) -> [AnyHashable: Any]? { request.options }

  func didOpen(_ store: OpenStore, _ request: StoreOpeningRequest) throws {
    if request.url?.lastPathComponent == "copy.sqlite", refuses.load(ordering: .relaxed) {
      throw CocoaError(.fileReadUnknown)
    }
  }

  func willClose(_ open: OpenStore) {}
  func didAdd(_ store: NSPersistentStore, _ open: OpenStore) {}
  func keepsFile(of store: NSPersistentStore, copiedAs request: StoreOpeningRequest) -> Bool {
    true
  }
  func willRemove(_ store: NSPersistentStore, _ open: OpenStore) {}
}

@Suite struct `Copied stores` {
  private let shelf: ShelfStore
  private let coordinator: NSPersistentStoreCoordinator
  private let store: NSPersistentStore

  init() throws {
    let sample = ShelfModel()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: sample.model)
    store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    shelf = ShelfStore(sample, try #require(coordinator.openStores.first).rowStore)
  }

  @Test func `A copy has the same rows and relationships`() throws {
    // Other rows are inserted first, so that the keys differ.
    let gone = try shelf.insert("Book", ["title": "gone"])
    _ = try shelf.save(.init(deleted: [gone]))
    let ann = try shelf.insert("Author", ["name": "Ann"])
    let books = try shelf.insert([
      try shelf.draft("Book", ["title": "a", "pages": 1 as Int32, "author": ann]),
      try shelf.draft("Novel", ["title": "b", "genre": "crime", "author": ann]),
    ])
    let chapters = try (0..<4).map {
      try shelf.draft("Chapter", ["heading": "\($0)", "book": books[0]])
    }
    let tags = try shelf.insert(["x", "y"].map { try shelf.draft("Tag", ["word": $0]) })
    _ = try shelf.save(
      .init(
        inserted: chapters,
        memberships: [
          shelf.membership(
            "Book", "chapters", books[0], order: [2, 0, 3, 1].map { chapters[$0].key }),
          shelf.membership("Book", "tags", books[0], added: tags),
          shelf.membership(
            "Author", "favourites", ann, added: [books[1], books[0]], order: [books[1], books[0]]),
        ]))
    let copy = try coordinator.migratePersistentStore(
      store, to: URL(fileURLWithPath: "/tmp/copy"), type: .inMemory)
    #expect(coordinator.persistentStores == [copy])
    let copied = ShelfStore(shelf.sample, try #require(coordinator.openStores.first).rowStore)
    #expect(try copied.titles() == ["a", "b"])
    #expect(try copied.titles("author.name == 'Ann' AND pages == 1") == ["a"])
    #expect(try copied.titles("ANY tags.word == 'y'") == ["a"])
    let novels = copied.fetch("Novel")
    #expect(copied.values("genre", of: try copied.store.fetchRows(novels)) == ["crime"])
    let first = try #require(try copied.store.fetchKeys(copied.fetch("Book", "title == 'a'")).first)
    let headings = try copied.members("Book", "chapters", first).map {
      try copied.row($0)?["heading"] as? String
    }
    #expect(headings == ["2", "0", "3", "1"])
    let author = try #require(try copied.store.fetchKeys(copied.fetch("Author")).first)
    let favourites = try copied.members("Author", "favourites", author).map {
      try copied.row($0)?["title"] as? String
    }
    #expect(favourites == ["b", "a"])
  }

  @Test func `A copy has the custom metadata and a new UUID`() throws {
    var metadata = coordinator.metadata(for: store)
    metadata["Mine"] = 1
    coordinator.setMetadata(metadata, for: store)
    let copy = try coordinator.migratePersistentStore(
      store, to: URL(fileURLWithPath: "/tmp/copy"), type: .inMemory)
    #expect(copy.metadata["Mine"] as? Int == 1)
    #expect(copy.identifier != metadata[NSStoreUUIDKey] as? String)
    #expect(store.persistentStoreCoordinator == nil)
    #expect(throws: CocoaError.self) {
      try coordinator.migratePersistentStore(
        store, to: URL(fileURLWithPath: "/tmp/again"), type: .inMemory)
    }
  }

  @Test func `A notification names both stores and the copied objects`() throws {
    _ = try shelf.insert("Tag")
    let counts = Mutex<[Int]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
    ) { notification in
      guard let changed = notification.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any] else {
        return
      }
      counts.withLock { $0 = [changed.count, (changed[2] as? [NSManagedObjectID])?.count ?? 0] }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try coordinator.migratePersistentStore(
      store, to: URL(fileURLWithPath: "/tmp/copy"), type: .inMemory)
    #expect(counts.withLock { $0 } == [3, 1])
  }

  @Test func `A copied file that cannot be opened is removed, so that the copy can be repeated`()
    throws
  {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(NSSQLiteStoreType, at: folder.appendingPathComponent("a.sqlite"))
      stack.context.add("Tag", ["word": "t"])
      try stack.context.save()
      let observer = FileCopying()
      stack.coordinator.storeObserver = observer
      let place = folder.appendingPathComponent("copy.sqlite")
      #expect(throws: CocoaError.self) {
        try stack.coordinator.migratePersistentStore(stack.store, to: place, type: .sqlite)
      }
      #expect(!FileManager.default.fileExists(atPath: place.path))
      observer.refuses.store(false, ordering: .relaxed)
      let former = try #require(stack.coordinator.persistentStores.first)
      let copy = try stack.coordinator.migratePersistentStore(former, to: place, type: .sqlite)
      #expect(stack.coordinator.persistentStores == [copy])
      #expect(try stack.newContext().all("Tag").count == 1)
    }
  }

  @Test func `A type that cannot be opened leaves the store unchanged`() throws {
    #expect(throws: CocoaError.self) {
      try coordinator.migratePersistentStore(
        store, to: URL(fileURLWithPath: "/tmp/copy"), withType: "Mine")
    }
    #expect(coordinator.persistentStores == [store])
  }
}
