/// The reading half of a transaction, valid while its body runs.
package protocol StorageReading: AnyObject {
  /// Lends the values of keys in the given order, each with its key's index; nil for a missing key.
  ///
  /// The bytes are valid until `visit` returns. An error from `visit` ends the iteration and is
  /// rethrown.
  func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws

  /// Lends the entries of a range in order, key and value.
  ///
  /// The bytes are valid until `visit` returns. `visit` may read but must not write.
  ///
  /// - Parameter limit: The maximum number of entries to visit.
  func visitEntries(
    in range: StorageRange, order: StorageOrder, limit: Int,
    _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
  ) throws
}

/// The direction in which entries are visited.
package enum StorageOrder: Hashable, Sendable, CaseIterable {
  /// From the lowest key to the highest.
  case ascending
  /// From the highest key to the lowest.
  case descending
}

/// Whether a visitor wants the next entry.
package enum VisitContinuation: Hashable, Sendable {
  case proceed
  case stop
}

/// A key and its value, copied.
package struct StorageEntry: Hashable, Sendable {
  package var key: StorageKey
  package var value: [UInt8]

  package init(key: StorageKey, value: [UInt8]) {
    self.key = key
    self.value = value
  }
}

// MARK: - Conveniences

extension StorageReading {
  /// Lends all entries of a range, in ascending order by default.
  package func visitEntries(
    in range: StorageRange, order: StorageOrder = .ascending,
    _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
  ) throws {
    try visitEntries(in: range, order: order, limit: .max, visit)
  }

  /// Lends the value of a key; returns nil, without calling `body`, if the key is missing.
  package func withValue<Result>(of key: StorageKey, _ body: (Span<UInt8>) throws -> Result) throws
    -> Result?
  {
    var result: Result?
    try visitValues(of: [key]) { _, value in
      if let value { result = try body(value) }
    }
    return result
  }

  /// The value of a key, copied.
  package func value(of key: StorageKey) throws -> [UInt8]? {
    try withValue(of: key) { Array(copying: $0) }
  }

  /// The values of keys, copied, in the given order.
  package func values(of keys: [StorageKey]) throws -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    values.reserveCapacity(keys.count)
    try visitValues(of: keys) { _, value in
      if let value { values.append(Array(copying: value)) } else { values.append(nil) }
    }
    return values
  }

  /// The entries of a range, copied.
  package func entries(
    in range: StorageRange, order: StorageOrder = .ascending, limit: Int = .max
  ) throws -> [StorageEntry] {
    var entries: [StorageEntry] = []
    try visitEntries(in: range, order: order, limit: limit) { key, value in
      entries.append(
        StorageEntry(key: StorageKey(bytes: Array(copying: key)), value: Array(copying: value)))
      return .proceed
    }
    return entries
  }
}

extension [UInt8] {
  /// Creates an array with a copy of borrowed bytes.
  package init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
