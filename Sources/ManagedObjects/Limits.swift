/// The bounds of this module, each with its reason.
enum Limits {
  /// How many blocks a queue runs in one turn of its lane: enough that calling the lane costs
  /// little beside them, few enough that a caller who waits is not kept for long.
  static let blocksPerTurn = 64

  /// How many items a queue keeps memory for: a burst should not cost memory for ever.
  static let keptQueueItems = 256

  /// How long a store is tried to be locked where nothing else is said: Apple's figure.
  static let storeTimeoutSeconds = 240.0

  /// How many rows a page of a store in memory has at most: a page lives as long as one of its rows
  /// does.
  static let rowsOfMemoryPage = 128

  /// How many rows a save writes while a store is copied: few enough to lie in memory with their
  /// copies.
  static let rowsOfCopyingSave = 1000
}
