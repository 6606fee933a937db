import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite(.requiresFixtures) struct `Planned schemas` {
  @Test(arguments: FixtureStore.withModel)
  func `The numbers are those of Apple's framework`(store: FixtureStore) throws {
    let schema = try StoreSchema(layouts: .of(store.model()), configuration: nil)
    let rows = try store.withConnection {
      try $0.rows(
        "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
    }
    #expect(
      schema.entities.map {
        [.integer(Int64($0.number)), .text($0.name), .integer(Int64($0.superNumber))]
      } == rows)
  }

  @Test(arguments: FixtureStore.withModel)
  func `The columns are those of Apple's tables in their order`(store: FixtureStore) throws {
    let schema = try StoreSchema(layouts: .of(store.model()), configuration: nil)
    try store.withConnection { connection in
      for table in schema.tables {
        let columns = try connection.rows(
          "SELECT name, type FROM pragma_table_info(?) ORDER BY cid", [.text(table.name)])
        let planned = table.columns.map { [Value.text($0.name), .text($0.kind.sqlType)] }
        #expect(Array(columns.dropFirst(3)) == planned, "\(store.name) \(table.name)")
      }
    }
  }

  @Test(arguments: FixtureStore.withModel)
  func `The join tables are Apple's with their columns`(store: FixtureStore) throws {
    let schema = try StoreSchema(layouts: .of(store.model()), configuration: nil)
    let tables = try store.definitions("table").filter {
      $0.key.wholeMatch(of: /Z_[0-9]+.*/) != nil
    }
    #expect(Set(schema.joinTables.map(\.name)) == Set(tables.keys))
    try store.withConnection { connection in
      for table in schema.joinTables {
        let columns = try connection.rows(
          "SELECT name FROM pragma_table_info(?) ORDER BY cid", [.text(table.name)])
        #expect(columns == table.columns.map { [.text($0)] })
      }
    }
  }
}
