import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// External values whose attribute or entity a migration removes.
struct DroppedValues {
  let mapping: MigrationMapping

  /// Records the files of all dropped values, to be removed after the commit.
  func release(to values: ExternalValueFunctions, on connection: Connection) throws(SQLiteError) {
    for former in mapping.source.entities {
      let kept = keptOrdinals(of: former)
      for ordinal in former.layout.properties.indices where !kept.contains(ordinal) {
        guard let column = former.columns[ordinal],
          let attribute = former.layout.properties[ordinal] as? NSAttributeDescription,
          attribute.allowsExternalBinaryDataStorage
        else { continue }
        let rows = try connection.rows(
          """
          SELECT \(column.name) FROM \(former.table)
          WHERE Z_ENT = \(former.number) AND substr(\(column.name), 1, 1) = x'02'
          """)
        for case .blob(let bytes)? in rows.map(\.first) { values.release(stored: bytes) }
      }
    }
  }

  /// The properties of an entity that the newer model still has.
  private func keptOrdinals(of former: EntitySchema) -> Set<Int> {
    let entities = mapping.destination.entities.filter { mapping.source(of: $0) === former }
    return Set(
      entities.flatMap { entity in
        entity.columns.indices.filter { entity.columns[$0] != nil }
          .compactMap { mapping.sourceOrdinal(of: $0, in: entity) }
      })
  }
}
