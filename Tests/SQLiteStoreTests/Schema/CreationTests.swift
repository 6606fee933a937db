import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite(.requiresFixtures) struct `Statements that create a store` {
  /// Stores with today's index names that contain their model.
  static let current = FixtureStore.withModel.filter {
    $0.hasModelCache && !$0.name.contains("Moody") && !$0.name.contains("XCServer")
  }

  /// Stores with other index names and with constraints in the tables.
  static let older = FixtureStore.withModel.filter { store in
    !current.contains { $0.name == store.name }
  }

  private func statements(for store: FixtureStore) throws -> [String] {
    let model = try store.hasModelCache ? store.cachedModel() : store.model()
    return try StoreSchema(layouts: .of(model), configuration: nil).creationStatements()
  }

  @Test(arguments: current)
  func `The statements are Apple's in Apple's order`(store: FixtureStore) throws {
    let expected = try store.statements().filter { !$0.contains(/\sA(CHANGE|TRANSACTION)/) }
    let ours = try statements(for: store)
    #expect(ours == expected)
  }

  @Test(arguments: older)
  func `Apple's older tables can be created`(store: FixtureStore) throws {
    let isTable = { (sql: String) in sql.hasPrefix("CREATE TABLE") && !sql.contains("Z_MODELCACHE")
    }
    let expected = try store.statements().filter(isTable)
      .map { $0.replacing(/, CONSTRAINT \w+ UNIQUE \([^)]*\)\)/, with: " )") }
    #expect(Set(try statements(for: store).filter(isTable)) == Set(expected))
  }

  @Test(arguments: older)
  func `Indexes have the same columns as in older frameworks`(store: FixtureStore) throws {
    try store.withConnection { apple in
      let ours = try Connection(.memory)
      for statement in try statements(for: store) { try ours.execute(statement) }
      #expect(try indexedColumns(ours) == indexedColumns(apple))
    }
  }

  /// The columns and the uniqueness of every index.
  private func indexedColumns(_ connection: Connection) throws -> Set<[Value]> {
    let rows = try connection.rows(
      """
      SELECT t.name, i."unique", (SELECT group_concat(name) FROM pragma_index_info(i.name))
      FROM sqlite_schema t, pragma_index_list(t.name) i WHERE t.type = 'table'
      """)
    return Set(rows)
  }
}

@Suite struct `History tables` {
  @Test(.requiresFixtures) func `The tables are Apple's`() throws {
    let store = try FixtureStore.named("CoreDataPlus__SampleModel2_V2.sqlite")
    let expected = try store.statements().filter { $0.contains(/\sA(CHANGE|TRANSACTION)/) }
    #expect(HistoryTables.creationStatements(tombstones: 0) == expected)
  }

  @Test func `The tables have a column for each value of a deleted row`() throws {
    let connection = try Connection(.memory)
    for statement in HistoryTables.creationStatements(tombstones: 2) {
      try connection.execute(statement)
    }
    let names = try connection.rows("SELECT name FROM pragma_table_info('ACHANGE')").map { $0[0] }
    #expect(names.suffix(3) == [.text("ZCOLUMNS"), .text("ZTOMBSTONE0"), .text("ZTOMBSTONE1")])
  }
}
