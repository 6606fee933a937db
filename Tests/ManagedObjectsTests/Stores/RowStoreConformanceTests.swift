import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// Values, versions and conflicts in every kind of store.
@Suite struct `Every row store` {
  private static var everything: [String: Any] {
    [
      "title": "Tales of Æther 🜁", "isbn": "1", "pages": 512 as Int32, "shelf": -7 as Int16,
      "sold": Int64.max,
      "price": NSDecimalNumber(string: "12.95"), "rating": 4.25, "weight": 0.5 as Float,
      "lent": true,
      "added": Date(timeIntervalSinceReferenceDate: 712_345_678.123), "cover": Data([0, 1, 255]),
      "code": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)),
      "page": URL(fileURLWithPath: "/a/b c"),
    ]
  }

  private func withShelf(_ kind: StoreKind, _ body: (ShelfStore) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let shelf = try ShelfStore(kind, in: folder)
      try body(shelf)
      try shelf.store.close()
    }
  }

  // MARK: Values

  @Test(arguments: StoreKind.allCases) func `A saved row reads back with all its values`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book", Self.everything)
      let row = try #require(try shelf.row(key))
      var expected = Self.everything
      expected["version"] = 1
      #expect(row == NSDictionary(dictionary: expected))
    }
  }

  @Test(arguments: StoreKind.allCases) func `A missing value stays missing`(kind: StoreKind)
    throws
  {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book")
      #expect(try shelf.row(key) == ["version": 1])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Transient values are not kept`(kind: StoreKind) throws
  {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book", ["title": "a", "note": "to myself"])
      #expect(try shelf.row(key)?["note"] == nil)
      #expect(try shelf.row(key)?["title"] as? String == "a")
    }
  }

  @Test(arguments: StoreKind.allCases) func `A key is reserved once`(kind: StoreKind) throws {
    try withShelf(kind) { (shelf) throws in
      let (book, novel) = (shelf.sample.layout("Book"), shelf.sample.layout("Novel"))
      let first = try shelf.store.reserveKeys([(book, 3), (novel, 2)], forSave: true)
      let second = try shelf.store.reserveKeys(
        [(novel, 2), (shelf.sample.layout("Tag"), 1)], forSave: true)
      #expect(first.map(\.count) == [3, 2])
      // Entities with one root share their keys.
      #expect(Set(first[0] + first[1] + second[0]).count == 7)
      #expect((first[0] + first[1] + second[0] + second[1]).allSatisfy { $0 > 0 })
    }
  }

  // MARK: Versions

  @Test(arguments: StoreKind.allCases)
  func `An update writes changed values and increments the version`(kind: StoreKind)
    throws
  {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book", ["title": "a", "pages": 1 as Int32])
      let one = try shelf.edit(key, ["title": "b"])
      // Values of the row that did not change are not written.
      _ = one.layout.setValue(
        99 as Int32, ofAttribute: try #require(one.layout.ordinal(of: "pages")), in: one.row)
      guard case .saved = try shelf.save(.init(updated: [one])) else {
        throw ShelfStore.UnexpectedConflict()
      }
      #expect(try shelf.row(key) == ["title": "b", "pages": 1, "version": 2])
      let two = try shelf.edit(key, ["title": nil])
      guard case .saved = try shelf.save(.init(updated: [two])) else {
        throw ShelfStore.UnexpectedConflict()
      }
      #expect(try shelf.row(key) == ["pages": 1, "version": 3])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `An update of an old version is a conflict, and nothing is written`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let keys = try shelf.insert(["a", "b"].map { try shelf.draft("Book", ["title": $0]) })
      let old = try shelf.edit(keys[0], ["title": "mine"])
      _ = try shelf.save(.init(updated: [try shelf.edit(keys[0], ["title": "theirs"])]))
      let other = try shelf.edit(keys[1], ["title": "innocent"])
      let new = try shelf.draft("Book", ["title": "new"])
      let outcome = try shelf.save(.init(inserted: [new], updated: [other, old]))
      guard case .conflicts(let conflicts) = outcome, conflicts.count == 1,
        case .version(let key, isDeletion: false, let persisted?) = conflicts[0]
      else {
        Issue.record("\(outcome)")
        return
      }
      #expect(key == keys[0])
      let title = try #require(persisted.layout.ordinal(of: "title"))
      #expect(
        persisted.layout.value(ofAttribute: title, in: persisted.row(at: 0)) as? String == "theirs")
      #expect(persisted.row(at: 0).version == 2)
      #expect(try shelf.titles() == ["b", "theirs"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `Updating or deleting a missing row is a conflict`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book", ["title": "a"])
      let draft = try shelf.edit(key, ["title": "b"])
      _ = try shelf.save(.init(deleted: [key]))
      #expect(try shelf.row(key) == nil)
      guard case .conflicts(let updates) = try shelf.save(.init(updated: [draft])),
        case .version(key, isDeletion: false, persisted: nil)? = updates.first
      else { throw ShelfStore.UnexpectedConflict() }
      guard case .conflicts(let deletions) = try shelf.save(.init(deleted: [key])),
        case .version(key, isDeletion: true, persisted: nil)? = deletions.first
      else { throw ShelfStore.UnexpectedConflict() }
      guard case .saved = try shelf.save(.init(deleted: [key], deletedVersion: nil)) else {
        throw ShelfStore.UnexpectedConflict()
      }
    }
  }

  @Test(arguments: StoreKind.allCases) func `A deletion of an old version is a conflict`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book", ["title": "a"])
      _ = try shelf.save(.init(updated: [try shelf.edit(key, ["title": "b"])]))
      guard case .conflicts(let conflicts) = try shelf.save(.init(deleted: [key])),
        case .version(key, isDeletion: true, persisted: .some)? = conflicts.first
      else { throw ShelfStore.UnexpectedConflict() }
      #expect(try shelf.row(key)?["title"] as? String == "b")
    }
  }

  @Test(arguments: StoreKind.allCases) func `An update may overwrite any version`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let key = try shelf.insert("Book", ["title": "a", "pages": 1 as Int32])
      let old = try shelf.edit(key, ["title": "mine"])
      _ = try shelf.save(.init(updated: [try shelf.edit(key, ["pages": 2 as Int32])]))
      guard case .saved(let receipt) = try shelf.save(.init(updated: [old], overwrites: true))
      else {
        throw ShelfStore.UnexpectedConflict()
      }
      #expect(receipt.versions == [key: 3])
      #expect(try shelf.row(key) == ["title": "mine", "pages": 2, "version": 3])
    }
  }

  // MARK: Uniqueness

  @Test(arguments: StoreKind.allCases) func `A value that another row has is a conflict`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let first = try shelf.insert("Book", ["title": "a", "isbn": "1"])
      // A subentity is in the same table.
      let second = try shelf.draft("Novel", ["title": "b", "isbn": "1"])
      let outcome = try shelf.save(.init(inserted: [second]))
      guard case .conflicts(let conflicts) = outcome, conflicts.count == 1,
        case .uniqueness(let constraint, _, let rows, let persisted?) = conflicts[0]
      else {
        Issue.record("\(outcome)")
        return
      }
      #expect(constraint == ["isbn"])
      #expect(rows == [second.key])
      #expect(persisted.row(at: 0).key == first.key)
      #expect(try shelf.titles() == ["a"])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Rows of one save with the same values are a conflict`(
    kind: StoreKind
  )
    throws
  {
    try withShelf(kind) { (shelf) throws in
      let drafts = try ["1", "2", "1"].map { try shelf.draft("Book", ["isbn": $0]) }
      guard case .conflicts(let conflicts) = try shelf.save(.init(inserted: drafts)),
        case .uniqueness(["isbn"], _, let rows, persisted: nil)? = conflicts.first
      else { throw ShelfStore.UnexpectedConflict() }
      #expect(Set(rows) == [drafts[0].key, drafts[2].key])
      #expect(try shelf.store.count(shelf.fetch("Book")) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `Missing values do not conflict, and a released value is free`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      let keys = try shelf.insert(["1", nil, nil].map { try shelf.draft("Book", ["isbn": $0]) })
      let heir = try shelf.draft("Book", ["isbn": "1"])
      guard case .saved = try shelf.save(.init(inserted: [heir], deleted: [keys[0]])) else {
        throw ShelfStore.UnexpectedConflict()
      }
      // Two rows may exchange their values in one save.
      let other = try shelf.insert("Book", ["isbn": "2"])
      let swapped = [try shelf.edit(heir.key, ["isbn": "2"]), try shelf.edit(other, ["isbn": "1"])]
      guard case .saved = try shelf.save(.init(updated: swapped)) else {
        throw ShelfStore.UnexpectedConflict()
      }
      #expect(try shelf.row(other)?["isbn"] as? String == "1")
      // An update without a change of the value keeps it.
      guard
        case .saved = try shelf.save(
          .init(updated: [try shelf.edit(other, ["title": "x", "isbn": "1"])]))
      else {
        throw ShelfStore.UnexpectedConflict()
      }
      let late = try shelf.draft("Book", ["isbn": "2"])
      guard case .conflicts = try shelf.save(.init(inserted: [late])) else {
        throw ShelfStore.UnexpectedConflict()
      }
    }
  }

  // MARK: Metadata

  @Test(arguments: StoreKind.allCases)
  func `Metadata has the versions of the entities and custom values`(
    kind: StoreKind
  ) throws {
    try withShelf(kind) { (shelf) throws in
      var metadata = try shelf.store.metadata()
      #expect(
        shelf.sample.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
      metadata["Mine"] = "something"
      try shelf.store.setMetadata(metadata)
      #expect(try shelf.store.metadata()["Mine"] as? String == "something")
    }
  }
}
