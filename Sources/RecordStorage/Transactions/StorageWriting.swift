/// What a body writes with, for as long as its transaction runs; it reads its own changes.
package protocol StorageWriting: StorageReading {
  /// Gives a key its value, new or instead of the one it has.
  func set(_ value: Span<UInt8>, for key: StorageKey) throws(StorageError)

  /// Removes a key and its value; a key that is not there is none to remove.
  func remove(_ key: StorageKey) throws(StorageError)

  /// Removes all entries of a range.
  func removeEntries(in range: StorageRange) throws(StorageError)
}

extension StorageWriting {
  /// Gives a key its value, new or instead of the one it has.
  package func set(_ value: [UInt8], for key: StorageKey) throws(StorageError) {
    try set(value.span, for: key)
  }
}
