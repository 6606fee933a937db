import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing
import TextMatching

@Suite struct `The full-text index of a store` {
  private func withFile(_ body: (URL) throws -> Void) throws {
    try withTemporaryDirectory { (folder) throws in
      try body(folder.appendingPathComponent("notes.sqlite"))
    }
  }

  private func lax(_ url: URL) throws -> Connection {
    var options = Connection.Options(mode: .readWrite)
    options.isDefensive = false
    // Other programs trust the schema, as SQLite does by default.
    options.trustsSchema = true
    return try Connection(.file(url.path), options: options)
  }

  private func names(_ url: URL) throws -> [String] {
    let connection = try lax(url)
    defer { try? connection.close() }
    return try connection.rows(
      """
      SELECT name FROM sqlite_schema WHERE name GLOB 'PHF_ZNOTE*' AND type <> 'index' \
      ORDER BY name
      """
    ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
  }

  /// Opens the store, and checks that the index answers the search for a word.
  private func expectFound(
    _ query: String, _ titles: [String], _ url: URL, isIndexed: Bool? = true, version: Int = 1,
    usesIndex: Bool = true, readOnly: Bool = false
  ) throws {
    let book = try Notebook(at: url, isIndexed: isIndexed, version: version, readOnly: readOnly)
    let path = version == 1 ? "body" : "content"
    var found: [String] = []
    let statements = try book.statements { found = try book.titles(.fullText(query, in: path)) }
    #expect(found == titles)
    #expect(statements.contains { $0.contains("PHF_ZNOTE") } == usesIndex)
    try book.close()
  }

  private func make(_ url: URL, isIndexed: Bool?) throws {
    let book = try Notebook(at: url, isIndexed: isIndexed)
    book.note("a", "red pie")
    book.note("b", "blue sky")
    try book.save()
    try book.close()
  }

  @Test func `A file has no index without the option`() throws {
    try withFile { (url) throws in
      try make(url, isIndexed: nil)
      #expect(try names(url) == [])
      try expectFound("pie", ["a"], url, isIndexed: nil, usesIndex: false)
    }
  }

  @Test func `The option adds an index of the existing rows, and false removes it`() throws {
    try withFile { (url) throws in
      try make(url, isIndexed: nil)
      try expectFound("pie", ["a"], url)
      #expect(
        try names(url) == [
          "PHF_ZNOTE", "PHF_ZNOTE_DELETE", "PHF_ZNOTE_INSERT", "PHF_ZNOTE_UPDATE",
          "PHF_ZNOTE_config", "PHF_ZNOTE_data", "PHF_ZNOTE_docsize", "PHF_ZNOTE_idx",
        ])
      try expectFound("pie", ["a"], url, isIndexed: nil)
      try expectFound("pie", ["a"], url, isIndexed: nil, readOnly: true)
      try expectFound("pie", ["a"], url, isIndexed: false, usesIndex: false)
      #expect(try names(url) == [])
    }
  }

  @Test func `Searches continue after another process has removed the index`() throws {
    try withFile { url in
      try make(url, isIndexed: true)
      let book = try Notebook(at: url, isIndexed: true)
      let red = NSPredicate.fullText("red", in: "body")
      #expect(try book.titles(red) == ["a"])
      let other = try Notebook(at: url, isIndexed: false)
      try other.close()
      #expect(try names(url).isEmpty)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = red
      #expect(try book.context.count(for: request) == 1)
      #expect(try book.titles(red) == ["a"])
      book.note("c", "red car")
      try book.save()
      #expect(try book.titles(red) == ["a", "c"])
      try book.close()
    }
  }

  @Test func `Rows that another program writes are found`() throws {
    try withFile { (url) throws in
      try make(url, isIndexed: true)
      let other = try lax(url)
      try other.execute(
        """
        UPDATE ZNOTE SET ZBODY = 'green pie' WHERE ZTITLE = 'b';
        DELETE FROM ZNOTE WHERE ZTITLE = 'a';
        INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBODY)
        SELECT 50, Z_ENT, 1, 'c', 'a pie' FROM ZNOTE LIMIT 1
        """
      )
      try other.close()
      try expectFound("pie", ["b", "c"], url, isIndexed: nil)
      try expectFound("blue", [], url, isIndexed: nil)
    }
  }

  @Test(arguments: [
    "DROP TRIGGER PHF_ZNOTE_UPDATE", "DROP TABLE PHF_ZNOTE", "DROP TABLE PHF_ZNOTE_data",
    "DELETE FROM PHF_ZNOTE_data",
    """
    DROP TRIGGER PHF_ZNOTE_DELETE;
    CREATE TRIGGER PHF_ZNOTE_DELETE AFTER DELETE ON ZNOTE BEGIN SELECT 1; END
    """,
  ])
  func `A missing or damaged index is created again when the store opens`(damage: String) throws {
    try withFile { (url) throws in
      try make(url, isIndexed: true)
      let other = try lax(url)
      try other.execute(damage)
      try other.execute("UPDATE ZNOTE SET Z_OPT = 9 WHERE ZTITLE = 'b'")
      try other.close()
      try expectFound("sky", ["b"], url)
      try expectFound("pie", ["a"], url)
      #expect(try names(url).count == 8)
    }
  }

  @Test func `The integrity check repairs an index with wrong words`() throws {
    try withFile { (url) throws in
      try make(url, isIndexed: true)
      let other = try lax(url)
      try other.execute(
        """
        INSERT INTO PHF_ZNOTE(PHF_ZNOTE, rowid, ZBODY, ZTITLE)
        SELECT 'delete', Z_PK, ZBODY, ZTITLE FROM ZNOTE WHERE ZTITLE = 'a'
        """
      )
      try other.close()
      try expectFound("pie", [], url)
      let checking = StoreDebugging(
        LaunchArguments(
          arguments: ["-com.apple.CoreData.SQLiteIntegrityCheck", "1"], environment: [:]))
      try StoreDebugging.$current.withValue(checking) { () throws in
        try expectFound("pie", ["a"], url)
      }
      try expectFound("pie", ["a"], url)
    }
  }

  @Test(arguments: [nil, true])
  func `A lightweight migration keeps the index`(isIndexed: Bool?) throws {
    try withFile { (url) throws in
      try make(url, isIndexed: true)
      try expectFound("pie", ["a"], url, isIndexed: isIndexed, version: 2)
      let book = try Notebook(at: url, isIndexed: isIndexed, version: 2)
      book.note("c", "one more pie").setValue("short words", forKey: "summary")
      try book.save()
      #expect(try book.titles(.fullText("pie", in: "content")) == ["a", "c"])
      #expect(try book.titles(.fullText("short", in: "summary", "title")) == ["c"])
      try book.close()
    }
  }

  @Test func `A lightweight migration adds no index to a store without one`() throws {
    try withFile { (url) throws in
      try make(url, isIndexed: nil)
      try expectFound("pie", ["a"], url, isIndexed: nil, version: 2, usesIndex: false)
      #expect(try names(url) == [])
    }
  }

  @Test func `A transaction that is rolled back leaves the index unchanged`() throws {
    try withFile { (url) throws in
      try make(url, isIndexed: true)
      let book = try Notebook(at: url, isIndexed: nil)
      let store = try #require(book.coordinator.openStores.first?.rowStore as? SQLiteRowStore)
      #expect(throws: (any Error).self) {
        try store.pool.write { connection in
          try connection.transaction {
            try connection.execute("UPDATE ZNOTE SET ZBODY = 'lost'")
            throw CancellationError()
          }
        }
      }
      #expect(try book.titles(.fullText("lost", in: "body")) == [])
      #expect(try book.titles(.fullText("pie", in: "body")) == ["a"])
      try book.close()
    }
  }

  // MARK: Many rows

  private static let words = (0..<60).map { "w\($0)" } + ["äpfel", "Straße", "日本", "x-y", "it's"]

  private func randomText(_ generator: inout SeededGenerator) -> String? {
    guard Int.random(in: 0..<20, using: &generator) > 0 else { return nil }
    return (0..<Int.random(in: 0..<8, using: &generator))
      .map { _ in Self.words.randomElement(using: &generator) ?? "" }.joined(separator: " ")
  }

  @Test func `Thousands of rows stay equal to their index through all kinds of changes`() throws {
    var generator = SeededGenerator.forTest()
    try withFile { (url) throws in
      let book = try Notebook(at: url, isIndexed: true)
      for number in 0..<3_000 {
        book.note(
          "\(number)", randomText(&generator), stars: number % 7,
          entity: number % 3 == 0 ? "Letter" : "Note")
      }
      try book.save()
      let all = NSFetchRequest<NSManagedObject>(entityName: "Note")
      for _ in 0..<3 {
        for note in try book.context.fetch(all) {
          switch Int.random(in: 0..<10, using: &generator) {
          case 0: note.setValue(randomText(&generator), forKey: "body")
          case 1: note.setValue(randomText(&generator), forKey: "title")
          case 2: book.context.delete(note)
          case 3: note.setValue(9, forKey: "stars")
          default: break
          }
        }
        if Bool.random(using: &generator) { book.context.rollback() } else { try book.save() }
      }
      try book.save()
      try expectEqualSearches(book, all, &generator)
      try expectSoundIndex(url)
      try book.close()
    }
  }

  private func expectEqualSearches(
    _ book: Notebook, _ all: NSFetchRequest<NSManagedObject>, _ generator: inout SeededGenerator
  ) throws {
    let notes = try book.context.fetch(all)
    for _ in 0..<30 {
      let count = Int.random(in: 1...2, using: &generator)
      var query = (0..<count).map { _ in Self.words.randomElement(using: &generator) ?? "" }
        .joined(separator: " ")
      if Bool.random(using: &generator) { query += "*" }
      if Bool.random(using: &generator) { query = "\"\(query)\"" }
      let paths = [["body"], ["title"], ["body", "title"]].randomElement(using: &generator) ?? []
      let predicate = NSPredicate.fullText(query, in: paths)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = predicate
      let found = try Set(book.context.fetch(request).map(\.objectID))
      let expected = Set(notes.filter { predicate.evaluate(with: $0) }.map(\.objectID))
      #expect(found == expected, "\(query) in \(paths) \(generator)")
    }
  }

  private func expectSoundIndex(_ url: URL) throws {
    let connection = try lax(url)
    try connection.run("INSERT INTO PHF_ZNOTE(PHF_ZNOTE, rank) VALUES ('integrity-check', 1)")
    try connection.close()
  }
}
