package import ObjectRows
package import SQLiteDriver

/// An open store that matches its model.
package struct OpenedStore {
  package let location: StoreLocation
  package let options: StoreOptions
  /// The schema, with the numbers and names in the file.
  package let schema: StoreSchema
  package let identity: StoreIdentity
  package let metadata: StoreMetadata
  /// The tables of the history, if the file has them.
  package let history: HistoryLayout?
  /// The full-text indexes of the file that match the model.
  package let fullTextIndexes: [FullTextIndex]
  /// Why the store is read-only; nil if it can be written.
  package let readOnlyReason: ReadOnlyReason?
  /// The connection that writes, with the store's functions; a reading one if the store is
  /// read-only.
  package let connection: Connection
  /// Opens another connection for reading, with the store's functions; nil for a store in memory.
  ///
  /// Connections can read during a write only if `readsWhileWriting` is true.
  package let makeReader: (@Sendable () throws(StoreError) -> Connection)?
  /// Whether the file has a write-ahead log, or gets one with the first write.
  ///
  /// Readers and the writer then do not wait for each other.
  package let readsWhileWriting: Bool
  /// The journal mode that the first write sets, if the file has another one now.
  let journalModeForWriting: JournalMode?

  package var isReadOnly: Bool { readOnlyReason != nil }

  /// The folder for large values in external files; nil in memory.
  var valueFolder: ValueFolder? {
    location.externalDataFolder.map { ValueFolder(url: $0, files: options.files) }
  }

  /// The settings that the store's connections share.
  package var connectionSettings: ConnectionSettings {
    var settings = ConnectionSettings(location: connection.location)
    settings.isReadOnly = isReadOnly
    settings.maximumConnections = options.maximumConnections
    return settings
  }

  /// Whether saves are recorded in the history.
  package var tracksHistory: Bool { options.tracksHistory && history != nil && !isReadOnly }

  /// Closes a store that no row store uses.
  package func close() throws(StoreError) {
    try location.sqlite { () throws(SQLiteError) in try connection.close() }
  }

  /// Prepares the connection for the first write; call it once before that.
  ///
  /// Until then the file does not change: it keeps its journal mode and the content of its log.
  package func prepareForWriting() throws(StoreError) {
    precondition(!isReadOnly, "The store \(location.path) was opened for reading.")
    do { try writePreparation(connection) } catch { throw StoreError(error, at: location) }
  }

  /// The work of `prepareForWriting`, as a closure that does not retain the other values.
  var writePreparation: @Sendable (Connection) throws(SQLiteError) -> Void {
    { [journalModeForWriting] connection throws(SQLiteError) in
      try connection.setCheckpointsOnClose(true)
      if let journalModeForWriting { try connection.set(.journalMode, to: journalModeForWriting) }
    }
  }
}

/// Why a store is read-only.
package enum ReadOnlyReason: Hashable, Sendable {
  /// The options ask for it.
  case requested
  /// The file or its folder cannot be written.
  case notWritable
  /// The store has a history that the options do not ask to continue, so the history would miss
  /// changes.
  case historyWithoutOption
}
