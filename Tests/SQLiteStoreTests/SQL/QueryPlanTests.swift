import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

/// SQLite uses an index for a fetch if there is one.
@Suite struct `Query plans of fetches` {
  let store: LibraryStore

  init() throws {
    store = try LibraryStore()
  }

  private func plan(
    _ entity: String, _ format: String = "TRUEPREDICATE", _ arguments: [Any] = [],
    sort: [(String, Bool)] = []
  ) throws -> [String] {
    var fetch = try store.fetch(entity, NSPredicate(format: format, argumentArray: arguments))
    fetch.specification.sortDescriptors = sort.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
    let statement = try store.translator.rows(fetch, selecting: [])
    _ = try store.connection.prepare(statement)
    let rows = try store.connection.rows("EXPLAIN QUERY PLAN \(statement.sql)", statement.bindings)
    return rows.compactMap { row in
      if case .text(let step)? = row.last { return step }
      return nil
    }
  }

  @Test(arguments: [
    ("Author", "name == 'x'", "SEARCH t0 USING INDEX Z_Author_byName (ZNAME=?)"),
    ("Author", "name IN {'x', 'y'}", "SEARCH t0 USING INDEX Z_Author_byName (ZNAME=?)"),
    (
      "Author", "name BEGINSWITH 'x'", "SEARCH t0 USING INDEX Z_Author_byName (ZNAME>? AND ZNAME<?)"
    ),
    ("Author", "name > 'x'", "SEARCH t0 USING INDEX Z_Author_byName (ZNAME>?)"),
    (
      "Author", "name BETWEEN {'x', 'y'}",
      "SEARCH t0 USING INDEX Z_Author_byName (ZNAME>? AND ZNAME<?)"
    ),
    ("Author", "name == nil", "SEARCH t0 USING INDEX Z_Author_byName (ZNAME=?)"),
    ("Author", "mentor == nil", "SEARCH t0 USING INDEX ZAUTHOR_ZMENTOR_INDEX (ZMENTOR=?)"),
    ("Author", "name == 'x' AND rating > 3", "SEARCH t0 USING INDEX Z_Author_byName (ZNAME=?)"),
    ("Item", "code == 5", "(ZCODE=?)"), ("Book", "code == 5", "(ZCODE=?)"),
    ("Item", "owner.name == 'x'", "SEARCH t1 USING COVERING INDEX Z_Author_byName (ZNAME=?)"),
    ("Item", "owner.name == 'x'", "SEARCH t0 USING INDEX ZITEM_ZOWNER_INDEX (ZOWNER=?)"),
    ("Author", "ANY works.title == 'x'", "SEARCH t1 USING INDEX"),
    ("Author", "works.@count > 0", "(ZOWNER=?)"),
    (
      "Author", "ANY books.title == 'x'",
      "SEARCH t1 USING COVERING INDEX sqlite_autoindex_Z_1BOOKS_1 (Z_1AUTHORS=?)"
    ),
  ])
  func `A fetch searches the index`(entity: String, format: String, step: String) throws {
    let plan = try plan(entity, format)
    #expect(plan.contains { $0.contains(step) }, "\(plan)")
    #expect(
      !plan.contains { $0.hasPrefix("SCAN t0") } || format.contains("works")
        || format.contains("ANY"))
  }

  @Test func `Objects are found by key`() throws {
    let authors = try (0..<20).map { _ in try store.add("Author") }
    #expect(
      try plan("Author", "SELF == %@", [authors[0]]) == [
        "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"
      ])
    #expect(
      try plan("Author", "SELF IN %@", [authors]).contains(
        "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"))
    #expect(
      try plan("Item", "owner == %@", [authors[0]]) == [
        "SEARCH t0 USING INDEX ZITEM_ZOWNER_INDEX (ZOWNER=?)"
      ])
    #expect(
      try plan("Item", "owner IN %@", [authors]).contains(
        "SEARCH t0 USING INDEX ZITEM_ZOWNER_INDEX (ZOWNER=?)"))
    let books = try plan("Book", "%@ IN authors", [authors[0]])
    #expect(books.first?.hasSuffix("rowid=?)") == true, "\(books)")
    #expect(books.contains { $0.contains("Z_1BOOKS") && $0.contains("(Z_1AUTHORS=?)") }, "\(books)")
  }

  @Test func `A fetch with a long list of texts searches the index`() throws {
    let plan = try plan("Author", "name IN %@", [(0..<100).map(String.init)])
    #expect(plan.contains("SEARCH t0 USING INDEX Z_Author_byName (ZNAME=?)"), "\(plan)")
  }

  @Test(arguments: [true, false])
  func `A sort key's index serves both directions`(isAscending: Bool) throws {
    #expect(
      try plan("Author", sort: [("name", isAscending)]) == ["SCAN t0 USING INDEX Z_Author_byName"])
    #expect(
      try plan("Author", "name > 'x'", sort: [("name", isAscending)])
        == ["SEARCH t0 USING INDEX Z_Author_byName (ZNAME>?)"])
  }

  @Test func `Without an order, nothing is sorted`() throws {
    #expect(try plan("Author") == ["SCAN t0"])
    #expect(try plan("Author", "rating > 3") == ["SCAN t0"])
    #expect(
      try plan("Author", "name == 'x'") == ["SEARCH t0 USING INDEX Z_Author_byName (ZNAME=?)"])
  }
}
