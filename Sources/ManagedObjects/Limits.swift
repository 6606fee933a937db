/// The limits of this module, each with its reason.
enum Limits {
  /// The number of blocks that a queue runs in one turn: enough to amortize the call, few enough
  /// not to delay a waiting caller for long.
  static let blocksPerTurn = 64

  /// The number of queue items whose memory is kept.
  ///
  /// A burst must not use memory forever.
  static let keptQueueItems = 256

  /// The default lock timeout of a store, in seconds.
  ///
  /// Apple uses the same figure.
  static let storeTimeoutSeconds = 240.0

  /// The maximum number of rows on an in-memory store's page.
  ///
  /// A page lives as long as any of its rows.
  static let rowsOfMemoryPage = 128

  /// The number of rows in each save while a store is copied.
  ///
  /// They fit in memory with their copies.
  static let rowsOfCopyingSave = 1000
}
