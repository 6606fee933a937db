import ManagedObjectModel
import ObjectRows

/// One step of writing a row: a slot and the parameters that take its value.
struct ColumnWrite {
  let form: ColumnEncoding
  let slot: RowSlot
  let ordinal: Int
  let parameter: Int
  /// For a to-one relationship, whether the parameter after it takes the number of the
  /// destination's entity.
  let hasEntityParameter: Bool
  /// The leaves of a composite attribute, whose parameters follow one another.
  let leaves: [CompositeLeaf]
}

/// The columns of a statement that writes rows, and how their parameters are bound.
struct ColumnWrites {
  private(set) var columns: [WrittenColumn] = []
  private(set) var writes: ContiguousArray<ColumnWrite> = []
  private var nextParameter: Int

  /// A column, the parameter that it takes, and what decides it.
  struct WrittenColumn {
    let name: String
    let parameter: Int
    /// The column of the place in an ordered relationship that loses its meaning when this one
    /// changes.
    let orderColumn: String?
  }

  init(firstParameter: Int) { nextParameter = firstParameter }

  /// The parameter after those of the columns.
  var parameterAfter: Int { nextParameter }

  /// Whether a value may lie in a file.
  var hasExternalValues: Bool {
    writes.contains { $0.form == .taggedData || $0.form == .taggedEncoded }
  }

  /// Adds the columns of a property; none for what the store computes or does not keep.
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
