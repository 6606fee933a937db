import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// To-many relationships without an inverse, whose members have the owner's key.
@Suite struct `To-many relationships without an inverse` {
  private static let letters = "Letter\n  stamps ->> Stamp\nStamp\n  price Integer16"

  private func schema(_ text: String) throws -> StoreSchema {
    try StoreSchema(layouts: .of(model(text)), configuration: nil)
  }

  @Test func `The members' table has the owner's key and an index of it`() throws {
    let schema = try schema(Self.letters)
    #expect(schema.joinTables.isEmpty)
    #expect(
      schema.tables[1].definition
        == """
        CREATE TABLE ZSTAMP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPRICE \
        INTEGER, Z1STAMPS INTEGER )
        """
    )
    #expect(
      schema.indexes.map(\.definition)
        == ["CREATE INDEX ZSTAMP_Z1STAMPS_INDEX ON ZSTAMP (Z1STAMPS)"])
    guard case .foreignKey(let column, inverse: nil)? = schema.entities[0].toMany[0] else {
      Issue.record("stamps is kept elsewhere")
      return
    }
    #expect(column.name == "Z1STAMPS")
  }

  @Test func `An owner with subentities and an order have columns, too`() throws {
    let schema = try schema(
      "Letter\n  stamps ->> Stamp ordered\nParcel : Letter\nPaper\nStamp : Paper")
    let paper = try #require(schema.tables.first { $0.name == "ZPAPER" })
    #expect(paper.columns.map(\.name) == ["Z1STAMPS", "Z1_1STAMPS", "Z_FOK_1STAMPS"])
    guard case .foreignKey(let column, inverse: nil)? = schema.entity(named: "Parcel")?.toMany[0]
    else {
      Issue.record("stamps is kept elsewhere")
      return
    }
    #expect(column.orderColumn == "Z_FOK_1STAMPS")
  }

  // MARK: Other layouts

  /// The schema of a model, matched to a database of that schema after a change by SQL.
  private func matched(_ text: String, changedBy sql: String) throws -> StoreSchema {
    let schema = try schema(text)
    let connection = try Connection(.memory)
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    for row in schema.primaryKeyRows {
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(row.number), '\(row.name)', \(row.superNumber), 0)")
    }
    try connection.execute(sql)
    return try schema.matched(to: connection, at: .memory)
  }

  @Test func `A join table of a relationship without an inverse is used`() throws {
    let schema = try matched(
      "Letter\n  stamps ->> Stamp ordered\nStamp",
      changedBy: """
        DROP INDEX ZSTAMP_Z1STAMPS_INDEX;
        ALTER TABLE ZSTAMP DROP COLUMN Z1STAMPS; ALTER TABLE ZSTAMP DROP COLUMN Z_FOK_1STAMPS;
        CREATE TABLE Z_1STAMPS (
          Z_1STAMPSINVERSE INTEGER, Z_2STAMPS INTEGER, Z_FOK_2STAMPS INTEGER, PRIMARY KEY (1, 2))
        """.replacingOccurrences(of: "(1, 2)", with: "(Z_1STAMPSINVERSE, Z_2STAMPS)"))
    guard
      case .join(_, "Z_1STAMPSINVERSE", "Z_2STAMPS", "Z_FOK_2STAMPS")? = schema.entities[0].toMany[
        0]
    else {
      Issue.record("stamps is kept elsewhere")
      return
    }
  }

  @Test func `A column with a former number and a missing entity column are tolerated`() throws {
    let schema = try matched(
      "Letter\n  stamps ->> Stamp\nParcel : Letter\nStamp",
      changedBy: """
        ALTER TABLE ZSTAMP RENAME COLUMN Z1STAMPS TO Z7STAMPS;
        ALTER TABLE ZSTAMP DROP COLUMN Z1_1STAMPS
        """)
    guard case .foreignKey(let column, inverse: nil)? = schema.entities[0].toMany[0] else {
      Issue.record("stamps is kept elsewhere")
      return
    }
    #expect(column.name == "Z7STAMPS" && column.entityColumn == nil)
  }

  // MARK: Join tables

  /// Opens a new store with a join table, in which a letter has three stamps.
  private func openJoined(at url: URL) throws -> SQLiteRowStore {
    let model = try model("Letter\n  stamps ->> Stamp\nStamp\nRarity : Stamp")
    let stamps = try #require(model.entitiesByName["Letter"]?.relationshipsByName["stamps"])
    var options = StoreOptions()
    options.joinedRelationships = [ObjectIdentifier(stamps)]
    let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
    try opened.prepareForWriting()
    try opened.connection.execute(
      """
      INSERT INTO ZLETTER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
      INSERT INTO ZSTAMP (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 3, 1), (3, 2, 1);
      INSERT INTO Z_1STAMPS (Z_1STAMPSINVERSE, Z_2STAMPS) VALUES (1, 1), (1, 2), (1, 3)
      """)
    return try SQLiteRowStore(opened)
  }

  /// The keys of the members in the join table.
  private func joinedKeys(at url: URL) throws -> [[Value]] {
    try Connection(.file(url.path)).rows("SELECT Z_2STAMPS FROM Z_1STAMPS ORDER BY 1")
  }

  @Test func `A deleted member leaves the join table`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let store = try openJoined(at: url)
      var changes = StoreChanges(transaction: .sample)
      for (name, key) in [("Stamp", 1), ("Rarity", 2)] {
        let layout = try #require(store.layouts[named: name])
        changes.deleted.append(RowDeletion(layout: layout, key: Int64(key), expectedVersion: 1))
      }
      _ = try store.save(changes)
      #expect(try joinedKeys(at: url) == [[3]])
    }
  }

  @Test func `A member that a batch request deletes leaves the join table`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let store = try openJoined(at: url)
      let layout = try #require(store.layouts[named: "Stamp"])
      let receipt = try store.delete(
        BatchDeletion(
          fetch: RowFetch(layout: layout, specification: FetchSpecification()),
          transaction: .sample, reportsKeys: false))
      #expect(receipt.count == 3)
      #expect(try joinedKeys(at: url) == [])
    }
  }

  // MARK: Migration

  @Test func `A migration keeps the members and renumbers the owner`() throws {
    let store = try MigratedStore(
      "Letter\n  stamps ->> Stamp ordered\nParcel : Letter\nStamp",
      filledBy: """
        INSERT INTO ZLETTER (Z_PK, Z_ENT) VALUES (1, 1), (2, 2);
        INSERT INTO ZSTAMP (Z_PK, Z_ENT, Z1STAMPS, Z1_1STAMPS, Z_FOK_1STAMPS)
          VALUES (1, 3, 2, 2, 3072), (2, 3, 2, 2, 2048), (3, 3, 1, 1, 2048),
            (4, 3, NULL, NULL, NULL)
        """)
    let opened = try store.open(
      "Album\nLetter\n  marks ->> Stamp ordered was=stamps\nParcel : Letter\nStamp")
    #expect(
      try opened.connection.rows(
        "SELECT Z_PK, Z2MARKS, Z2_2MARKS, Z_FOK_2MARKS FROM ZSTAMP ORDER BY 1")
        == [[1, 2, 3, 3072], [2, 2, 3, 2048], [3, 1, 2, 2048], [4, nil, nil, nil]])
  }

  @Test func `A migration clears the owner if its entity is removed`() throws {
    let store = try MigratedStore(
      "Letter\n  stamps ->> Stamp\nParcel : Letter\nStamp",
      filledBy: """
        INSERT INTO ZLETTER (Z_PK, Z_ENT) VALUES (1, 1), (2, 2);
        INSERT INTO ZSTAMP (Z_PK, Z_ENT, Z1STAMPS, Z1_1STAMPS) VALUES (1, 3, 2, 2), (2, 3, 1, 1)
        """)
    let opened = try store.open("Letter\n  stamps ->> Stamp\nStamp")
    #expect(
      try opened.connection.rows("SELECT Z_PK, Z1STAMPS FROM ZSTAMP ORDER BY 1")
        == [[1, nil], [2, 1]])
  }

  private static let pairs = """
    INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1), (2, 1);
    INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2), (2, 2);
    INSERT INTO Z_1BS VALUES (1, 2), (2, 1)
    """

  @Test func `Members with one owner each move from a join table into rows`() throws {
    let store = try MigratedStore("A\n  bs ->> B as\nB\n  as ->> A bs", filledBy: Self.pairs)
    let opened = try store.open("A\n  bs ->> B\nB")
    #expect(
      try opened.connection.rows("SELECT Z_PK, Z1BS FROM ZB ORDER BY 1") == [[1, 2], [2, 1]])
  }

  @Test func `Members with several owners stay in a join table`() throws {
    let store = try MigratedStore(
      "A\n  bs ->> B as\nB\n  as ->> A bs",
      filledBy: "\(Self.pairs); INSERT INTO Z_1BS VALUES (2, 2)")
    let model = try model("A\n  bs ->> B\nB")
    var options = StoreOptions()
    options.migratesAutomatically = true
    options.infersMapping = true
    let opened = try StoreOpening(url: store.url, layouts: .of(model), options: options).run()
    #expect(
      try opened.connection.rows("SELECT Z_1BSINVERSE, Z_2BS FROM Z_1BS ORDER BY 1, 2")
        == [[1, 2], [2, 1], [2, 2]])
    #expect(opened.schema.tables[1].columns.isEmpty)
  }

  @Test func `A new inverse relationship has the owners`() throws {
    let store = try MigratedStore(
      Self.letters,
      filledBy: """
        INSERT INTO ZLETTER (Z_PK, Z_ENT) VALUES (1, 1);
        INSERT INTO ZSTAMP (Z_PK, Z_ENT, Z1STAMPS) VALUES (1, 2, 1), (2, 2, NULL)
        """)
    let opened = try store.open(
      "Letter\n  stamps ->> Stamp letter\nStamp\n  price Integer16\n  letter -> Letter stamps")
    #expect(
      try opened.connection.rows("SELECT Z_PK, ZLETTER FROM ZSTAMP ORDER BY 1")
        == [[1, 1], [2, nil]])
  }
}
