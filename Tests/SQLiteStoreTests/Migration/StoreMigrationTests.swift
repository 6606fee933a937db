import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Migrating a store in place` {
  @Test func `A migration adds attributes with their defaults and removes others`() throws {
    let store = try MigratedStore(
      "A\n  x String\n  gone Integer16",
      filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX, ZGONE) VALUES (1, 1, 3, 'a', 7)")
    let added = try store.open(
      "A\n  x String\n  gone Integer16\n  n Integer16 required default=5\n  s String")
    #expect(
      try added.connection.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZX, ZN, ZS FROM ZA") == [
        [1, 1, 3, "a", 5, nil]
      ])
    try added.connection.close()
    let removed = try store.open("A\n  x String\n  d Double default=2.5")
    #expect(
      try removed.connection.rows("SELECT Z_PK, Z_OPT, ZX, ZD FROM ZA") == [[1, 3, "a", 2.5]])
  }

  @Test func `A decimal default has a point and all its digits in SQL`() throws {
    let store = try MigratedStore(
      "A\n  x String", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')")
    let opened = try store.open("A\n  x String\n  d Decimal default=0.1234567890123456")
    #expect(try opened.connection.rows("SELECT ZD FROM ZA") == [[0.1234567890123456]])
  }

  @Test func `A migration fills required attributes that were optional`() throws {
    let store = try MigratedStore(
      "A\n  x String", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a'), (2, 1, NULL)"
    )
    let opened = try store.open("A\n  x String required default=it's")
    #expect(try opened.connection.rows("SELECT ZX FROM ZA ORDER BY Z_PK") == [["a"], ["it's"]])
  }

  @Test func `A migration renames entities and attributes and swaps names`() throws {
    let store = try MigratedStore(
      "A\n  x String\n  y String\nB\n  a -> A\nC",
      filledBy: """
        INSERT INTO ZA (Z_PK, Z_ENT, ZX, ZY) VALUES (1, 1, 'x', 'y'); INSERT INTO ZB (Z_PK, Z_ENT, ZA) VALUES (4, 2, 1);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_NAME = 'A'
        """)
    let opened = try store.open(
      "Zoo was=A\n  y String was=x\n  x String was=y\nA was=B\n  zoo -> Zoo was=a\nC")
    #expect(
      try opened.connection.rows("SELECT Z_PK, Z_ENT, ZX, ZY FROM ZZOO") == [[1, 3, "y", "x"]])
    #expect(try opened.connection.rows("SELECT Z_PK, Z_ENT, ZZOO FROM ZA") == [[4, 1, 1]])
    let keys = try opened.connection.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
    #expect(keys == [["A", 0], ["C", 0], ["Zoo", 9]])
  }

  @Test func `A migration renumbers entities, join tables and entity columns`() throws {
    let store = try MigratedStore(
      "B\nC : B\nD\n  b -> B\n  es ->> E ds\nE\n  ds ->> D es",
      filledBy: """
        INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 1), (2, 2); INSERT INTO ZD (Z_PK, Z_ENT, ZB, Z1_B) VALUES (1, 3, 2, 2);
        INSERT INTO ZE (Z_PK, Z_ENT) VALUES (1, 4); INSERT INTO Z_3ES VALUES (1, 1)
        """)
    let opened = try store.open("A\nB\nC : B\nD\n  b -> B\n  es ->> E ds\nE\n  ds ->> D es")
    #expect(try opened.connection.rows("SELECT Z_PK, Z_ENT FROM ZB") == [[1, 2], [2, 3]])
    #expect(try opened.connection.rows("SELECT ZB, Z2_B FROM ZD") == [[2, 3]])
    #expect(try opened.connection.rows("SELECT Z_4DS, Z_5ES FROM Z_4ES") == [[1, 1]])
  }

  @Test func `A migration deletes removed entities' rows and references to them`() throws {
    let store = try MigratedStore(
      "B\n  ds ->> D bs\nC : B\nD\n  b -> B\n  bs ->> B ds\nX",
      filledBy: """
        INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 1), (2, 2);
        INSERT INTO ZD (Z_PK, Z_ENT, ZB, Z1_B) VALUES (1, 3, 2, 2), (2, 3, 1, 1);
        INSERT INTO Z_1DS VALUES (1, 1), (2, 1)
        """)
    let opened = try store.open("B\n  ds ->> D bs\nD\n  b -> B\n  bs ->> B ds")
    #expect(try opened.connection.rows("SELECT Z_PK FROM ZB") == [[1]])
    #expect(
      try opened.connection.rows("SELECT Z_PK, ZB FROM ZD ORDER BY 1") == [[1, nil], [2, 1]])
    #expect(try opened.connection.rows("SELECT * FROM Z_1DS") == [[1, 1]])
  }

  @Test func `A to-one relationship becomes to-many`() throws {
    let store = try MigratedStore(
      "A\n  b -> B as\nB\n  as ->> A b",
      filledBy: """
        INSERT INTO ZA (Z_PK, Z_ENT, ZB) VALUES (1, 1, 1), (2, 1, 1), (3, 1, NULL);
        INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2)
        """)
    let opened = try store.open("A\n  b ->> B as ordered\nB\n  as ->> A b")
    let rows = try opened.connection.rows("SELECT Z_1AS, Z_2B, Z_FOK_2B FROM Z_1B ORDER BY 1")
    #expect(rows == [[1, 1, 2048], [2, 1, 2048]])
  }

  @Test func `A relationship becomes ordered or keeps its order`() throws {
    let store = try MigratedStore(
      "A\n  b -> B as\nB\n  as ->> A b",
      filledBy: """
        INSERT INTO ZA (Z_PK, Z_ENT, ZB) VALUES (7, 1, 1), (2, 1, 1), (3, 1, NULL);
        INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2)
        """)
    let opened = try store.open("A\n  b -> B as\nB\n  as ->> A b ordered")
    let rows = try opened.connection.rows("SELECT Z_PK, Z_FOK_B FROM ZA ORDER BY 1")
    #expect(rows == [[2, 2048], [3, nil], [7, 3072]])
    try opened.connection.execute("UPDATE ZA SET Z_FOK_B = 9000 - Z_FOK_B")
    try opened.connection.close()
    let again = try store.open("A\n  b ->> B as\nB\n  as ->> A b ordered")
    let pairs = try again.connection.rows("SELECT Z_1AS, Z_2B, Z_FOK_1AS FROM Z_1B ORDER BY 3")
    #expect(pairs == [[7, 1, 5928], [2, 1, 6952]])
  }

  @Test func `A to-many relationship survives a change of its inverse`() throws {
    let store = try MigratedStore(
      "A\n  old -> B as\nB\n  as ->> A old",
      filledBy:
        "INSERT INTO ZA (Z_PK, Z_ENT, ZOLD) VALUES (5, 1, 1); INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2)"
    )
    let opened = try store.open("A\n  new -> B as\nB\n  as ->> A new")
    #expect(try opened.connection.rows("SELECT Z_PK, ZNEW FROM ZA") == [[5, 1]])
  }

  @Test func `A property moves up and down a hierarchy`() throws {
    let store = try MigratedStore(
      "P\n  up String\nQ : P\n  q String\nR : P",
      filledBy:
        "INSERT INTO ZP (Z_PK, Z_ENT, ZUP, ZQ) VALUES (1, 1, 'p', NULL), (2, 2, 'q', 'qq'), (3, 3, 'r', NULL)"
    )
    let opened = try store.open("P\n  q String\nQ : P\n  up String\nR : P\n  up String")
    #expect(
      try opened.connection.rows("SELECT Z_PK, ZUP, ZUP1, ZQ FROM ZP ORDER BY 1")
        == [[1, nil, nil, nil], [2, "q", nil, "qq"], [3, nil, "r", nil]])
  }

  @Test func `An entity leaves a hierarchy, and its keys stay unique`() throws {
    let store = try MigratedStore(
      "P\n  x String\nQ : P",
      filledBy: """
        INSERT INTO ZP (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'p'), (2, 2, 'q'); UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1
        """)
    let opened = try store.open("P\n  x String\nQ\n  x String")
    #expect(try opened.connection.rows("SELECT Z_PK, Z_ENT, ZX FROM ZP") == [[1, 1, "p"]])
    #expect(try opened.connection.rows("SELECT Z_PK, Z_ENT, ZX FROM ZQ") == [[2, 2, "q"]])
    #expect(try opened.connection.rows("SELECT Z_MAX FROM Z_PRIMARYKEY") == [[2], [2]])
  }

  @Test func `A parent is inserted above an entity`() throws {
    let store = try MigratedStore(
      "Q\n  x String", filledBy: "INSERT INTO ZQ (Z_PK, Z_ENT, ZX) VALUES (4, 1, 'q')")
    let opened = try store.open("Base abstract\n  x String\nQ : Base")
    #expect(try opened.connection.rows("SELECT Z_PK, Z_ENT, ZX FROM ZBASE") == [[4, 2, "q"]])
  }

  @Test func `A migration replaces indexes, constraints and triggers`() throws {
    let store = try MigratedStore(
      "A index=x unique=y\n  x String\n  y String",
      filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX, ZY) VALUES (1, 1, 'É', 'y')")
    let opened = try store.open(
      """
      A index=y,x unique=x rtree=n,m
        x String
        y String
        n Double default=1
        m Double default=2
        folded String derived=canonical:(x)
      """)
    #expect(try opened.connection.rows("SELECT ZFOLDED FROM ZA") == [["e"]])
    #expect(try opened.connection.rows("SELECT count(*) FROM Z_RT_A_byNm") == [[1]])
  }

  @Test func `A migration renumbers the history and its properties`() throws {
    let old = "B\n  x String preserved\n  y String preserved\nC"
    let store = try MigratedStore(
      old, tracksHistory: true,
      filledBy: """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
          VALUES (1, 16001, 1, 1, 7, 1, x'\(bitmap(of: old, "B", "y"))');
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0, ZTOMBSTONE1)
          VALUES (2, 16001, 2, 1, 8, 1, 'x', 'y');
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (3, 16001, 0, 2, 1, 1);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 16001
        """)
    let new = "A\nB\n  added String\n  more String\n  y String preserved"
    let opened = try store.open(new, tracksHistory: true)
    let rows = try opened.connection.rows(
      "SELECT Z_PK, ZENTITY, hex(ZCOLUMNS), ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE ORDER BY 1")
    #expect(
      rows == [[1, 2, .text(try bitmap(of: new, "B", "y")), nil, nil], [2, 2, "", "y", nil]])
    #expect(try bitmap(of: new, "B", "y") != bitmap(of: old, "B", "y"))
    #expect(try opened.connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == 3)
  }

  @Test func `A new preserved attribute keeps the values of objects deleted before`() throws {
    let store = try MigratedStore(
      "B\n  x String\n  y String preserved", tracksHistory: true,
      filledBy: """
        INSERT INTO ACHANGE
          (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0)
          VALUES (1, 16001, 2, 1, 8, 1, 'y')
        """)
    let opened = try store.open(
      "B\n  x String preserved\n  y String preserved", tracksHistory: true)
    let rows = try opened.connection.rows("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE")
    #expect(rows == [[nil, "y"]])
  }

  /// The bitmap of one property in a history row, in hexadecimal.
  private func bitmap(of text: String, _ entity: String, _ property: String) throws -> String {
    let schema = try StoreSchema(layouts: .of(model(text)), configuration: nil)
    let entity = try #require(schema.entity(named: entity))
    let ordinal = try #require(entity.layout.ordinal(of: property))
    return HistoryBitmap(entity).bytes(for: OrdinalSet([ordinal]))
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }

  @Test func `Values move into rows and out of files`() throws {
    let name = "0C2B5A60-5C3C-4F6B-9C33-1B6C6E2F8A11"
    let store = try MigratedStore(
      "A\n  d Binary external\n  e Binary",
      filledBy: """
        INSERT INTO ZA (Z_PK, Z_ENT, ZD, ZE)
          VALUES (1, 1, x'01AABB', x'CC00'), (2, 1, CAST(x'02' || '\(name)' || x'00' AS BLOB), NULL)
        """)
    let folder = try #require(StoreLocation(store.url).externalDataFolder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name)
    try Data([1, 2, 3]).write(to: file)
    let opened = try store.open("A\n  d Binary\n  e Binary external")
    let rows = try opened.connection.rows("SELECT hex(ZD), hex(ZE) FROM ZA ORDER BY Z_PK")
    #expect(rows == [["AABB", "01CC00"], ["010203", ""]])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `The files of removed attributes and entities are removed`() throws {
    let names = [
      "0C2B5A60-5C3C-4F6B-9C33-1B6C6E2F8A11", "0C2B5A60-5C3C-4F6B-9C33-1B6C6E2F8A12",
      "0C2B5A60-5C3C-4F6B-9C33-1B6C6E2F8A13",
    ]
    func value(_ name: String) -> String { "CAST(x'02' || '\(name)' || x'00' AS BLOB)" }
    let store = try MigratedStore(
      "A\n  d Binary external\n  e Binary external\nB\n  d Binary external",
      filledBy: """
        INSERT INTO ZA (Z_PK, Z_ENT, ZD, ZE) VALUES (1, 1, \(value(names[0])), \(value(names[1])));
        INSERT INTO ZB (Z_PK, Z_ENT, ZD) VALUES (1, 2, \(value(names[2])))
        """)
    let folder = try #require(StoreLocation(store.url).externalDataFolder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in names { try Data([1]).write(to: folder.appendingPathComponent(name)) }
    try store.open("A\n  f Binary external was=e").connection.close()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left == [names[1]])
  }

  @Test func `A migration reports its steps on request`() throws {
    let store = try MigratedStore("A\n  x String\n  z String\nB\n  y String\nC", filledBy: "")
    let lines = LineRecorder()
    var logging = StatementLogging()
    logging.logsMigrations = true
    logging.write = { lines.add($0) }
    try StatementLogging.$current.withValue(logging) {
      let new = "A\n  w String was=x\nD was=B\n  y String\n  v String\nE"
      try store.open(new).connection.close()
    }
    let logged = lines.take().map { $0.replacingOccurrences(of: store.url.path, with: "file") }
    let prefix = "CoreData: annotation: migration: file: "
    #expect(logged.allSatisfy { $0.hasPrefix(prefix) })
    let texts = logged.map { String($0.dropFirst(prefix.count)) }
    #expect(
      texts.prefix(5) == [
        "begins", "A: w was x, z goes", "D was B: v is new", "E is new",
        "C is removed, with its objects",
      ])
    #expect(texts.count == 6 && texts[5].hasPrefix("done in "))
  }

  @Test func `Unknown metadata and tables survive`() throws {
    let store = try MigratedStore(
      "A", filledBy: "CREATE TABLE mine(x); INSERT INTO mine VALUES (1)")
    var metadata = try StoreFiles.metadata(at: store.url)
    metadata.entries["mine"] = .string("kept")
    try StoreFiles.setMetadata(metadata.dictionary, at: store.url)
    let model = try model("A\n  x String")
    var options = StoreOptions()
    options.migratesAutomatically = true
    options.infersMapping = true
    let opened = try StoreOpening(url: store.url, layouts: .of(model), options: options).run()
    #expect(opened.metadata.entries["mine"] == .string("kept"))
    #expect(opened.metadata.uuid == metadata.uuid)
    #expect(try opened.connection.value("SELECT x FROM mine") == 1)
  }
}
