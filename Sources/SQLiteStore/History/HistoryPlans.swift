import ManagedObjectModel
import ObjectRows
internal import Synchronization

/// The history's statements and columns for each entity, made when they are first needed.
final class HistoryPlans: Sendable {
  private let schema: StoreSchema
  private let plans = Mutex<[Int: HistoryPlan]>([:])

  init(_ schema: StoreSchema) { self.schema = schema }

  func plan(for layout: RowLayout) throws(StoreError) -> HistoryPlan {
    if let plan = plans.withLock({ $0[layout.index] }) { return plan }
    let plan = HistoryPlan(try schema.requireEntity(layout))
    plans.withLock { $0[layout.index] = plan }
    return plan
  }
}

/// The history's statement and columns for one entity.
// Sendable: immutable after initialization.
final class HistoryPlan: @unchecked Sendable {
  struct Preserved {
    let name: String
    let form: ColumnEncoding
    /// The column in the entity's table; nil for a value that is not preserved because it is in a
    /// file or in several columns.
    let column: String?
  }

  let schema: EntitySchema
  let bitmap: HistoryBitmap
  /// The attributes whose values are preserved after deletion, in the order of the columns that
  /// they fill.
  let preserved: [Preserved]
  /// The statement that reads these values.
  let selectPreserved: String?

  init(_ schema: EntitySchema) {
    self.schema = schema
    bitmap = HistoryBitmap(schema)
    preserved = schema.preservedOrdinals.compactMap { ordinal in
      guard let column = schema.columns[ordinal],
        let form = ColumnEncoding(schema.layout.properties[ordinal])
      else {
        return nil
      }
      let isKept = form != .composite && form != .taggedData && form != .taggedEncoded
      return Preserved(
        name: schema.layout.properties[ordinal].name, form: form, column: isKept ? column.name : nil
      )
    }
    let columns = preserved.map { $0.column ?? "NULL" }.joined(separator: ", ")
    selectPreserved =
      preserved.isEmpty ? nil : "SELECT \(columns) FROM \(schema.table) WHERE Z_PK = ?"
  }
}
