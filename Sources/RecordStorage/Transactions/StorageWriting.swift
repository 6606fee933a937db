/// A transaction that can write, valid while its body runs.
///
/// It reads its own changes.
package protocol StorageWriting: StorageReading {
  /// Sets the value of a key, and replaces an existing one.
  func set(_ value: Span<UInt8>, for key: StorageKey) throws(StorageError)

  /// Removes a key and its value, if the key exists.
  func remove(_ key: StorageKey) throws(StorageError)

  /// Removes all entries of a range.
  func removeEntries(in range: StorageRange) throws(StorageError)
}

extension StorageWriting {
  /// Sets the value of a key, and replaces an existing one.
  package func set(_ value: [UInt8], for key: StorageKey) throws(StorageError) {
    try set(value.span, for: key)
  }
}
