import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

@Suite struct `Derived attributes` {
  /// A database in memory with the tables of a model.
  private func database(_ text: String, filter: String? = nil) throws -> Connection {
    let model = try model(text)
    for attribute in model.entities.flatMap(\.properties) {
      guard let filter, let derived = attribute as? NSDerivedAttributeDescription else { continue }
      derived.filteringPredicate = NSPredicate(format: filter)
    }
    let schema = try StoreSchema(layouts: .of(model), configuration: nil)
    let connection = try Connection(.memory)
    try connection.set(.recursiveTriggers, to: true)
    try registerStoreFunctions(on: connection)
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    return connection
  }

  @Test func `A trigger counts a relationship's members in any order of changes`() throws {
    let connection = try database(
      "Author\n  books ->> Book author\n  n Integer64 derived=books.@count\nBook\n  author -> Author books"
    )
    try connection.execute("INSERT INTO ZBOOK (Z_PK, Z_ENT, ZAUTHOR) VALUES (1, 2, 1), (2, 2, 1)")
    try connection.execute("INSERT INTO ZAUTHOR (Z_PK, Z_ENT) VALUES (1, 1), (2, 1)")
    #expect(try connection.rows("SELECT ZN FROM ZAUTHOR ORDER BY Z_PK") == [[2], [0]])
    try connection.execute(
      "UPDATE ZBOOK SET ZAUTHOR = 2 WHERE Z_PK = 1; DELETE FROM ZBOOK WHERE Z_PK = 2")
    #expect(try connection.rows("SELECT ZN FROM ZAUTHOR ORDER BY Z_PK") == [[0], [1]])
  }

  @Test func `Count and sum cover a many-to-many relationship`() throws {
    let connection = try database(
      """
      Author
        books ->> Book authors
        n Integer64 derived=books.@count
        pages Integer64 derived=sum:(books.pages)
      Book
        authors ->> Author books
        pages Integer64
      """)
    try connection.execute("INSERT INTO ZAUTHOR (Z_PK, Z_ENT) VALUES (1, 1)")
    try connection.execute("INSERT INTO Z_1BOOKS VALUES (1, 1), (1, 2)")
    try connection.execute("INSERT INTO ZBOOK (Z_PK, Z_ENT, ZPAGES) VALUES (1, 2, 100), (2, 2, 20)")
    try connection.execute("INSERT OR REPLACE INTO Z_1BOOKS VALUES (1, 1)")
    #expect(try connection.rows("SELECT ZN, ZPAGES FROM ZAUTHOR") == [[2, 120]])
    try connection.execute(
      "UPDATE ZBOOK SET ZPAGES = 7 WHERE Z_PK = 1; DELETE FROM Z_1BOOKS WHERE Z_2BOOKS = 2")
    #expect(try connection.rows("SELECT ZN, ZPAGES FROM ZAUTHOR") == [[1, 7]])
  }

  @Test func `A sum of integers beyond 64 bits is a real`() throws {
    let connection = try database(
      "A\n  bs ->> B a\n  total Integer64 derived=sum:(bs.x)\nB\n  x Integer64\n  a -> A bs")
    try connection.execute("INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1)")
    for key in [1, 2] as [Int64] {
      try connection.run(
        "INSERT INTO ZB (Z_PK, Z_ENT, ZA, ZX) VALUES (?, 2, 1, ?)", [.integer(key), .integer(.max)])
      let total: StoredValue = key == 1 ? .integer(.max) : .real(0x1p64)
      #expect(try connection.rows("SELECT ZTOTAL FROM ZA") == [[total]])
    }
    try connection.execute("UPDATE ZB SET ZX = -5 WHERE Z_PK = 2")
    #expect(try connection.rows("SELECT ZTOTAL FROM ZA") == [[.integer(Int64.max - 5)]])
  }

  @Test func `A sum of whole decimals beyond 64 bits is a real`() throws {
    let connection = try database(
      "A\n  bs ->> B a\n  total Decimal derived=sum:(bs.x)\nB\n  x Decimal\n  a -> A bs")
    try connection.execute("INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1)")
    for key in [1, 2] as [Int64] {
      try connection.run(
        "INSERT INTO ZB (Z_PK, Z_ENT, ZA, ZX) VALUES (?, 2, 1, 9000000000000000000)",
        [.integer(key)])
      let total: StoredValue = key == 1 ? .integer(9_000_000_000_000_000_000) : .real(1.8e19)
      #expect(try connection.rows("SELECT ZTOTAL FROM ZA") == [[total]])
    }
    try connection.execute("UPDATE ZB SET ZX = 2 WHERE Z_PK = 1; UPDATE ZB SET ZX = 0.5")
    #expect(try connection.rows("SELECT ZTOTAL FROM ZA") == [[.integer(1)]])
    try connection.execute("UPDATE ZB SET ZX = 2 WHERE Z_PK = 1")
    #expect(try connection.rows("SELECT ZTOTAL FROM ZA") == [[2.5]])
  }

  @Test func `A sum covers an attribute over a to-many relationship`() throws {
    let connection = try database(
      "A\n  bs ->> B a\n  total Double derived=sum:(bs.x)\nB\n  x Double\n  a -> A bs")
    try connection.execute("INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1), (2, 1)")
    try connection.execute(
      "INSERT INTO ZB (Z_PK, Z_ENT, ZA, ZX) VALUES (1, 2, 1, 0.5), (2, 2, 1, 2.0)")
    try connection.execute("UPDATE ZB SET ZA = 2, ZX = 4 WHERE Z_PK = 2")
    #expect(try connection.rows("SELECT ZTOTAL FROM ZA ORDER BY Z_PK") == [[0.5], [4.0]])
    try connection.execute("DELETE FROM ZB")
    #expect(try connection.rows("SELECT ZTOTAL FROM ZA ORDER BY Z_PK") == [[0.0], [0.0]])
  }

  static let members = [
    "A\n  bs ->> B a\n  d Double derived=@\nB\n  x Double\n  name String\n  a -> A bs",
    "A\n  bs ->> B as\n  d Double derived=@\nB\n  x Double\n  name String\n  as ->> A bs",
  ]

  /// Each spelling of an attribute that is derived from the members with x > 1.
  static let filtered: [(expression: String, filter: String?, counts: Bool)] = [
    ("bs.@count", "x > 1", true), ("sum:(bs.x)", "x > 1", false), ("bs.x.@sum", "x > 1", false),
    ("SUBQUERY(bs,$b,$b.x>1).@count", nil, true), ("count:(SUBQUERY(bs,$b,$b.x>1))", nil, true),
    ("SUBQUERY(bs,$b,$b.x>1).x.@sum", nil, false),
    ("SUBQUERY(bs,$b,$b.x<9000).@count", "x > 1", true),
  ]

  @Test(arguments: members, filtered)
  func `Count and sum cover members that pass a filter`(
    text: String, form: (expression: String, filter: String?, counts: Bool)
  ) throws {
    let connection = try database(
      text.replacing("@\n", with: form.expression + "\n"), filter: form.filter)
    func expect(count: Double, sum: Double, _ place: SourceLocation = #_sourceLocation) throws {
      let wanted = Value.real(form.counts ? count : sum)
      #expect(
        try connection.rows("SELECT ZD FROM ZA ORDER BY Z_PK") == [[wanted], [0.0]],
        sourceLocation: place)
    }
    let isJoined = text.contains("->> A")
    try connection.execute("INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1), (2, 1)")
    if isJoined {
      try connection.execute(
        "INSERT INTO ZB (Z_PK, Z_ENT, ZX) VALUES (1, 2, 1), (2, 2, 2), (3, 2, 4)")
      try connection.execute("INSERT INTO Z_1BS VALUES (1, 1), (1, 2), (1, 3)")
    } else {
      try connection.execute(
        "INSERT INTO ZB (Z_PK, Z_ENT, ZX, ZA) VALUES (1, 2, 1, 1), (2, 2, 2, 1), (3, 2, 4, 1)")
    }
    try expect(count: 2, sum: 6)
    try connection.execute("UPDATE ZB SET ZX = 3 WHERE Z_PK = 1")
    try expect(count: 3, sum: 9)
    try connection.execute("UPDATE ZB SET ZX = 0.5 WHERE Z_PK = 3")
    try expect(count: 2, sum: 5)
    try connection.execute(
      isJoined ? "DELETE FROM Z_1BS WHERE Z_2BS = 2" : "UPDATE ZB SET ZA = NULL WHERE Z_PK = 2")
    try expect(count: 1, sum: 3)
    try connection.execute(isJoined ? "DELETE FROM Z_1BS" : "DELETE FROM ZB")
    try expect(count: 0, sum: 0)
  }

  @Test func `A derivation from a subquery has an unknown hash`() throws {
    let text = "A\n  bs ->> B a\n  d Double derived=@\nB\n  x Double\n  a -> A bs"
    for (expression, isCertain) in [("bs.@count", true), ("SUBQUERY(bs,$b,$b.x>1).@count", false)] {
      let model = try model(text.replacing("@\n", with: expression + "\n"))
      let entity = try #require(model.entitiesByName["A"])
      #expect(entity.isVersionHashCertain == isCertain)
      let read = try ModelCache.decode(ModelCache.encode(model))
      #expect(read.entitiesByName["A"]?.versionHash == entity.versionHash, "\(expression)")
    }
  }

  @Test(arguments: ["a.x > 1", "ANY a.bs.x > 1", "x > random()", "nope == 1", "d > now()"])
  func `A filter that no trigger can follow is refused`(filter: String) throws {
    let error = try #require(throws: StoreError.self) {
      _ = try database(
        "A\n  x Double\n  bs ->> B a\n  n Double derived=bs.@count\nB\n  x Double\n  d Date\n  a -> A bs",
        filter: filter)
    }
    #expect(error.context == ["entity": "A", "property": "n"])
  }

  @Test func `A copy has no filter`() throws {
    #expect(throws: StoreError.self) {
      _ = try database("A\n  x Double\n  y Double derived=x", filter: "x > 1")
    }
  }

  @Test func `Derivations fold, copy and follow to-one relationships`() throws {
    let connection = try database(
      """
      A
        name String
        folded String derived=canonical:(name)
        copied String derived=b.c.name
        loud String derived=uppercase:(b.name)
        b -> B as
      B
        as ->> A b
        name String
        c -> C bs
      C
        bs ->> B c
        name String
      """)
    try connection.execute("INSERT INTO ZA (Z_PK, Z_ENT, ZNAME, ZB) VALUES (1, 1, 'Éclair', 5)")
    try connection.execute("INSERT INTO ZB (Z_PK, Z_ENT, ZNAME, ZC) VALUES (5, 2, 'straße', 9)")
    try connection.execute("INSERT INTO ZC (Z_PK, Z_ENT, ZNAME) VALUES (9, 3, 'sea')")
    #expect(
      try connection.rows("SELECT ZFOLDED, ZLOUD, ZCOPIED FROM ZA") == [
        ["eclair", "STRASSE", "sea"]
      ])
    try connection.execute(
      "UPDATE ZC SET ZNAME = 'lake'; UPDATE ZB SET ZNAME = 'é'; UPDATE ZA SET ZNAME = NULL")
    #expect(try connection.rows("SELECT ZFOLDED, ZLOUD, ZCOPIED FROM ZA") == [[nil, "É", "lake"]])
    try connection.execute("UPDATE ZB SET ZC = NULL")
    #expect(try connection.rows("SELECT ZCOPIED FROM ZA") == [[nil]])
  }

  @Test func `A derivation copies from rows of the same table`() throws {
    let connection = try database(
      "T\n  name String\n  parent -> T children\n  children ->> T parent\n  of String derived=parent.name\n  n Integer16 derived=children.@count"
    )
    try connection.execute(
      "INSERT INTO ZT (Z_PK, Z_ENT, ZNAME, ZPARENT) VALUES (2, 1, 'leaf', 1), (1, 1, 'root', NULL)")
    #expect(
      try connection.rows("SELECT ZOF, ZN FROM ZT ORDER BY Z_PK") == [[nil, 1], ["root", 0]])
    try connection.execute("UPDATE ZT SET ZNAME = 'ground' WHERE Z_PK = 1")
    #expect(try connection.rows("SELECT ZOF FROM ZT ORDER BY Z_PK") == [[nil], ["ground"]])
  }

  @Test func `A row that is its own member counts once`() throws {
    let connection = try database(
      "T\n  parent -> T children\n  children ->> T parent\n  n Integer16 derived=children.@count")
    try connection.execute("INSERT INTO ZT (Z_PK, Z_ENT, ZPARENT) VALUES (1, 1, 1), (2, 1, 1)")
    #expect(try connection.rows("SELECT ZN FROM ZT ORDER BY Z_PK") == [[2], [0]])
    try connection.execute("UPDATE ZT SET ZPARENT = 2 WHERE Z_PK = 1")
    #expect(try connection.rows("SELECT ZN FROM ZT ORDER BY Z_PK") == [[1], [1]])
  }

  @Test func `A derived date is the time of the save`() throws {
    let connection = try database("A\n  x Integer16\n  t Date derived=now()")
    try EvaluationDependencies(now: { Date(timeIntervalSinceReferenceDate: 5) }).runAsCurrent {
      try connection.execute("INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
    }
    #expect(try connection.rows("SELECT ZT FROM ZA") == [[5]])
    try EvaluationDependencies(now: { Date(timeIntervalSinceReferenceDate: 9) }).runAsCurrent {
      try connection.execute("UPDATE ZA SET Z_OPT = 2")
    }
    #expect(try connection.rows("SELECT ZT FROM ZA") == [[9]])
  }

  @Test func `A subentity's derivation leaves other rows of the table unchanged`() throws {
    let connection = try database(
      "P\n  name String\nQ : P\n  folded String derived=canonical:(name)")
    try connection.execute("INSERT INTO ZP (Z_PK, Z_ENT, ZNAME) VALUES (1, 1, 'A'), (2, 2, 'B')")
    #expect(try connection.rows("SELECT ZFOLDED FROM ZP ORDER BY Z_PK") == [[nil], ["b"]])
  }

  @Test func `Derivations report which rows got a value`() throws {
    let schema = try StoreSchema(
      layouts: .of(model("P\n  name String\n  folded String derived=canonical:(name)")),
      configuration: nil)
    let connection = try Connection(.memory)
    var reported: [StoreFunctions.DerivedChange] = []
    try registerStoreFunctions(on: connection) { reported.append($0) }
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    try connection.execute("INSERT INTO ZP (Z_PK, Z_ENT, ZNAME) VALUES (7, 1, 'A')")
    #expect(reported.map(\.key) == [7])
    #expect(reported.first?.attribute == "folded")
  }

  @Test(arguments: ["bs.x", "sum:(bs.nope)", "log:(x)", "nope"])
  func `A derivation that no store can compute is refused`(expression: String) throws {
    let text =
      "A\n  x Double\n  bs ->> B a\n  d Double derived=\(expression)\nB\n  x Double\n  a -> A bs"
    let schema = try StoreSchema(layouts: .of(model(text)), configuration: nil)
    let error = try #require(throws: StoreError.self) { try schema.creationStatements() }
    #expect(error.context == ["entity": "A", "property": "d"])
  }
}

@Suite struct `Indexes of locations` {
  @Test func `An index has the rows of its entity that have all values`() throws {
    let schema = try StoreSchema(
      layouts: .of(model("P rtree=x,y\n  x Double\n  y Double")), configuration: nil)
    var options = Connection.Options()
    options.trustsSchema = true
    let connection = try Connection(.memory, options: options)
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    let found = {
      try connection.rows("SELECT Z_PK FROM Z_RT_P_byXy WHERE ZX_MIN <= 2 AND ZX_MAX >= 2")
    }
    try connection.execute(
      "INSERT INTO ZP (Z_PK, Z_ENT, ZX, ZY) VALUES (1, 1, 2, 3), (2, 1, 2, NULL), (3, 1, 8, 8)")
    #expect(try found() == [[1]])
    try connection.execute(
      "UPDATE ZP SET ZY = 1 WHERE Z_PK = 2; UPDATE ZP SET ZX = NULL WHERE Z_PK = 1")
    #expect(try found() == [[2]])
    try connection.execute("DELETE FROM ZP")
    #expect(try connection.rows("SELECT count(*) FROM Z_RT_P_byXy") == [[0]])
  }
}
