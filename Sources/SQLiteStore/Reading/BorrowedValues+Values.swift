import Foundation
import ObjectRows
import SQLiteDriver

/// Reads a row's columns as attribute values.
///
/// If a column's storage class does not match the attribute, SQLite's conversion applies, or the
/// value is nil. A row that another program wrote never stops the process.
extension BorrowedValues where Self: ~Copyable {
  /// Sixteen bytes as a UUID; a UUID that was written as text is accepted too.
  @inline(__always)
  func uuidBytes(at column: Int) -> uuid_t? {
    let bytes: uuid_t?? = withBlob(at: column) { bytes in
      guard bytes.byteCount == 16 else { return nil }
      // The length was checked.
      return unsafe bytes.unsafeLoadUnaligned(as: uuid_t.self)
    }
    guard let bytes else { return nil }
    return bytes ?? text(at: column).flatMap { UUID(uuidString: $0)?.uuid }
  }

  func data(at column: Int) -> Data? {
    withBlob(at: column) { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
  }

  /// A floating-point number as its shortest decimal: 10.11 stays 10.11.
  func decimal(at column: Int) -> Decimal? {
    switch storageClass(at: column) {
    case .null: nil
    case .integer: Decimal(int64(at: column))
    case .real: Decimal(string: double(at: column).description)
    case .text, .blob: text(at: column).flatMap { Decimal(string: $0, locale: nil) }
    }
  }

  /// A value as key-value coding returns it, boxed if necessary.
  func anyValue(at column: Int, as form: ColumnEncoding, _ reader: RowReader) -> Any? {
    if isNull(at: column) { return nil }
    switch form {
    case .bool: return NSNumber(value: int64(at: column) != 0)
    case .int16: return NSNumber(value: Int16(truncatingIfNeeded: int64(at: column)))
    case .int32: return NSNumber(value: Int32(truncatingIfNeeded: int64(at: column)))
    case .int64, .toOne: return NSNumber(value: int64(at: column))
    case .float: return NSNumber(value: Float(double(at: column)))
    case .double: return NSNumber(value: double(at: column))
    case .date: return Date(timeIntervalSinceReferenceDate: double(at: column))
    case .uuid: return uuidBytes(at: column).map { UUID(uuid: $0) }
    case .decimal: return decimal(at: column).map { NSDecimalNumber(decimal: $0) }
    case .string: return text(at: column)
    case .url: return text(at: column).flatMap { URL(string: $0) }
    case .data: return data(at: column)
    case .taggedData, .encoded, .taggedEncoded:
      return data(at: column).map { reader.box($0, as: form) }
    case .composite: return nil
    }
  }
}
