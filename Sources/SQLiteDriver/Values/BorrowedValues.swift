/// Values that SQLite lends temporarily: the columns of a row, or the arguments of a function.
///
/// Indexes count from 0. Reading converts as SQLite does: a text read as an integer is parsed, NULL
/// is 0, and an absent value reads as NULL. Texts and blobs can be borrowed without a copy. While a
/// value's bytes are borrowed, do not read that value as another type: the conversion may move
/// them.
public protocol BorrowedValues: ~Copyable {
  /// The storage class of a value; valid only before another read of the value converts it.
  func storageClass(at index: Int) -> StorageClass

  /// Whether a value is NULL.
  func isNull(at index: Int) -> Bool

  /// An integer; 0 for NULL.
  func int64(at index: Int) -> Int64

  /// A floating-point number; 0 for NULL.
  func double(at index: Int) -> Double

  /// Calls `body` with the UTF-8 bytes of a text; returns nil, without the call, for NULL.
  func withText<Result, Failure>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result?

  /// Calls `body` with the bytes of a blob; returns nil, without the call, for NULL.
  func withBlob<Result, Failure>(
    at index: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result?
}

// MARK: - Zero or NULL

extension BorrowedValues where Self: ~Copyable {
  /// An integer, or nil for NULL; only a zero is tested for NULL.
  @inlinable @inline(__always)
  package func optionalInt64(at index: Int) -> Int64? {
    let number = int64(at: index)
    return number == 0 && isNull(at: index) ? nil : number
  }

  /// A floating-point number, or nil for NULL; only a zero is tested for NULL.
  @inlinable @inline(__always)
  package func optionalDouble(at index: Int) -> Double? {
    let number = double(at: index)
    return number == 0 && isNull(at: index) ? nil : number
  }
}

// MARK: - Copies

extension BorrowedValues where Self: ~Copyable {
  /// A text, copied; nil for NULL.
  ///
  /// Bytes that are not UTF-8 become replacement characters.
  @inlinable
  package func text(at index: Int) -> String? {
    withText(at: index) { utf8 in String(copying: utf8) }
  }

  /// A blob, copied; nil for NULL.
  package func blob(at index: Int) -> [UInt8]? {
    withBlob(at: index) { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
  }

  /// A value in its own storage class.
  package func value(at index: Int) -> Value {
    switch storageClass(at: index) {
    case .null: .null
    case .integer: .integer(int64(at: index))
    case .real: .real(double(at: index))
    case .text: text(at: index).map(Value.text) ?? .null
    case .blob: blob(at: index).map(Value.blob) ?? .null
    }
  }
}
