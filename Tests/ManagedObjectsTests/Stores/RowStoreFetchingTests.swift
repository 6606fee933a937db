import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Fetches in every kind of store.
@Suite struct `Every row store fetches` {
  private func withBooks(_ kind: StoreKind, _ body: (ShelfStore, [String: RowKey]) throws -> Void)
    throws
  {
    try withTemporaryDirectory { folder in
      let shelf = try ShelfStore(kind, in: folder)
      let ann = try shelf.insert("Author", ["name": "Ann"])
      let bob = try shelf.insert("Author", ["name": "Bob"])
      let drafts = [
        try shelf.draft(
          "Book",
          [
            "title": "Alps", "pages": 100 as Int32, "rating": 1.5, "lent": true,
            "shelf": 1 as Int16, "author": ann,
          ]),
        try shelf.draft(
          "Book",
          [
            "title": "Bees", "pages": 200 as Int32, "rating": 2.5, "shelf": 1 as Int16,
            "author": bob,
          ]),
        try shelf.draft(
          "Novel",
          [
            "title": "Cats", "pages": 300 as Int32, "genre": "crime", "lent": false,
            "shelf": 2 as Int16, "author": ann,
          ]),
        try shelf.draft("Novel", ["title": "Dogs", "genre": "love", "shelf": 2 as Int16]),
        try shelf.draft("Book", ["title": "ärger", "pages": 100 as Int32]),
      ]
      var keys = try shelf.insert(drafts)
      keys += [ann, bob]
      let names = ["Alps", "Bees", "Cats", "Dogs", "ärger", "Ann", "Bob"]
      let (red, blue) = (
        try shelf.insert("Tag", ["word": "red"]), try shelf.insert("Tag", ["word": "blue"])
      )
      _ = try shelf.save(
        .init(memberships: [
          shelf.membership("Book", "tags", keys[0], added: [red, blue]),
          shelf.membership("Book", "tags", keys[2], added: [red]),
        ]))
      var named = Dictionary(uniqueKeysWithValues: zip(names, keys))
      (named["red"], named["blue"]) = (red, blue)
      try body(shelf, named)
      try shelf.store.close()
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      ("TRUEPREDICATE", "Alps Bees Cats Dogs ärger"), ("FALSEPREDICATE", ""),
      ("title == 'Bees'", "Bees"),
      ("title BEGINSWITH[c] 'b'", "Bees"), ("title CONTAINS 's'", "Alps Bees Cats Dogs"),
      ("title CONTAINS[cd] 'AR'", "ärger"), ("title LIKE '?a*'", "Cats"),
      ("title MATCHES '[A-B].*'", "Alps Bees"),
      ("title IN {'Alps', 'Dogs', 'x'}", "Alps Dogs"), ("pages == 100", "Alps ärger"),
      ("pages > 100", "Bees Cats"),
      ("pages >= 100 AND pages < 300", "Alps Bees ärger"), ("pages BETWEEN {150, 250}", "Bees"),
      ("pages == nil", "Dogs"), ("pages != nil", "Alps Bees Cats ärger"), ("lent == YES", "Alps"),
      ("lent == NO", "Cats"),
      ("rating > 2", "Bees"), ("NOT (title == 'Alps') AND shelf == 1", "Bees"),
      ("author.name == 'Ann'", "Alps Cats"), ("author == nil", "Dogs ärger"),
      ("author.name ENDSWITH 'b'", "Bees"),
      ("ANY tags.word == 'blue'", "Alps"), ("ANY tags.word IN {'red', 'blue'}", "Alps Cats"),
      ("tags.@count == 2", "Alps"),
      ("tags.@count == 0", "Bees Dogs ärger"),
      ("SUBQUERY(tags, $t, $t.word == 'red').@count > 0", "Alps Cats"),
      ("NONE tags.word == 'red'", "Bees Dogs ärger"),
      ("pages * 2 > 350 AND pages != nil", "Bees Cats"),
      ("title ==[c] 'CATS'", "Cats"), ("genre == 'love'", "Dogs"),
      ("1 == 1", "Alps Bees Cats Dogs ärger"),
      ("author.books.@count > 1", "Alps Cats"),
    ])
  func `Rows match a predicate`(kind: StoreKind, example: (String, String)) throws {
    let (format, titles) = example
    try withBooks(kind) { (shelf, _) throws in
      #expect(try shelf.titles(format).sorted().joined(separator: " ") == titles)
      #expect(
        try shelf.store.count(shelf.fetch("Book", format)) == titles.split(separator: " ").count)
    }
  }

  @Test(arguments: StoreKind.allCases) func `Objects are found by identifier`(kind: StoreKind)
    throws
  {
    try withBooks(kind) { (shelf, keys) throws in
      let ids = keys.mapValues(shelf.objectID)
      let (alps, cats, ann, red) = (ids["Alps"]!, ids["Cats"]!, ids["Ann"]!, ids["red"]!)
      #expect(try shelf.titles("SELF == %@", alps) == ["Alps"])
      #expect(try shelf.titles("SELF IN %@", [cats, alps]) == ["Alps", "Cats"])
      #expect(try shelf.titles("objectID IN %@ AND pages > 100", [cats, alps]) == ["Cats"])
      #expect(try shelf.titles("SELF != %@ AND author != nil", alps) == ["Bees", "Cats"])
      #expect(try shelf.titles("author == %@", ann) == ["Alps", "Cats"])
      #expect(try shelf.titles("author IN %@", [ann]) == ["Alps", "Cats"])
      #expect(try shelf.titles("ANY tags == %@", red) == ["Alps", "Cats"])
      #expect(try shelf.titles("tags CONTAINS %@", red) == ["Alps", "Cats"])
      let foreign = NSManagedObjectID(
        layout: alps.layout, key: alps.key, storeIdentity: StoreIdentity(uuid: "other"))
      #expect(try shelf.titles("SELF == %@", foreign) == [])
      let unsaved = NSManagedObjectID(layout: alps.layout, temporaryKey: -1, of: .usual)
      #expect(try shelf.titles("SELF IN %@", [unsaved, cats]) == ["Cats"])
    }
  }

  @Test(arguments: StoreKind.allCases) func `An entity is fetched with or without its subentities`(
    kind: StoreKind
  ) throws {
    try withBooks(kind) { (shelf, _) throws in
      #expect(try shelf.titles(shelf.fetch("Novel", sortedBy: ["title"])) == ["Cats", "Dogs"])
      var fetch = shelf.fetch("Book", sortedBy: ["title"])
      fetch.specification.includesSubentities = false
      #expect(try shelf.titles(fetch) == ["Alps", "Bees", "ärger"])
      #expect(
        try shelf.store.fetchKeys(fetch).allSatisfy {
          $0.layoutIndex == Int32(shelf.sample.layout("Book").index)
        })
    }
  }

  @Test(arguments: StoreKind.allCases) func `Rows are fetched in order and within limits`(
    kind: StoreKind
  )
    throws
  {
    try withBooks(kind) { (shelf, _) throws in
      // Missing values sort first.
      #expect(
        try shelf.titles(shelf.fetch("Book", sortedBy: ["pages", "-title"])) == [
          "Dogs", "ärger", "Alps", "Bees", "Cats",
        ])
      #expect(
        try shelf.titles(shelf.fetch("Book", sortedBy: ["-pages", "title"])) == [
          "Cats", "Bees", "Alps", "ärger", "Dogs",
        ])
      #expect(
        try shelf.titles(shelf.fetch("Book", "author != nil", sortedBy: ["author.name", "title"]))
          == [
            "Alps", "Cats", "Bees",
          ])
      var fetch = shelf.fetch("Book", sortedBy: ["title"])
      fetch.specification.fetchOffset = 1
      fetch.specification.fetchLimit = 2
      #expect(try shelf.titles(fetch) == ["Bees", "Cats"])
      #expect(try shelf.store.fetchKeys(fetch).count == 2)
      fetch.specification.fetchOffset = 9
      #expect(try shelf.titles(fetch) == [])
      var localized = shelf.fetch("Book")
      localized.specification.sortDescriptors = [
        NSSortDescriptor(
          key: "title", ascending: true, selector: Selector(("localizedStandardCompare:")))
      ]
      #expect(try shelf.titles(localized) == ["Alps", "ärger", "Bees", "Cats", "Dogs"])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Rows are found by key, and missing ones are skipped`(
    kind: StoreKind
  ) throws {
    try withBooks(kind) { (shelf, keys) throws in
      let wanted = ["Alps", "Cats", "Bees"].compactMap { keys[$0]?.key } + [999]
      let found = try shelf.store.rows(withKeys: wanted, layout: shelf.sample.layout("Book"))
      #expect(Set(found.rows.map(\.row.key)) == Set(wanted.dropLast()))
      let novels = try shelf.store.rows(withKeys: wanted, layout: shelf.sample.layout("Novel"))
      #expect(novels.rows.map(\.row.key) == [keys["Cats"]!.key])
      for fetched in found.rows {
        let page = found.pages[Int(fetched.page)]
        #expect(
          page.layout.entity.name == (fetched.row.key == keys["Cats"]!.key ? "Novel" : "Book"))
      }
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      "colour == 'red'", "author.colour == 1", "note == 'x'",
      "SUBQUERY(colours, $c, TRUEPREDICATE).@count == 1",
    ])
  func `A property that the store does not keep is refused`(kind: StoreKind, format: String) throws
  {
    try withBooks(kind) { (shelf, _) throws in
      let error = #expect(throws: StoreError.self) { try shelf.titles(shelf.fetch("Book", format)) }
      #expect(error?.code == .unsupportedFetch)
      #expect(error?.message.contains("not found in entity") ?? false)
    }
  }

  @Test(
    arguments: StoreKind.allCases, ["ANY tags.books.title == 'Alps'", "tags.books.@count == 1"])
  func `Two to-many relationships in a path are refused`(kind: StoreKind, format: String) throws {
    try withBooks(kind) { (shelf, _) throws in
      let error = #expect(throws: StoreError.self) { try shelf.titles(shelf.fetch("Book", format)) }
      #expect(error?.code == .unsupportedFetch)
      #expect(error?.message.contains("multiple to-many keys not allowed here") == true)
    }
  }

  @Test(arguments: StoreKind.allCases, ["tags", "tags.word", "colour", "note"])
  func `Sorting by an unknown or to-many property is refused`(kind: StoreKind, key: String)
    throws
  {
    try withBooks(kind) { (shelf, _) throws in
      let error = #expect(throws: StoreError.self) {
        try shelf.store.fetchKeys(shelf.fetch("Book", sortedBy: [key]))
      }
      #expect(error?.code == .unsupportedFetch)
    }
  }
}
