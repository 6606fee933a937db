import Foundation
package import ObjectRows
package import SQLiteDriver

/// Creates dictionaries from the rows of a `DictionaryStatement`.
///
/// A null has no entry. Numbers are `NSNumber`, decimals `NSDecimalNumber`, rows
/// `NSManagedObjectID`. A transformed value is an `EncodedValue`, and external bytes are an
/// `ExternalValue`: the caller knows the transformers and opens files if it needs the bytes.
package struct DictionaryReader {
  private let columns: [ResultColumn]
  private let layouts: ModelLayouts
  private let identity: StoreIdentity?
  private let reader: RowReader

  init(columns: [ResultColumn], layouts: ModelLayouts, identity: StoreIdentity?, reader: RowReader)
  {
    self.columns = columns
    self.layouts = layouts
    self.identity = identity
    self.reader = reader
  }

  /// Creates a reader for a fetch's rows.
  ///
  /// - Parameters:
  ///   - identity: The store of the object identifiers in the dictionaries.
  ///   - externalFolder: The folder of the store's external files.
  package init(
    columns: [ResultColumn], schema: StoreSchema, identity: StoreIdentity? = nil,
    externalFolder: ValueFolder? = nil
  ) {
    self.init(
      columns: columns, layouts: schema.layouts, identity: identity,
      reader: RowReader(numbers: EntityNumbers(schema), externalFolder: externalFolder))
  }

  /// The dictionary of a row.
  package func dictionary(from row: borrowing Row) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    dictionary.reserveCapacity(columns.count)
    for column in columns {
      switch column.content {
      case .value(let kind, let place): dictionary[column.name] = value(kind, at: place, of: row)
      case .composite(let leaves): dictionary[column.name] = composite(leaves, of: row)
      }
    }
    return dictionary
  }

  /// The elements of a composite value, as nested dictionaries; nil if none has a value.
  private func composite(
    _ leaves: [(path: [String], kind: ResultKind, column: Int)], of row: borrowing Row
  ) -> [String: Any]? {
    var composite: [String: Any] = [:]
    for leaf in leaves {
      if let value = value(leaf.kind, at: leaf.column, of: row) {
        composite.insert(value, at: leaf.path[...])
      }
    }
    return composite.isEmpty ? nil : composite
  }

  // MARK: Values

  private func value(_ kind: ResultKind, at column: Int, of row: borrowing Row) -> Any? {
    if row.isNull(at: column) { return nil }
    switch kind {
    case .attribute(let form):
      let value = row.anyValue(at: column, as: form, reader)
      return (value as? BinaryValue)?.data ?? value
    case .object(let layout): return identifier(layout, at: column, of: row)
    case .objectOfNumber:
      let layout = reader.numbers.layoutIndex(ofEntity: row.int64(at: column + 1))
      return layout < 0 ? nil : identifier(Int(layout), at: column, of: row)
    case .any: return any(at: column, of: row)
    }
  }

  private func identifier(_ layout: Int, at column: Int, of row: borrowing Row) -> NSManagedObjectID
  {
    NSManagedObjectID(
      layout: layouts[Int32(layout)], key: row.int64(at: column), storeIdentity: identity)
  }

  private func any(at column: Int, of row: borrowing Row) -> Any? {
    switch row.storageClass(at: column) {
    case .null: nil
    case .integer: NSNumber(value: row.int64(at: column))
    case .real: NSNumber(value: row.double(at: column))
    case .text: row.text(at: column)
    case .blob: row.data(at: column)
    }
  }
}
