import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Matching a schema to a file` {
  private let location = StoreLocation(.init(fileURLWithPath: "/dev/null"))

  /// A database in memory with the tables of a model, changed by some SQL.
  private func database(_ text: String, changedBy sql: String = "") throws -> (
    StoreSchema, Connection
  ) {
    let schema = try StoreSchema(layouts: .of(model(text)), configuration: nil)
    let connection = try Connection(.memory)
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    for row in schema.primaryKeyRows {
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(row.number), '\(row.name)', \(row.superNumber), 0)")
    }
    try connection.execute(sql)
    return (schema, connection)
  }

  @Test(.requiresFixtures, arguments: FixtureStore.withModel)
  func `Everything in Apple's stores is found`(store: FixtureStore) throws {
    let schema = try StoreSchema(layouts: .of(store.model()), configuration: nil)
    try store.withConnection { connection in
      let matched = try schema.matched(to: connection, at: location)
      #expect(matched.entities.map(\.number) == schema.entities.map(\.number))
    }
  }

  @Test func `The file's numbers are used, with the names that follow from them`() throws {
    let (schema, connection) = try database(
      "A\n  bs ->> B as\nB\n  as ->> A bs\nC : B\nD\n  b -> B",
      changedBy: """
        UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 10;
        ALTER TABLE Z_1BS RENAME TO Z_11BS;
        ALTER TABLE Z_11BS RENAME COLUMN Z_1AS TO Z_11AS; ALTER TABLE Z_11BS RENAME COLUMN Z_2BS TO Z_12BS;
        ALTER TABLE ZD RENAME COLUMN Z2_B TO Z12_B;
        """)
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.entities.map(\.number) == [11, 12, 13, 14])
    #expect(matched.entity(number: 12)?.subtreeNumbers == [12, 13])
    #expect(matched.joinTables.map(\.columns) == [["Z_11AS", "Z_12BS"]])
    #expect(matched.entity(named: "D")?.column(named: "b")?.entityColumn == "Z12_B")
  }

  @Test func `A join table is found by its other name`() throws {
    let (schema, connection) = try database(
      "P\n  admins ->> P adminsInverse\n  adminsInverse ->> P admins",
      changedBy: "ALTER TABLE Z_1ADMINSINVERSE RENAME TO \"Z_1ADMINS\"")
    #expect(schema.joinTables.map(\.name) == ["Z_1ADMINSINVERSE"])
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.joinTables.map(\.name) == ["Z_1ADMINS"])
    guard case .join(_, let owner, let member, nil)? = matched.entities[0].toMany[0] else {
      Issue.record("admins is kept elsewhere")
      return
    }
    #expect([owner, member] == ["Z_1ADMINSINVERSE", "Z_1ADMINS"])
  }

  @Test func `A column is found if its name has a former number`() throws {
    let (schema, connection) = try database(
      "B\nC : B\nD\n  b -> B", changedBy: "ALTER TABLE ZD RENAME COLUMN Z1_B TO Z7_B")
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.entity(named: "D")?.column(named: "b")?.entityColumn == "Z7_B")
    #expect(matched.tables[1].columns.map(\.name) == ["ZB", "Z7_B"])
  }

  @Test func `A table is found under the entity's former name`() throws {
    let (schema, connection) = try database(
      "A\nB was=Old\n  x String",
      changedBy: """
        UPDATE Z_PRIMARYKEY SET Z_NAME = 'Old' WHERE Z_ENT = 2; ALTER TABLE ZB RENAME TO "ZOLD"
        """)
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.entity(named: "B")?.table == "ZOLD")
    #expect(matched.tables.map(\.name) == ["ZA", "ZOLD"])
  }

  @Test func `Columns are found under former names and with other suffixes`() throws {
    let (schema, connection) = try database(
      "A\n  name String was=title\nB : A\n  x String\nC : A\n  x String\nD\nE",
      changedBy: """
        ALTER TABLE ZA RENAME COLUMN ZNAME TO ZTITLE; ALTER TABLE ZA RENAME COLUMN ZX1 TO ZX2
        """)
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.entity(named: "A")?.column(named: "name")?.name == "ZTITLE")
    #expect(matched.entity(named: "B")?.column(named: "x")?.name == "ZX")
    #expect(matched.entity(named: "C")?.column(named: "x")?.name == "ZX2")
  }

  @Test func `A join table is found if its names have former numbers or no suffix`() throws {
    let people =
      """
      Badge\n  people ->> Person badges\nClub\n  people ->> Person clubs ordered\nPerson\n  \
      badges ->> Badge people\n  clubs ->> Club people
      """
    let (schema, connection) = try database(
      people,
      changedBy: """
        ALTER TABLE Z_2PEOPLE RENAME COLUMN Z_3PEOPLE1 TO Z_3PEOPLE;
        ALTER TABLE Z_2PEOPLE RENAME COLUMN Z_FOK_3PEOPLE1 TO Z_FOK_3PEOPLE;
        ALTER TABLE Z_1PEOPLE RENAME TO Z_8PEOPLE;
        ALTER TABLE Z_8PEOPLE RENAME COLUMN Z_1BADGES TO Z_8BADGES
        """)
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.joinTables.map(\.name) == ["Z_8PEOPLE", "Z_2PEOPLE"])
    #expect(
      matched.joinTables.map(\.columns)
        == [["Z_8BADGES", "Z_3PEOPLE"], ["Z_2CLUBS", "Z_3PEOPLE", "Z_FOK_3PEOPLE"]])
  }

  @Test func `Columns of a join table with unknown names are distinguished by position`() throws {
    let (schema, connection) = try database(
      "A\n  bs ->> B as\nB\n  as ->> A bs",
      changedBy: """
        ALTER TABLE Z_1BS RENAME COLUMN Z_1AS TO Z_1OWNERS;
        ALTER TABLE Z_1BS RENAME COLUMN Z_2BS TO Z_2MEMBERS
        """)
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.joinTables.map(\.columns) == [["Z_1OWNERS", "Z_2MEMBERS"]])
  }

  @Test func `Two candidates for a column are an error`() throws {
    let (schema, connection) = try database(
      "A\n  x String",
      changedBy: "ALTER TABLE ZA RENAME COLUMN ZX TO ZX1; ALTER TABLE ZA ADD COLUMN ZX2")
    let error = try #require(throws: StoreError.self) {
      try schema.matched(to: connection, at: location)
    }
    #expect(error.context["column"] == "ZX")
  }

  @Test func `An entity is found under its former name by its number`() throws {
    let (schema, connection) = try database(
      "A\nB", changedBy: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Old' WHERE Z_ENT = 2")
    #expect(try schema.matched(to: connection, at: location).entity(named: "B")?.number == 2)
  }

  @Test func `An entity is found under its renaming identifier`() throws {
    let (schema, connection) = try database(
      "A\nB was=Old", changedBy: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Old', Z_ENT = 9 WHERE Z_ENT = 2"
    )
    #expect(try schema.matched(to: connection, at: location).entity(named: "B")?.number == 9)
  }

  @Test func `Unknown tables and columns are tolerated in any order`() throws {
    let (schema, connection) = try database(
      "A\n  x String",
      changedBy:
        """
        DROP TABLE ZA; CREATE TABLE \"ZA\"(ZEXTRA, ZX VARCHAR, Z_OPT, Z_ENT, Z_PK INTEGER \
        PRIMARY KEY); CREATE TABLE other(a)
        """
    )
    _ = try schema.matched(to: connection, at: location)
  }

  @Test func `Composite columns are found in other naming schemes`() throws {
    let (schema, connection) = try database(
      "A\n  place Composite elements=lat/Double",
      changedBy: "ALTER TABLE ZA RENAME COLUMN ZLAT TO ZPLACE_LAT")
    let matched = try schema.matched(to: connection, at: location)
    #expect(matched.entities[0].columns[0]?.leaves.map(\.name) == ["ZPLACE_LAT"])
  }

  @Test(arguments: [-1, 0, 1 << 20, 1 << 40, Int64.max])
  func `An impossible entity number counts as missing`(number: Int64) throws {
    let (schema, connection) = try database(
      "A\nB", changedBy: "UPDATE Z_PRIMARYKEY SET Z_ENT = \(number) WHERE Z_NAME = 'B'")
    let error = try #require(throws: StoreError.self) {
      try schema.matched(to: connection, at: location)
    }
    #expect(error.message.contains("no row for the entity B in Z_PRIMARYKEY"))
  }

  @Test(arguments: [
    ("ALTER TABLE ZA DROP COLUMN ZX", "ZA", "ZX"), ("DROP TABLE Z_1BS", "Z_1BS", nil),
    ("DROP TABLE ZB", "ZB", nil),
    ("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'B'", "Z_PRIMARYKEY", nil),
    ("ALTER TABLE Z_1BS DROP COLUMN Z_FOK_2BS", "Z_1BS", "Z_FOK_2BS"),
  ])
  func `Missing parts are named`(sql: String, table: String, column: String?) throws {
    let (schema, connection) = try database(
      "A\n  x String\n  bs ->> B as ordered\nB\n  as ->> A bs", changedBy: sql)
    let error = try #require(throws: StoreError.self) {
      try schema.matched(to: connection, at: location)
    }
    #expect(error.context["table"] == table)
    #expect(error.context["column"] == column)
    #expect(error.message.contains(column ?? table))
  }
}
