import ManagedObjectModel
import ObjectRows
import Synchronization

/// The rows to which triggers gave derived values since somebody asked last.
///
/// Only the connection that writes runs triggers, so that the notices of a save are all its own.
final class DerivedNotices: Sendable {
  private struct Row: Hashable {
    let entityNumber: Int64
    let key: Int64
  }

  private let rows = Mutex<Set<Row>>([])

  func add(_ change: StoreFunctions.DerivedChange) {
    _ = rows.withLock { $0.insert(Row(entityNumber: change.entityNumber, key: change.key)) }
  }

  /// The rows by entity and key, which are forgotten with this.
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
