import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression

/// Fetches of dictionaries in every kind of store.
@Suite struct `Every row store gives dictionaries` {
  private func withBooks(_ kind: StoreKind, _ body: (ShelfStore, RowKey) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let shelf = try ShelfStore(kind, in: folder)
      let ann = try shelf.insert("Author", ["name": "Ann"])
      _ = try shelf.insert([
        try shelf.draft(
          "Book", ["title": "a", "pages": 100 as Int32, "shelf": 1 as Int16, "author": ann]),
        try shelf.draft("Book", ["title": "b", "pages": 200 as Int32, "shelf": 1 as Int16]),
        try shelf.draft(
          "Novel", ["title": "c", "pages": 300 as Int32, "shelf": 2 as Int16, "author": ann]),
        try shelf.draft("Book", ["title": "d", "shelf": 2 as Int16]),
        try shelf.draft("Book", ["title": "e", "shelf": 3 as Int16]),
      ])
      try body(shelf, ann)
      try shelf.store.close()
    }
  }

  private func column(
    _ name: String, _ function: String, _ path: String,
    _ type: NSAttributeType = .integer64AttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(
      forFunction: function, arguments: [NSExpression(forKeyPath: path)])
    column.expressionResultType = type
    return column
  }

  private func dictionaries(_ shelf: ShelfStore, _ fetch: RowFetch) throws -> [NSDictionary] {
    var fetch = fetch
    fetch.specification.resultType = .dictionaryResultType
    return try shelf.store.fetchDictionaries(fetch).map { NSDictionary(dictionary: $0) }
  }

  @Test(arguments: StoreKind.allCases)
  func `Dictionaries have the chosen properties and omit missing values`(kind: StoreKind)
    throws
  {
    try withBooks(kind) { (shelf, ann) throws in
      var fetch = shelf.fetch("Book", "shelf <= 2", sortedBy: ["title"])
      fetch.specification.propertiesToFetch = ["title", "pages", "author", "author.name"]
      let result = try dictionaries(shelf, fetch)
      let id = shelf.objectID(ann)
      #expect(
        result == [
          ["title": "a", "pages": 100, "author": id, "author.name": "Ann"],
          ["title": "b", "pages": 200],
          ["title": "c", "pages": 300, "author": id, "author.name": "Ann"], ["title": "d"],
        ])
    }
  }

  @Test(arguments: StoreKind.allCases) func `A dictionary has its object's identifier`(
    kind: StoreKind
  )
    throws
  {
    try withBooks(kind) { (shelf, _) throws in
      var fetch = shelf.fetch("Book", "title == 'c'")
      let column = NSExpressionDescription()
      column.name = "id"
      column.expression = NSExpression.expressionForEvaluatedObject()
      column.expressionResultType = .objectIDAttributeType
      fetch.specification.propertiesToFetch = [column]
      let id = try #require(try dictionaries(shelf, fetch).first?["id"] as? NSManagedObjectID)
      #expect(id.entity.name == "Novel")
      #expect(try shelf.titles("SELF == %@", id) == ["c"])
    }
  }

  @Test(arguments: StoreKind.allCases) func `Dictionaries can be grouped`(kind: StoreKind) throws {
    try withBooks(kind) { (shelf, _) throws in
      var fetch = shelf.fetch("Book", sortedBy: ["shelf"])
      fetch.specification.propertiesToFetch = [
        "shelf", column("books", "count:", "title"), column("pages", "sum:", "pages"),
        column("longest", "max:", "pages"),
        column("mean", "average:", "pages", .doubleAttributeType),
      ]
      fetch.specification.propertiesToGroupBy = ["shelf"]
      let result = try dictionaries(shelf, fetch)
      #expect(
        result == [
          ["shelf": 1, "books": 2, "pages": 300, "longest": 200, "mean": 150.0],
          ["shelf": 2, "books": 2, "pages": 300, "longest": 300, "mean": 300.0],
          ["shelf": 3, "books": 1, "pages": 0],
        ])
      fetch.specification.havingPredicate = NSPredicate(format: "shelf > 1")
      fetch.specification.sortDescriptors = [NSSortDescriptor(key: "shelf", ascending: false)]
      #expect(try dictionaries(shelf, fetch).map { $0["shelf"] as? Int } == [3, 2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `Groups have functions of their rows' members`(
    kind: StoreKind
  ) throws {
    try withBooks(kind) { (shelf, ann) throws in
      _ = try shelf.insert("Author", ["name": "Ann"])
      _ = try shelf.insert("Author", ["name": "Bob"])
      let bea = try shelf.insert("Author", ["name": "Bob"])
      _ = try shelf.insert([
        try shelf.draft("Book", ["title": "f", "pages": 50 as Int32, "author": bea])
      ])
      func path(_ name: String, _ path: String) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = NSExpression(forKeyPath: path)
        column.expressionResultType = .integer64AttributeType
        return column
      }
      var fetch = shelf.fetch("Author", sortedBy: ["name"])
      fetch.specification.propertiesToFetch = [
        "name", path("books", "books.@count"), path("titles", "books.title.@count"),
        column("counted", "count:", "books"), path("pages", "books.@sum.pages"),
        column("most", "max:", "books.pages"),
        path("least", "books.pages.@min"),
        column("mean", "average:", "books.pages", .doubleAttributeType),
      ]
      fetch.specification.propertiesToGroupBy = ["name"]
      let groups: [NSDictionary] = [
        [
          "name": "Ann", "books": 2, "titles": 2, "counted": 2, "pages": 400, "most": 300,
          "least": 100, "mean": 200.0,
        ],
        [
          "name": "Bob", "books": 1, "titles": 1, "counted": 1, "pages": 50, "most": 50,
          "least": 50, "mean": 50.0,
        ],
      ]
      #expect(try dictionaries(shelf, fetch) == groups)
      fetch.specification.havingPredicate = NSPredicate(format: "books.@count > 1")
      #expect(try dictionaries(shelf, fetch) == [groups[0]])
      fetch.specification.propertiesToGroupBy = nil
      fetch.specification.havingPredicate = nil
      fetch.specification.propertiesToFetch = [
        "name", path("books", "books.@count"), column("counted", "count:", "books"),
      ]
      let rows = try dictionaries(shelf, fetch).map {
        "\($0["name"] ?? "") \($0["books"] ?? "") \($0["counted"] ?? "")"
      }
      #expect(rows.sorted() == ["Ann 0 0", "Ann 2 2", "Bob 0 0", "Bob 1 1"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `Counts of groups include members without a value`(
    kind: StoreKind
  ) throws {
    try withBooks(kind) { (shelf, ann) throws in
      _ = try shelf.insert([try shelf.draft("Book", ["title": "f", "author": ann])])
      let (counted, paged) = (column("counted", "count:", "books.pages"), NSExpressionDescription())
      paged.name = "paged"
      paged.expression = NSExpression(forKeyPath: "books.pages.@count")
      paged.expressionResultType = .integer64AttributeType
      var fetch = shelf.fetch("Author", sortedBy: ["name"])
      fetch.specification.propertiesToFetch = [
        "name", counted, paged, column("sum", "sum:", "books.pages"),
      ]
      fetch.specification.propertiesToGroupBy = ["name"]
      #expect(
        try dictionaries(shelf, fetch) == [["name": "Ann", "counted": 3, "paged": 3, "sum": 400]])
    }
  }

  @Test(arguments: StoreKind.allCases) func `A missing expression has no entry`(
    kind: StoreKind
  ) throws {
    try withBooks(kind) { (shelf, _) throws in
      let nothing = NSExpressionDescription()
      nothing.name = "last"
      nothing.expressionResultType = .UUIDAttributeType
      var fetch = shelf.fetch("Book", "shelf <= 1", sortedBy: ["title"])
      fetch.specification.propertiesToFetch = [nothing]
      #expect(try dictionaries(shelf, fetch) == [[:], [:]])
      fetch.specification.propertiesToFetch = ["shelf", nothing]
      fetch.specification.propertiesToGroupBy = ["shelf"]
      fetch.specification.sortDescriptors = nil
      #expect(try dictionaries(shelf, fetch) == [["shelf": 1]])
    }
  }

  @Test(arguments: StoreKind.allCases) func `One dictionary can aggregate all rows`(kind: StoreKind)
    throws
  {
    try withBooks(kind) { (shelf, _) throws in
      var fetch = shelf.fetch("Book", "shelf < 3")
      fetch.specification.propertiesToFetch = [
        column("n", "count:", "title"), column("least", "min:", "pages"),
      ]
      #expect(try dictionaries(shelf, fetch) == [["n": 4, "least": 100]])
      fetch.specification.predicate = NSPredicate(value: false)
      #expect(try dictionaries(shelf, fetch) == [["n": 0]])
    }
  }

  @Test func `A computed number beyond the column's range is the nearest one`() throws {
    try withBooks(.memory) { (shelf, _) throws in
      for sold in [Int64.max, 1] {
        _ = try shelf.insert([
          try shelf.draft("Book", ["sold": sold, "rating": -Double.infinity, "shelf": 9 as Int16])
        ])
      }
      var fetch = shelf.fetch("Book", "shelf == 9")
      fetch.specification.propertiesToFetch = [
        column("most", "sum:", "sold"), column("least", "min:", "rating"),
      ]
      #expect(try dictionaries(shelf, fetch) == [["most": Int64.max, "least": Int64.min]])
    }
  }

  @Test(arguments: StoreKind.allCases) func `A negative offset counts as none`(kind: StoreKind)
    throws
  {
    try withBooks(kind) { (shelf, _) throws in
      var fetch = shelf.fetch("Book", sortedBy: ["shelf"])
      fetch.specification.fetchOffset = -20
      #expect(try shelf.store.fetchRows(fetch).rows.count == 5)
      #expect(try shelf.store.count(fetch) == 5)
      fetch.specification.propertiesToFetch = ["shelf"]
      #expect(try dictionaries(shelf, fetch).count == 5)
    }
  }

  @Test(arguments: StoreKind.allCases) func `Dictionaries are distinct on request`(kind: StoreKind)
    throws
  {
    try withBooks(kind) { (shelf, _) throws in
      var fetch = shelf.fetch("Book", sortedBy: ["shelf"])
      fetch.specification.propertiesToFetch = ["shelf"]
      #expect(try dictionaries(shelf, fetch).count == 5)
      fetch.specification.returnsDistinctResults = true
      #expect(try dictionaries(shelf, fetch) == [["shelf": 1], ["shelf": 2], ["shelf": 3]])
      fetch.specification.fetchLimit = 2
      #expect(try dictionaries(shelf, fetch).count == 2)
    }
  }
}
