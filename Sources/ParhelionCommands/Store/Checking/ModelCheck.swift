import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Checks the rows of a store whose tables and columns match its model.
struct ModelCheck: StoreCheckPart {
  let snapshot: StoreSnapshot
  let model: NSManagedObjectModel
  let layout: StoreLayout
  var findings = StoreFindings()

  init(_ snapshot: StoreSnapshot, model: NSManagedObjectModel, layout: StoreLayout) {
    self.snapshot = snapshot
    self.model = model
    self.layout = layout
  }

  var schema: StoreSchema { layout.schema }

  mutating func run() throws -> StoreFindings {
    for difference in snapshot.differences(from: model) {
      note("metadata", table: "Z_METADATA", "\(difference).")
    }
    note(layout.maintenanceDifferences)
    for difference in layout.deviations {
      warn("layout", table: difference.table, difference.message)
    }
    for trigger in layout.changedTriggers {
      warn(
        "layout", table: trigger.table,
        """
        The trigger \(trigger.name) differs from the one that the model requires; its effect \
        was not checked.
        """
      )
    }
    try checkParents()
    try registerValueFunctions(on: connection)
    for table in schema.tables {
      try checkValues(of: table)
      try checkTransformedValues(of: table)
      try checkToOne(of: table)
      for join in table.joinTables { try check(join, of: table) }
    }
    try checkInverses()
    try checkDerivedValues()
    try checkRegions()
    try checkWords()
    try checkUniqueness()
    try checkRequiredValues()
    try checkExternalFiles()
    return findings
  }

  private mutating func checkParents() throws(SQLiteError) {
    for entity in schema.entities {
      let parent = try connection.value(
        "SELECT Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.number)")
      guard case .integer(let number)? = parent, number != entity.superNumber else { continue }
      note(
        "primaryKey", table: "Z_PRIMARYKEY", row: Int64(entity.number),
        "\(entity.name) has the parent \(number) and not \(entity.superNumber).")
    }
  }

  /// Checks that full-text indexes contain the words of each row.
  private mutating func checkWords() throws(SQLiteError) {
    for index in layout.fullTextChecks {
      for statement in index.preparation { try connection.execute(statement) }
      try noteRows("words", of: index.table, index.differingRows) { _ in
        """
        The full-text index \(index.name) has other words for the row, so searches are wrong. Open \
        the store with the launch argument -com.apple.CoreData.SQLiteIntegrityCheck 1 to repair it.
        """
      }
      for statement in index.removal { try connection.execute(statement) }
    }
  }

  /// Checks that R-tree indexes contain each row with its bounds, and no other keys.
  private mutating func checkRegions() throws(SQLiteError) {
    for index in layout.spatialChecks {
      try noteRows("region", of: index.table, index.rowsOutOfPlace) { _ in
        """
        The R-tree index \(index.name) lacks the row, or has other bounds for it: searches by \
        region miss it.
        """
      }
      try noteRows("region", of: index.name, index.keysWithoutRows) { _ in
        "\(index.table) has no row with this key for the index."
      }
    }
  }
}
