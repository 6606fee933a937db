/// The limits of this module, each with its reason.
enum Limits {
  /// The number of blocks that a queue runs in one turn.
  ///
  /// The number amortizes the call without delaying a waiting caller for long.
  static let blocksPerTurn = 64

  /// The number of queue items for which an idle queue keeps memory.
  ///
  /// After a burst, the memory is released.
  static let keptQueueItems = 256

  /// The default lock timeout of a store, in seconds.
  ///
  /// Apple uses the same value.
  static let storeTimeoutSeconds = 240.0

  /// The maximum number of rows on an in-memory store's page.
  ///
  /// A page lives as long as any of its rows.
  static let rowsOfMemoryPage = 128

  /// The maximum number of edits of a results list that are made one by one.
  ///
  /// Each edit moves the later references in memory. More edits cost more than building the list
  /// again.
  static let singleListEdits = 64

  /// The number of rows in each save while a store is copied, as in Apple's example of 2012.
  ///
  /// The rows and their copies fit in memory.
  static let rowsOfCopyingSave = 500

  /// The bytes of values from files after which a save of a copy ends early.
  ///
  /// Each save holds its values in memory.
  static let fileBytesOfCopyingSave = 8 << 20

  /// The highest key of a row that is copied.
  ///
  /// A copy reserves as many keys as the highest key of its source; this leaves room for millions
  /// of copies.
  static let highestCopiedKey: Int64 = 1 << 40

  /// The largest XML store that is read and written.
  ///
  /// It is held in memory several times while it is read.
  static let bytesOfXMLStore = 512 << 20

  /// The maximum number of elements of an XML store.
  ///
  /// Each takes some 200 bytes while the file is read.
  static let elementsOfXMLStore = 16 << 20

  /// The largest binary store that is read and written.
  ///
  /// The whole file is held in memory.
  static let bytesOfBinaryStore = 1 << 30

  /// The maximum number of values in the property list of a binary store.
  ///
  /// A small file can expand to many values, because containers in this format can share values.
  static let valuesOfBinaryStore = 64 << 20

  /// The number of rows that a batch insertion has in memory at once.
  ///
  /// The fixed cost of each step is then small compared with that of its rows.
  static let rowsOfBatch = 256

  /// The number of results after which an asynchronous fetch reports its progress: the size of a
  /// page of rows.
  static let resultsPerReport = 256

  /// The maximum number of reads of an asynchronous fetch outside its context's queue.
  ///
  /// A context that saves all the time would make the fetch retry forever, so the next read is on
  /// the queue.
  static let readsOutsideOfQueue = 3

  /// The maximum number of a relationship's members whose rows are read together.
  ///
  /// Reading one member of a long relationship must not read all of it.
  static let membersOfBatch = 256
}
