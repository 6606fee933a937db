import Foundation
import ObjectRows
import SQLiteDriver

/// Fills rows with the columns of a statement.
///
/// The loop over the columns is the hottest code of a store: it allocates only texts and bytes.
// Sendable: immutable after initialization.
final class RowReader: @unchecked Sendable {
  let numbers: EntityNumbers
  /// The folder of external files; nil if the store has none.
  let externalFolder: ValueFolder?

  init(numbers: EntityNumbers, externalFolder: ValueFolder?) {
    self.numbers = numbers
    self.externalFolder = externalFolder
  }

  /// Fills a row that has no values yet.
  @inline(__always)
  func fill(
    _ target: RowReference, on page: RowPage, from row: borrowing FunctionArguments,
    _ entity: EntityRead
  ) {
    let reads = entity.reads
    for index in 0..<reads.count {
      let read = reads[index]
      let column = Int(read.column)
      switch read.form {
      case .int64:
        guard let number = row.optionalInt64(at: column) else { continue }
        read.slot.initialize(number, in: target)
      case .int32:
        guard let number = row.optionalInt64(at: column) else { continue }
        read.slot.initialize(Int32(truncatingIfNeeded: number), in: target)
      case .int16:
        guard let number = row.optionalInt64(at: column) else { continue }
        read.slot.initialize(Int16(truncatingIfNeeded: number), in: target)
      case .bool:
        guard let number = row.optionalInt64(at: column) else { continue }
        read.slot.initialize(number != 0, in: target)
      case .double, .date:
        guard let number = row.optionalDouble(at: column) else { continue }
        read.slot.initialize(number, in: target)
      case .float:
        guard let number = row.optionalDouble(at: column) else { continue }
        read.slot.initialize(Float(number), in: target)
      case .string:
        _ = row.withText(at: column) { page.setText($0, read.slot, in: target) }
      case .toOne:
        guard let key = row.optionalInt64(at: column) else { continue }
        read.slot.initialize(
          ToOneValue(key: key, layoutIndex: destination(read, in: row)), in: target)
      case .uuid:
        // The bytes are used directly; the initializer of `UUID` takes sixteen arguments.
        guard let bytes = row.uuidBytes(at: column) else { continue }
        read.slot.initialize(bytes, in: target)
      case .data, .url, .decimal, .taggedData, .encoded, .taggedEncoded, .composite:
        fillRare(target, from: row, read, entity)
      }
    }
  }

  /// The index of the layout of a to-one relationship's destination.
  @inline(__always)
  private func destination(_ read: ColumnRead, in row: borrowing FunctionArguments) -> Int32 {
    guard read.companion >= 0 else { return read.destination }
    let named = numbers.layoutIndex(ofEntity: row.int64(at: Int(read.companion)))
    return named < 0 ? read.destination : named
  }

  @inline(never)
  private func fillRare(
    _ target: RowReference, from row: borrowing FunctionArguments, _ read: ColumnRead,
    _ entity: EntityRead
  ) {
    let column = Int(read.column)
    switch read.form {
    case .data:
      guard let data = row.data(at: column) else { return }
      read.slot.initialize(Optional(data), in: target)
    case .url:
      guard let url = row.text(at: column).flatMap({ URL(string: $0) }) else { return }
      read.slot.initialize(Optional(url), in: target)
    case .decimal:
      guard let decimal = row.decimal(at: column) else { return }
      read.slot.initialize(decimal, in: target)
    case .composite:
      guard let value = composite(entity.composites[Int(read.companion)], in: row) else { return }
      read.slot.initialize(Optional<BoxedValue>.some(DecodedValue(value)), in: target)
    default:
      guard let data = row.data(at: column) else { return }
      read.slot.initialize(Optional(box(data, as: read.form)), in: target)
    }
  }

  /// The box for transformed bytes, or for bytes that may be in a file.
  func box(_ data: Data, as form: ColumnEncoding) -> BoxedValue {
    if form == .encoded { return EncodedValue(data) }
    switch ExternalReference(stored: data) {
    case .file(let name):
      if let externalFolder { return ExternalValue(name: name, folder: externalFolder) }
      return form == .taggedEncoded ? EncodedValue(data) : BinaryValue(data)
    case .inline(let bytes):
      return form == .taggedEncoded ? EncodedValue(bytes) : BinaryValue(bytes)
    }
  }

  /// The dictionary of a composite attribute, without absent elements and empty groups.
  private func composite(_ composite: CompositeRead, in row: borrowing FunctionArguments)
    -> [String: Any]?
  {
    var result: [String: Any] = [:]
    for leaf in composite.leaves {
      guard let value = row.anyValue(at: Int(leaf.column), as: leaf.form, self) else { continue }
      result.insert(value, at: leaf.path[...])
    }
    return result.isEmpty ? nil : result
  }
}

extension [String: Any] {
  /// Inserts a value at a path of keys, and creates dictionaries along the path.
  mutating func insert(_ value: Any, at path: ArraySlice<String>) {
    guard let key = path.first else { return }
    let rest = path.dropFirst()
    if rest.isEmpty { return self[key] = value }
    var group = self[key] as? [String: Any] ?? [:]
    group.insert(value, at: rest)
    self[key] = group
  }
}
