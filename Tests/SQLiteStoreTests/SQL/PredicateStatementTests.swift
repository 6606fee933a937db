import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

/// One entry of a transcript.
struct TranslatedPredicate: CustomTestStringConvertible {
  let entity: String
  let format: String
  let sql: String

  var testDescription: String { "\(entity): \(format)" }

  /// The entries of a transcript.
  ///
  /// Each has the entity and predicate in one line and the SQL in the next.
  static func entries(_ transcript: String) -> [TranslatedPredicate] {
    let lines = transcript.split(separator: "\n")
    return stride(from: 0, to: lines.count - 1, by: 2).map { index in
      let parts = lines[index].split(separator: ": ", maxSplits: 1).map(String.init)
      return TranslatedPredicate(
        entity: parts[0], format: parts[1],
        sql: lines[index + 1].trimmingCharacters(in: .whitespaces))
    }
  }
}

@Suite struct `The SQL of a predicate` {
  let store: LibraryStore

  init() throws {
    store = try LibraryStore()
  }

  private func text(_ statement: FetchStatement) -> String {
    let sql = statement.sql.replacing("SELECT t0.Z_ENT, t0.Z_PK FROM ", with: "")
    let values = statement.bindings.map { value in
      switch value {
      case .null: "NULL"
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): "\"\(text)\""
      case .blob(let bytes): "\(bytes)"
      }
    }
    return values.isEmpty ? sql : "\(sql) ← \(values.joined(separator: ", "))"
  }

  private func check(_ entry: TranslatedPredicate) throws {
    let statement = try store.translator.keys(
      store.fetch(entry.entity, NSPredicate(format: entry.format)))
    #expect(text(statement) == entry.sql)
    _ = try store.connection.prepare(statement)
  }

  @Test(arguments: TranslatedPredicate.entries(PredicateTranscript.roots))
  func `Properties and members are compared`(entry: TranslatedPredicate) throws { try check(entry) }

  @Test(arguments: TranslatedPredicate.entries(PredicateTranscript.hierarchies))
  func `To-one relationships and hierarchies are followed`(entry: TranslatedPredicate) throws {
    try check(entry)
  }

  @Test(arguments: TranslatedPredicate.entries(PredicateTranscript.values))
  func `Values of every kind are computed`(entry: TranslatedPredicate) throws { try check(entry) }

  @Test func `Constants are bound in their stored form`() throws {
    let uuid = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let cases: [(String, Any, StoredValue)] = [
      ("date == %@", date, 12.5), ("date == %@", NSNumber(value: 3), 3),
      ("uuid == %@", uuid, .blob(Swift.withUnsafeBytes(of: uuid.uuid) { Array($0) })),
      ("url == %@", URL(fileURLWithPath: "/a b"), "file:///a%20b"),
      ("data == %@", Data([7]), .blob([7])),
      ("file == %@", Data([7]), .blob([1, 7])), ("shape == %@", Data([7]), .blob([7])),
      ("shape == %@", EncodedValue(Data([8])), .blob([8])),
      ("decimal == %@", NSDecimalNumber(string: "10.11"), 10.11),
      ("decimal == %@", Decimal(10), 10), ("flag == %@", true, 1),
      ("small == %@", NSNumber(value: Int8(4)), 4),
      ("text == %@", 5, 5), ("small == %@", "5", "5"), ("large == %@", UInt64.max, .real(0x1p64)),
      ("place.name == %@", "x", "x"),
    ]
    for (format, value, bound) in cases {
      let fetch = try store.fetch("Sample", NSPredicate(format: format, argumentArray: [value]))
      #expect(try store.translator.keys(fetch).bindings == [bound], "\(format) \(value)")
    }
  }

  @Test func `A predicate whose evaluation is restricted has the same SQL`() throws {
    let cases = [
      ("Item", "code IN {1, 2}"), ("Item", "code BETWEEN {1, 9}"), ("Author", "born < now()"),
      ("Item", "1 + 1 == 2 AND code == TERNARY(1 < 2, 3, 4)"),
    ]
    for (entity, format) in cases {
      let decoded = try NSPredicate(format: format).substituting([:])
      decoded.restrictEvaluation()
      let expected = try store.translator.keys(store.fetch(entity, NSPredicate(format: format)))
      let statement = try store.translator.keys(store.fetch(entity, decoded))
      #expect(statement.sql == expected.sql, "\(format)")
      #expect(throws: PredicateEvaluationError.self) { try decoded.evaluated(with: nil) }
    }
  }

  @Test func `Objects are bound by key`() throws {
    let author = try store.add("Author")
    let other = NSManagedObjectID(
      layout: author.layout, key: author.key, storeIdentity: StoreIdentity(uuid: "another store"))
    let unsaved = NSManagedObjectID(layout: author.layout, temporaryKey: -7, of: .usual)
    let item = try store.add("Item")
    let cases: [(any ObjectIdentified, Int64)] = [
      (author, author.key), (author.identified, author.key), (other, 0), (unsaved, -7), (item, 0),
    ]
    for (object, key) in cases {
      for format in [
        "owner == %@", "owner IN {%@}", "ANY owner.pupils == %@", "owner.objectID == %@",
      ] {
        let fetch = try store.fetch("Item", NSPredicate(format: format, argumentArray: [object]))
        #expect(try store.translator.keys(fetch).bindings == [.integer(key)], "\(format)")
      }
    }
  }

  @Test func `Long lists of keys use an integer array, lists of texts one parameter`()
    throws
  {
    let authors = try (1...9).map { _ in try store.add("Author") }
    let keys = try store.translator.keys(
      store.fetch(
        "Item",
        NSPredicate(format: "owner IN %@ AND code IN %@", argumentArray: [authors, Array(1...20)])))
    #expect(
      keys.sql.contains(
        "t0.ZOWNER IN (SELECT * FROM _Z_intarray0) AND t0.ZCODE IN (SELECT * FROM _Z_intarray1)"))
    #expect(keys.bindings.isEmpty)
    #expect(keys.integerArrays == [Array(1...9), Array(1...20)])
    let titles = (1...65).map { "a\"\\\n\($0)" }
    let texts = try store.translator.keys(
      store.fetch("Item", NSPredicate(format: "title IN %@", argumentArray: [titles])))
    #expect(texts.sql.contains("t0.ZTITLE IN (SELECT value FROM json_each(?))"))
    guard case .text(let json) = texts.bindings.first else { return #expect(Bool(false)) }
    #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == titles)
  }

  @Test func `Entities are found by a long list of names`() throws {
    for name in ["Film", "Book", "Item"] { _ = try store.add(name) }
    try store.write()
    let names = (0..<70).map { "None\($0)" } + ["Book", "Film"]
    #expect(try store.keys("Item", "entity.name IN %@", [names]) == [1, 2])
  }

  @Test func `A predicate may have more lists of integers than there are arrays`() throws {
    for code in [0, 699, 700] { _ = try store.add("Item", ["code": code]) }
    try store.write()
    let parts = (0..<70).map { list in
      NSPredicate(format: "code IN %@", argumentArray: [Array(list * 10..<list * 10 + 10)])
    }
    let fetch = try store.fetch("Item", NSCompoundPredicate(type: .or, subpredicates: parts))
    #expect(try store.keys(fetch) == [1, 2])
    #expect(try store.translator.keys(fetch).integerArrays.count == 64)
  }

  @Test func `The owners of given objects are selected`() throws {
    let tags = try (0..<9).map { _ in try store.add("Tag") }
    let condition = { (format: String, argument: Any) in
      let fetch = try store.fetch("Item", NSPredicate(format: format, argumentArray: [argument]))
      return try store.translator.keys(fetch).sql.replacing(
        "SELECT t0.Z_ENT, t0.Z_PK FROM ZITEM t0 WHERE ", with: "")
    }
    let owners = "t0.Z_PK IN (SELECT t1.Z_2ITEMS FROM Z_2TAGS t1 WHERE t1.Z_7TAGS"
    #expect(try condition("ANY tags == %@", tags[0]) == "\(owners) = ?)")
    #expect(try condition("ANY tags IN %@", [tags[0], tags[1]]) == "\(owners) IN (?, ?))")
    #expect(
      try condition("NONE tags IN %@", tags) == "NOT (\(owners) IN (SELECT * FROM _Z_intarray0)))")
  }

  @Test func `A set's elements are bound in a fixed order`() throws {
    let authors = try (0..<5).map { _ in try store.add("Author") }
    let cases: [(String, Any, [StoredValue])] = [
      ("owner IN %@", Set(authors), authors.map { .integer($0.key) }),
      ("code IN %@", Set([3, 1, 2]), [1, 2, 3]),
      ("title IN %@", NSSet(array: ["b", "a"]), ["a", "b"]),
      ("code IN %@", Set([2.5, 1.5]), [1.5, 2.5]),
    ]
    for (format, set, bindings) in cases {
      let fetch = try store.fetch("Item", NSPredicate(format: format, argumentArray: [set]))
      #expect(try store.translator.keys(fetch).bindings == bindings)
    }
  }

  @Test func `Long chains are halved because SQLite could not parse them`() throws {
    let parts = (0..<3000).map { NSPredicate(format: "rating == %d AND name == 'x'", $0) }
    for type in [NSCompoundPredicate.LogicalType.or, .and] {
      let fetch = try store.fetch("Author", NSCompoundPredicate(type: type, subpredicates: parts))
      #expect(throws: Never.self) { try store.keys(fetch) }
    }
  }

  @Test func `A statement has at most SQLite's number of parameters`() throws {
    let dates = (0..<Limits.values).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    let fetch = try store.fetch("Author", NSPredicate(format: "born IN %@", argumentArray: [dates]))
    #expect(throws: Never.self) { try store.keys(fetch) }
    let more = try store.fetch(
      "Author", NSPredicate(format: "born IN %@", argumentArray: [dates + [Date.distantPast]]))
    let error = try #require(throws: StoreError.self) { try store.keys(more) }
    #expect(error.message.contains("too many SQL variables"))
  }

  @Test func `Long lists leave room for other parameters`() throws {
    let dates = (0..<20_000).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    let numbers = (0..<10_000).map { Double($0) + 0.5 }
    var limited = try store.fetch(
      "Author", NSPredicate(format: "born IN %@", argumentArray: [dates]))
    limited.specification.fetchLimit = 1
    let both = try store.fetch(
      "Author", NSPredicate(format: "born IN %@ AND rating IN %@", argumentArray: [dates, numbers]))
    for fetch in [limited, both] {
      #expect(throws: Never.self) { try store.keys(fetch) }
    }
  }

  @Test func `Lists are padded so that few lengths need their own statement`() throws {
    let statement = { (count: Int) in
      let values = (0..<count).map { Double($0) + 0.5 }
      return try store.translator.keys(
        store.fetch("Author", NSPredicate(format: "rating IN %@", argumentArray: [values])))
    }
    #expect(try statement(9).sql == statement(16).sql)
    #expect(try statement(9).bindings.suffix(8) == Array(repeating: .real(8.5), count: 8)[...])
    #expect(try statement(7).sql != statement(8).sql)
    #expect(try statement(4_200).sql == statement(5_100).sql)
  }
}
