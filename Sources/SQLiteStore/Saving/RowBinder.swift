import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Binds the values of rows to statement parameters, directly from the rows' memory.
struct RowBinder {
  let numbers: EntityNumbers
  let files: ExternalFiles

  /// Binds the values of the slots of a row.
  @inline(__always)
  func bind(
    _ writes: ContiguousArray<ColumnWrite>, of row: RowReference, _ layout: RowLayout,
    to statement: inout Statement
  )
    throws
  {
    for index in writes.indices {
      let (form, slot, parameter) = (
        writes[index].form, writes[index].slot, writes[index].parameter
      )
      if slot.isNull(in: row) {
        try bindNull(writes[index], to: &statement)
        continue
      }
      switch form {
      case .int64: try statement.bind(slot.load(from: row, as: Int64.self), at: parameter)
      case .int32: try statement.bind(Int64(slot.load(from: row, as: Int32.self)), at: parameter)
      case .int16: try statement.bind(Int64(slot.load(from: row, as: Int16.self)), at: parameter)
      case .bool: try statement.bind(slot.load(from: row, as: Bool.self) ? 1 : 0, at: parameter)
      case .double, .date: try statement.bind(slot.load(from: row, as: Double.self), at: parameter)
      case .float: try statement.bind(Double(slot.load(from: row, as: Float.self)), at: parameter)
      case .string: try bindText(slot, of: row, layout, to: &statement, at: parameter)
      case .uuid: try bind(slot.load(from: row, as: UUID.self), to: &statement, at: parameter)
      case .toOne:
        let value = slot.load(from: row, as: ToOneValue.self)
        try bind(value, writes[index].hasEntityParameter, to: &statement, at: parameter)
      case .data, .url, .decimal, .taggedData, .encoded, .taggedEncoded, .composite:
        try bindRare(writes[index], of: row, layout, to: &statement)
      }
    }
  }

  @inline(__always)
  private func bindText(
    _ slot: RowSlot, of row: RowReference, _ layout: RowLayout, to statement: inout Statement,
    at parameter: Int
  ) throws(SQLiteError) {
    try slot.withText(in: row) { (text) throws(SQLiteError) in
      if let text {
        try statement.bind(text, at: parameter)
      } else {
        try statement.bindNull(at: parameter)
      }
    }
  }

  func bind(_ uuid: UUID, to statement: inout Statement, at parameter: Int) throws(SQLiteError) {
    var bytes = uuid.uuid
    try unsafe withUnsafeBytes(of: &bytes) { (bytes) throws(SQLiteError) in
      try statement.bind(blob: unsafe RawSpan(_unsafeBytes: bytes), at: parameter)
    }
  }

  @inline(__always)
  private func bind(
    _ value: ToOneValue, _ hasEntityParameter: Bool, to statement: inout Statement,
    at parameter: Int
  ) throws(SQLiteError) {
    assert(
      value.key > 0,
      "A related object has no permanent key, because none was obtained.")
    try statement.bind(value.key, at: parameter)
    if hasEntityParameter {
      try statement.bind(numbers.number(ofLayout: value.layoutIndex), at: parameter + 1)
    }
  }

  /// Binds NULL to all parameters of a value, because a reused statement keeps its bindings.
  @inline(never)
  private func bindNull(_ write: ColumnWrite, to statement: inout Statement) throws(SQLiteError) {
    let count = write.form == .composite ? write.leaves.count : write.hasEntityParameter ? 2 : 1
    for offset in 0..<count { try statement.bindNull(at: write.parameter + offset) }
  }

  @inline(never)
  private func bindRare(
    _ write: ColumnWrite, of row: RowReference, _ layout: RowLayout, to statement: inout Statement
  ) throws {
    let (slot, parameter) = (write.slot, write.parameter)
    switch write.form {
    case .data: try bind(slot.load(from: row, as: Data?.self), to: &statement, at: parameter)
    case .url:
      let url = slot.load(from: row, as: URL?.self)
      if let url {
        try statement.bind(url.absoluteString, at: parameter)
      } else {
        try statement.bindNull(at: parameter)
      }
    case .decimal: try bind(slot.load(from: row, as: Decimal.self), to: &statement, at: parameter)
    case .composite:
      let box = slot.load(from: row, as: BoxedValue?.self)
      try bindLeaves(
        write, of: (box as? DecodedValue)?.value as? [String: Any] ?? [:], to: &statement)
    default:
      let box = slot.load(from: row, as: BoxedValue?.self)
      try bind(stored(box, write, layout), to: &statement, at: parameter)
    }
  }

  private func bind(_ data: Data?, to statement: inout Statement, at parameter: Int)
    throws(SQLiteError)
  {
    guard let data else { return try statement.bindNull(at: parameter) }
    try statement.bind(blob: data.bytes, at: parameter)
  }

  /// Binds an integral decimal as an integer, and others as the floating-point number with the same
  /// digits.
  private func bind(_ decimal: Decimal, to statement: inout Statement, at parameter: Int)
    throws(SQLiteError)
  {
    let text = decimal.description
    if let whole = Int64(text) {
      try statement.bind(whole, at: parameter)
    } else if let number = Double(text) {
      try statement.bind(number, at: parameter)
    } else {
      try statement.bindNull(at: parameter)
    }
  }

  /// The bytes of a column for a box.
  private func stored(_ box: BoxedValue?, _ write: ColumnWrite, _ layout: RowLayout) throws -> Data?
  {
    switch box {
    case let box as EncodedValue: return write.isExternal ? try files.stored(box.data) : box.data
    case let box as BinaryValue: return write.isExternal ? try files.stored(box.data) : box.data
    case let box as ExternalValue: return write.isExternal ? try files.stored(box) : try box.data()
    case nil: return nil
    default:
      let names = "\(layout.entity.name ?? "").\(layout.properties[write.ordinal].name)"
      preconditionFailure("A value of \(names) was not turned into bytes before the save.")
    }
  }

  private func bindLeaves(
    _ write: ColumnWrite, of value: [String: Any], to statement: inout Statement
  ) throws {
    for (offset, leaf) in write.leaves.enumerated() {
      let value = leaf.path.dropLast().reduce(Optional(value)) { $0?[$1] as? [String: Any] }?[
        leaf.path.last ?? ""]
      try bind(any: value, to: &statement, at: write.parameter + offset)
    }
  }

  /// Binds a value of any type that an attribute can have.
  func bind(any value: Any?, to statement: inout Statement, at parameter: Int) throws {
    switch value {
    case let text as String: try statement.bind(text, at: parameter)
    case let date as Date: try statement.bind(date.timeIntervalSinceReferenceDate, at: parameter)
    case let uuid as UUID: try bind(uuid, to: &statement, at: parameter)
    case let url as URL: try statement.bind(url.absoluteString, at: parameter)
    case let data as Data: try bind(data, to: &statement, at: parameter)
    case let decimal as NSDecimalNumber:
      try bind(decimal.decimalValue, to: &statement, at: parameter)
    case let decimal as Decimal: try bind(decimal, to: &statement, at: parameter)
    case let box as EncodedValue: try bind(box.data, to: &statement, at: parameter)
    case let box as BinaryValue: try bind(box.data, to: &statement, at: parameter)
    case let number as NSNumber: try bind(number, to: &statement, at: parameter)
    default: try statement.bindNull(at: parameter)
    }
  }

  private func bind(_ number: NSNumber, to statement: inout Statement, at parameter: Int)
    throws(SQLiteError)
  {
    let isFloating = unsafe ["f", "d"].contains(String(cString: number.objCType))
    if isFloating {
      try statement.bind(number.doubleValue, at: parameter)
    } else {
      try statement.bind(number.int64Value, at: parameter)
    }
  }
}
