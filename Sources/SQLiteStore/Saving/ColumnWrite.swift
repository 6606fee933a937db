import ManagedObjectModel
import ObjectRows

/// One step of writing a row: a slot, and the parameters for its value.
struct ColumnWrite {
  let form: ColumnEncoding
  let slot: RowSlot
  let ordinal: Int
  let parameter: Int
  /// For a to-one relationship, whether the next parameter takes the number of the destination's
  /// entity.
  let hasEntityParameter: Bool
  /// The leaves of a composite attribute, which have consecutive parameters.
  let leaves: [CompositeLeaf]
}

/// The columns of a statement that writes rows, with their parameters.
struct ColumnWrites {
  private(set) var columns: [WrittenColumn] = []
  private(set) var writes: ContiguousArray<ColumnWrite> = []
  private var nextParameter: Int

  /// A column, its parameter, and the columns that depend on it.
  struct WrittenColumn {
    let name: String
    let parameter: Int
    /// The order column that becomes invalid when this column changes.
    let orderColumn: String?
  }

  init(firstParameter: Int) { nextParameter = firstParameter }

  /// The parameter after those of the columns.
  var parameterAfter: Int { nextParameter }

  /// Whether any value may be in a file.
  var hasExternalValues: Bool {
    writes.contains { $0.form == .taggedData || $0.form == .taggedEncoded }
  }

  /// Adds the columns of a property; none for a computed or transient property.
  mutating func add(_ ordinal: Int, of schema: EntitySchema) {
    let property = schema.layout.properties[ordinal]
    guard let column = schema.columns[ordinal], let form = ColumnEncoding(property),
      !(property is NSDerivedAttributeDescription)
    else { return }
    writes.append(
      ColumnWrite(
        form: form, slot: schema.layout.slots[ordinal], ordinal: ordinal, parameter: nextParameter,
        hasEntityParameter: column.entityColumn != nil, leaves: column.leaves))
    if form == .composite {
      for leaf in column.leaves { append(leaf.name) }
    } else {
      append(column.name, orderColumn: column.orderColumn)
      if let entityColumn = column.entityColumn { append(entityColumn) }
    }
  }

  private mutating func append(_ name: String, orderColumn: String? = nil) {
    columns.append(WrittenColumn(name: name, parameter: nextParameter, orderColumn: orderColumn))
    nextParameter += 1
  }
}
