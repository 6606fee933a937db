import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// Relationships in every kind of store.
@Suite struct `Every row store follows relationships` {
  private func withShelf(_ kind: StoreKind, _ body: (ShelfStore) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let shelf = try ShelfStore(kind, in: folder)
      try body(shelf)
      try shelf.store.close()
    }
  }

  @Test(arguments: StoreKind.allCases) func `Many-to-one works both ways`(kind: StoreKind) throws {
    try withShelf(kind) { (shelf) throws in
      let (ann, bob) = (try shelf.insert("Author"), try shelf.insert("Author"))
      let books = try shelf.insert([
        try shelf.draft("Book", ["author": ann]), try shelf.draft("Novel", ["author": ann]),
        try shelf.draft("Book", ["author": bob]), try shelf.draft("Book"),
      ])
      #expect(Set(try shelf.members("Author", "books", ann)) == [books[0], books[1]])
      #expect(try shelf.members("Author", "books", bob) == [books[2]])
      #expect(try shelf.row(books[1])?["author"] as? Int64 == ann.key)
      _ = try shelf.save(
        .init(updated: [
          try shelf.edit(books[0], ["author": bob]), try shelf.edit(books[1], ["author": nil]),
        ]))
      #expect(try shelf.members("Author", "books", ann) == [])
      #expect(Set(try shelf.members("Author", "books", bob)) == [books[0], books[2]])
      _ = try shelf.save(.init(deleted: [books[2]]))
      #expect(try shelf.members("Author", "books", bob) == [books[0]])
    }
  }

  @Test(arguments: StoreKind.allCases) func `One-to-one works`(kind: StoreKind) throws {
    try withShelf(kind) { (shelf) throws in
      let (first, second) = (try shelf.draft("Book"), try shelf.draft("Novel"))
      first.set(["sequel": second.key])
      second.set(["prequel": first.key])
      _ = try shelf.insert([first, second])
      #expect(try shelf.row(first.key)?["sequel"] as? Int64 == second.key.key)
      #expect(try shelf.members("Book", "sequel", first.key) == [second.key])
      #expect(try shelf.members("Book", "prequel", second.key) == [first.key])
      #expect(try shelf.members("Book", "prequel", first.key) == [])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Many-to-many works both ways`(kind: StoreKind) throws {
    try withShelf(kind) { (shelf) throws in
      let books = try shelf.insert([try shelf.draft("Book"), try shelf.draft("Novel")])
      let tags = try shelf.insert([try shelf.draft("Tag"), try shelf.draft("Tag")])
      _ = try shelf.save(
        .init(memberships: [shelf.membership("Book", "tags", books[0], added: tags)]))
      _ = try shelf.save(
        .init(memberships: [shelf.membership("Book", "tags", books[1], added: [tags[1]])]))
      #expect(Set(try shelf.members("Book", "tags", books[0])) == Set(tags))
      #expect(try shelf.members("Tag", "books", tags[0]) == [books[0]])
      #expect(Set(try shelf.members("Tag", "books", tags[1])) == Set(books))
      _ = try shelf.save(
        .init(memberships: [shelf.membership("Book", "tags", books[0], removed: [tags[1]])]))
      #expect(try shelf.members("Book", "tags", books[0]) == [tags[0]])
      #expect(try shelf.members("Tag", "books", tags[1]) == [books[1]])
      // Deleting a row removes its memberships.
      _ = try shelf.save(
        .init(
          deleted: [books[1]],
          memberships: [shelf.membership("Book", "tags", books[1], removed: [tags[1]])]))
      #expect(try shelf.members("Tag", "books", tags[1]) == [])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Ordered members keep their order`(
    kind: StoreKind
  )
    throws
  {
    try withShelf(kind) { (shelf) throws in
      let book = try shelf.draft("Book")
      let chapters = try (0..<5).map { _ in try shelf.draft("Chapter", ["book": book.key]) }
      let keys = chapters.map(\.key)
      let order = [3, 0, 4, 1, 2].map { keys[$0] }
      _ = try shelf.save(
        .init(
          inserted: [book] + chapters,
          memberships: [shelf.membership("Book", "chapters", book.key, order: order)]))
      #expect(try shelf.members("Book", "chapters", book.key) == order)
      let shorter = [2, 3, 0].map { keys[$0] }
      _ = try shelf.save(
        .init(
          updated: [try shelf.edit(keys[4], ["book": nil])], deleted: [keys[1]],
          memberships: [shelf.membership("Book", "chapters", book.key, order: shorter)]))
      #expect(try shelf.members("Book", "chapters", book.key) == shorter)
    }
  }

  @Test(arguments: StoreKind.allCases) func `Ordered many-to-many works`(kind: StoreKind) throws {
    try withShelf(kind) { (shelf) throws in
      let author = try shelf.insert("Author")
      let books = try shelf.insert((0..<3).map { _ in try shelf.draft("Book") })
      let order = [2, 0, 1].map { books[$0] }
      _ = try shelf.save(
        .init(memberships: [
          shelf.membership("Author", "favourites", author, added: order, order: order)
        ]))
      #expect(try shelf.members("Author", "favourites", author) == order)
      #expect(try shelf.members("Book", "fans", books[1]) == [author])
      let next = [books[1], books[2]]
      _ = try shelf.save(
        .init(memberships: [
          shelf.membership("Author", "favourites", author, removed: [books[0]], order: next)
        ]))
      #expect(try shelf.members("Author", "favourites", author) == next)
      #expect(try shelf.members("Book", "fans", books[0]) == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `Several owners are read at once with the rows of their members`(kind: StoreKind)
    throws
  {
    try withShelf(kind) { (shelf) throws in
      let authors = try shelf.insert((0..<3).map { _ in try shelf.draft("Author") })
      let books = try shelf.insert(
        (0..<6).map {
          try shelf.draft(
            $0 % 2 == 0 ? "Book" : "Novel", ["title": "\($0)", "author": authors[$0 % 2]])
        })
      let related = try shelf.store.members(
        of: shelf.sample.relationship("Author", "books"), owners: authors.map(\.key),
        layout: shelf.sample.layout("Author"),
        includingRows: true)
      #expect(related.owners.count == 6)
      let rows = try #require(related.rows)
      for (index, owner) in related.owners.enumerated() {
        #expect(
          authors[
            related.members[index].key == books[0].key ? 0 : authors.firstIndex { $0.key == owner }!
          ].key == owner
        )
        #expect(rows.rows[index].row.key == related.members[index].key)
        #expect(
          rows.pages[Int(rows.rows[index].page)].layout.index
            == Int(related.members[index].layoutIndex))
      }
      // Members of one owner are adjacent.
      var runs: [Int64] = []
      for owner in related.owners where runs.last != owner { runs.append(owner) }
      #expect(Set(runs).count == runs.count)
      let byOwner = Dictionary(grouping: zip(related.owners, related.members), by: \.0).mapValues {
        Set($0.map(\.1))
      }
      #expect(byOwner[authors[0].key] == [books[0], books[2], books[4]])
      #expect(byOwner[authors[1].key] == [books[1], books[3], books[5]])
    }
  }
}
