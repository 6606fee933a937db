import ManagedObjectModel
import ObjectRows
import Synchronization

/// The rows that got derived values from triggers since the last call of `takeAll()`.
///
/// Only the writing connection runs triggers, so all notices belong to the current save.
final class DerivedNotices: Sendable {
  private struct Row: Hashable {
    let entityNumber: Int64
    let key: Int64
  }

  private let rows = Mutex<Set<Row>>([])

  func add(_ change: StoreFunctions.DerivedChange) {
    _ = rows.withLock { $0.insert(Row(entityNumber: change.entityNumber, key: change.key)) }
  }

  /// Removes and returns the rows, by entity and key.
  func takeAll() -> [(entityNumber: Int64, key: Int64)] {
    let taken = rows.withLock { rows in
      defer { rows = [] }
      return rows
    }
    return taken.map { ($0.entityNumber, $0.key) }.sorted { $0 < $1 }
  }
}

extension StoreSchema {
  /// Whether triggers compute values.
  var hasDerivedAttributes: Bool {
    entities.contains { $0.layout.properties.contains { $0 is NSDerivedAttributeDescription } }
  }
}

extension SQLiteRowStore {
  /// Removes and returns the rows that got values from triggers since the last call.
  func takeDerivedRows() -> [RowKey] {
    (derivedNotices?.takeAll() ?? []).compactMap { row in
      layout(ofEntity: row.entityNumber).map {
        RowKey(key: row.key, layoutIndex: Int32($0.index))
      }
    }
  }
}
