package import ObjectRows
package import SQLiteDriver

/// A store that is open and fits its model.
package struct OpenedStore {
  package let location: StoreLocation
  package let options: StoreOptions
  /// The schema, with the numbers and names that the file has.
  package let schema: StoreSchema
  package let identity: StoreIdentity
  package let metadata: StoreMetadata
  /// The tables of the history, where the file has them.
  package let history: HistoryLayout?
  /// Why nothing can be written, or nil where everything can.
  package let readOnlyReason: ReadOnlyReason?
  /// The connection that writes, with the store's functions; where nothing can be written, one that
  /// reads.
  package let connection: Connection
  /// Opens a further connection for reading, with the store's functions.
  ///
  /// It is nil where there can be no other: in memory. Connections read while another writes only
  /// where `readsWhileWriting` is true.
  package let makeReader: (@Sendable () throws(StoreError) -> Connection)?
  /// Whether the file has a write-ahead log, so that reading and writing do not wait for each
  /// other.
  package let readsWhileWriting: Bool
  /// The journal that the file gets when it is first written, where it has another now.
  let journalModeForWriting: JournalMode?

  package var isReadOnly: Bool { readOnlyReason != nil }

  /// Where large values lie in files of their own; nil in memory.
  var valueFolder: ValueFolder? {
    location.externalDataFolder.map { ValueFolder(url: $0, files: options.files) }
  }

  /// What the store's connections have in common.
  package var connectionSettings: ConnectionSettings {
    var settings = ConnectionSettings(location: connection.location)
    settings.isReadOnly = isReadOnly
    settings.mostConnections = options.mostConnections
    return settings
  }

  /// Whether saves are recorded in the history.
  package var tracksHistory: Bool { options.tracksHistory && history != nil && !isReadOnly }

  /// Makes the connection ready for the first write; to be called once before it.
  ///
  /// Until then the file stays byte for byte as it was found: it keeps its kind of journal, and
  /// what lies in its log.
  package func prepareForWriting() throws(StoreError) {
    precondition(!isReadOnly, "The store \(location.path) was opened for reading.")
    do { try writePreparation(connection) } catch { throw StoreError(error, at: location) }
  }

  /// What `prepareForWriting` does to the connection, for who keeps nothing else of this value.
  var writePreparation: @Sendable (Connection) throws(SQLiteError) -> Void {
    { [journalModeForWriting] connection throws(SQLiteError) in
      try connection.setCheckpointsOnClose(true)
      if let journalModeForWriting { try connection.set(.journalMode, to: journalModeForWriting) }
    }
  }
}

/// Why a store was opened for reading only.
package enum ReadOnlyReason: Hashable, Sendable {
  /// The options say so.
  case requested
  /// The file or its folder cannot be written.
  case notWritable
  /// The store has a history, and the options do not ask to continue it: changes would be missing
  /// there.
  case historyWithoutOption
}
