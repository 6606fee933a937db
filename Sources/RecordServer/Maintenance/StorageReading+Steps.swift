import RecordStorage

extension StorageReading {
  /// The first entries of a range, as many as a maintenance step processes.
  ///
  /// Both their number and their size are bounded, since a record may have a megabyte.
  ///
  /// - Returns: The entries, and whether they are all of the range.
  func entriesOfStep(in range: StorageRange) throws -> (entries: [StorageEntry], isWhole: Bool) {
    var (entries, bytes, isWhole): ([StorageEntry], Int, Bool) = ([], 0, true)
    try visitEntries(in: range) { key, value in
      guard entries.count < ServerLimits.entriesPerStep, bytes < ServerLimits.bytesPerStep else {
        isWhole = false
        return .stop
      }
      bytes += value.count
      entries.append(
        StorageEntry(key: StorageKey(bytes: Array(copying: key)), value: Array(copying: value)))
      return .proceed
    }
    return (entries, isWhole)
  }
}
