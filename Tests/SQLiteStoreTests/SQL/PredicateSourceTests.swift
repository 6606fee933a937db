import Foundation
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression
private typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// Predicates that were not made from a format string.
@Suite struct `Predicates of every origin` {
  let store: LibraryStore

  init() throws {
    store = try LibraryStore()
  }

  private func condition(_ entity: String, _ predicate: NSPredicate) throws -> String {
    let statement = try store.translator.keys(store.fetch(entity, predicate))
    _ = try store.connection.prepare(statement)
    let sql = statement.sql
    return String(sql.split(separator: " WHERE ", maxSplits: 1).dropFirst().first ?? "")
  }

  @Test func `Foundation's compounds and constants are allowed`() throws {
    let parts = [NSPredicate(format: "name == 'x'"), NSPredicate(format: "rating > 3")]
    #expect(
      try condition("Author", NSCompoundPredicate(andPredicateWithSubpredicates: parts))
        == "t0.ZNAME = ? AND t0.ZRATING > ?")
    #expect(
      try condition("Author", NSCompoundPredicate(orPredicateWithSubpredicates: parts))
        == "(t0.ZNAME = ? OR t0.ZRATING > ?)")
    #expect(
      try condition("Author", NSCompoundPredicate(notPredicateWithSubpredicate: parts[0]))
        == "NOT (t0.ZNAME = ?)")
    #expect(try condition("Author", NSPredicate(value: true)) == "")
    #expect(try condition("Author", NSPredicate(value: false)) == "0")
    #expect(try condition("Author", NSCompoundPredicate(andPredicateWithSubpredicates: [])) == "")
    #expect(try condition("Author", NSCompoundPredicate(orPredicateWithSubpredicates: [])) == "0")
  }

  @Test func `Parts that need no row are simplified away`() throws {
    let decided = [
      ("1 == 1 AND name == 'x'", "t0.ZNAME = ?"), ("1 == 2 OR name == 'x'", "t0.ZNAME = ?"),
      ("NOT 1 == 2", ""),
      ("name == 'x' AND FALSEPREDICATE", "0"), ("name == 'x' OR 'abc' BEGINSWITH 'a'", ""),
      ("NOT NOT name == 'x'", "t0.ZNAME = ?"),
      ("rating > 2 * (3 + 4)", "t0.ZRATING > ?"), ("name == uppercase('x')", "t0.ZNAME = ?"),
      ("name IN {'a', lowercase('B')}", "t0.ZNAME IN (?, ?)"), ("5 IN {1, 5}", ""),
    ]
    for (format, condition) in decided {
      #expect(try self.condition("Author", NSPredicate(format: format)) == condition)
    }
    let nothing = NSPredicate(format: "%@ == nil OR name == %@", argumentArray: [NSNull(), "x"])
    #expect(try condition("Author", nothing) == "")
  }

  @Test
  func `An ordered comparison with nil holds for no row, and its negation for all`()
    throws
  {
    _ = (try store.add("Author", ["rating": 1.0]), try store.add("Author"))
    try store.write()
    for sign in ["<", "<=", ">", ">="] {
      #expect(
        try store.keys(store.fetch("Author", NSPredicate(format: "rating \(sign) nil"))) == [])
      #expect(
        try store.keys(store.fetch("Author", NSPredicate(format: "NOT rating \(sign) nil"))) == [
          1, 2,
        ])
    }
  }

  @Test func `The time is a dependency`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1234.5)
    let predicate = NSPredicate(format: "born < now()")
    let statement = try EvaluationDependencies(now: { date }).runAsCurrent {
      try store.translator.keys(store.fetch("Author", predicate))
    }
    #expect(statement.bindings == [1234.5])
  }

  @Test func `Ranges may be compared`() throws {
    let comparison = { (range: Any, type: NSComparisonPredicate.Operator) in
      NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "rating"),
        rightExpression: NSExpression(forConstantValue: range),
        modifier: .direct, type: type)
    }
    #expect(try condition("Author", comparison(1...5, .in)) == "t0.ZRATING BETWEEN ? AND ?")
    #expect(
      try condition("Author", comparison(1.0...5.0, .between)) == "t0.ZRATING BETWEEN ? AND ?")
    #expect(
      try condition("Author", comparison(1..<5, .in)) == "(t0.ZRATING >= ? AND t0.ZRATING < ?)")
  }

  @Test func `Replaced variables are allowed`() throws {
    let template = NSPredicate(
      format: "name == $NAME AND SUBQUERY(works, $w, $w.title == $NAME).@count > 0")
    let predicate = template.withSubstitutionVariables(["NAME": "x"])
    #expect(
      try condition("Author", predicate)
        == "t0.ZNAME = ? AND EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND t1.ZTITLE = ?)"
    )
  }

  @Test func `Subqueries nest and refer to outer rows`() throws {
    let format = """
      SUBQUERY(works, $w, SUBQUERY($w.tags, $t, $t.label == $w.title AND $t.weight > rating).@count > 1 \
      AND $w.owner.mentor == SELF).@count == 2
      """
    #expect(
      try condition("Author", NSPredicate(format: format))
        == """
        (SELECT COUNT(*) FROM ZITEM t1 JOIN ZAUTHOR t4 ON t1.ZOWNER = t4.Z_PK WHERE t1.ZOWNER = t0.Z_PK AND \
        (SELECT COUNT(*) FROM Z_2TAGS t2 JOIN ZTAG t3 ON t2.Z_7TAGS = t3.Z_PK WHERE t2.Z_2ITEMS = t1.Z_PK AND \
        t3.ZLABEL = t1.ZTITLE AND t3.ZWEIGHT > t0.ZRATING) > 1 AND t4.ZMENTOR = t0.Z_PK) = ?
        """)
  }

  @Test func `Entities are compared by number`() throws {
    let film = try #require(store.schema.entity(named: "Film")).entity
    let cases: [(NSPredicate, String, [StoredValue])] = [
      (NSPredicate(format: "entity == %@", argumentArray: [film]), "t0.Z_ENT = ?", [5]),
      (NSPredicate(format: "entity != %@", argumentArray: [film]), "t0.Z_ENT <> ?", [5]),
      (NSPredicate(format: "entity IN %@", argumentArray: [[film]]), "t0.Z_ENT IN (?)", [5]),
      (
        NSPredicate(format: "entity.name IN {'Film', 'Book', 'None'}"), "t0.Z_ENT IN (?, ?, ?)",
        [5, 3, 0]
      ),
    ]
    for (predicate, condition, bindings) in cases {
      #expect(try self.condition("Item", predicate) == condition)
      #expect(try store.translator.keys(store.fetch("Item", predicate)).bindings == bindings)
    }
  }
}

/// A class whose properties report their reads, like those of managed object classes.
private final class Writer: NSObject, KeyPathProbeable {
  private var reads: [String] = []

  private func read<Value>(_ key: String, _ placeholder: Value) -> Value {
    reads.append(key)
    return placeholder
  }

  var name: String { read("name", "") }
  var born: Date? { read("born", nil) }
  var rating: Double { read("rating", 0) }
  var works: [Work] { read("works", []) }

  static func propertyPaths(readBy body: (Any) -> Void) -> [String] {
    let probe = Writer()
    body(probe)
    return probe.reads
  }
}

private final class Work: NSObject, KeyPathProbeable {
  private var reads: [String] = []

  var code: Int {
    reads.append("code")
    return 0
  }

  static func propertyPaths(readBy body: (Any) -> Void) -> [String] {
    let probe = Work()
    body(probe)
    return probe.reads
  }
}

extension `Predicates of every origin` {
  private static let written: [(Predicate<Writer>, String)] = [
    (#Predicate { $0.name == "x" && $0.rating > 3 }, "t0.ZNAME = ? AND t0.ZRATING > ?"),
    (#Predicate { $0.name.starts(with: "x") }, "(t0.ZNAME >= ? AND t0.ZNAME < ?)"),
    (
      #Predicate { $0.name.localizedStandardContains("x") },
      "NSCoreDataStringSearch(t0.ZNAME, ?, 417, 1)"
    ),
    (#Predicate { $0.name.count > 3 }, "ParhelionLength(t0.ZNAME) > ?"),
    (#Predicate { $0.name.isEmpty }, "t0.ZNAME = ?"),
    (#Predicate { $0.born == nil }, "t0.ZBORN IS NULL"),
    (#Predicate { ["a", "b"].contains($0.name) }, "t0.ZNAME IN (?, ?)"),
    (#Predicate { (1.0...3.0).contains($0.rating) }, "t0.ZRATING BETWEEN ? AND ?"),
    (
      #Predicate { $0.works.isEmpty },
      "NOT EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK)"
    ),
    (
      #Predicate { $0.works.count == 2 },
      "(SELECT COUNT(*) FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK) = ?"
    ),
    (
      #Predicate { $0.works.contains { $0.code > 3 } },
      "EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND t1.ZCODE > ?)"
    ),
    (
      #Predicate { $0.works.allSatisfy { $0.code > 3 } },
      "NOT EXISTS (SELECT 1 FROM ZITEM t1 WHERE t1.ZOWNER = t0.Z_PK AND NOT (t1.ZCODE > ?))"
    ),
    (#Predicate { $0.rating / 2 > 1 }, "(CAST(t0.ZRATING AS REAL) / ?) > ?"),
    (
      #Predicate { ($0.rating > 3 ? $0.rating : 0) > 1 },
      "CASE WHEN t0.ZRATING > ? THEN t0.ZRATING ELSE ? END > ?"
    ),
  ]

  @Test(arguments: written.indices)
  func `Predicates may be written in Swift`(index: Int) throws {
    let (predicate, condition) = Self.written[index]
    #expect(try self.condition("Author", NSPredicate(translating: predicate)) == condition)
  }
}
