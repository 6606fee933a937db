import Foundation
import ObjectRows
import SQLiteDriver

/// The maintenance of a store that matches its model, before its first use: history, journal,
/// statistics, vacuum.
struct StoreMaintenance {
  let schema: StoreSchema
  let connections: StoreConnections

  struct State {
    var history: HistoryLayout?
    var fullTextIndexes: [FullTextIndex] = []
    var readOnlyReason: ReadOnlyReason?
    var journalMode = JournalMode.delete
    var journalModeForWriting: JournalMode?
  }

  func run(on connection: Connection, isWritable: Bool) throws(StoreError) -> State {
    let wanted = try connections.journalMode()
    return try connections.location.sqlite { () throws(SQLiteError) in
      var state = State(history: try HistoryLayout(connection))
      state.journalMode = try connection.get(.journalMode)
      let fullText = FullTextMaintenance(schema: schema, options: connections.options)
      state.fullTextIndexes = try FullTextMaintenance.usable(schema, on: connection)
      guard isWritable else { return state }
      try TriggerFunctions.register(on: connection, schema: schema)
      if state.history != nil, !connections.options.tracksHistory {
        state.readOnlyReason = .historyWithoutOption
        try connection.set(.queryOnly, to: true)
        return state
      }
      try setJournalMode(wanted, of: connection, &state)
      try maintain(connection)
      if connections.options.tracksHistory { try keepHistory(connection, &state) }
      state.fullTextIndexes = try fullText.run(on: connection, state.fullTextIndexes)
      // SQLite lets triggers write FTS5 tables only if the schema is trusted.
      if !state.fullTextIndexes.isEmpty {
        try connection.setPragma(named: "trusted_schema", to: "ON")
      }
      return state
    }
  }

  /// Sets the journal mode now if the options name one; otherwise the first write sets the default.
  private func setJournalMode(_ mode: JournalMode, of connection: Connection, _ state: inout State)
    throws(SQLiteError)
  {
    guard connections.location != .memory, state.journalMode != mode else { return }
    if connections.asksForJournalMode {
      try connection.setCheckpointsOnClose(true)
      state.journalMode = try connection.set(.journalMode, to: mode)
    } else {
      state.journalModeForWriting = mode
    }
  }

  private func maintain(_ connection: Connection) throws(SQLiteError) {
    let options = connections.options
    guard options.vacuums || options.analyzes else { return }
    try connection.setCheckpointsOnClose(true)
    if options.vacuums { try connection.execute("VACUUM") }
    if options.analyzes { try connection.execute("ANALYZE") }
  }

  /// Creates missing tables of the history, and missing columns for the values of deleted rows.
  private func keepHistory(_ connection: Connection, _ state: inout State) throws(SQLiteError) {
    let wanted = schema.tombstoneCount
    if let history = state.history, history.tombstoneCount >= wanted { return }
    try connection.setCheckpointsOnClose(true)
    try connection.begin(.immediate)
    do {
      // Another process may have added them meanwhile.
      if let existing = try HistoryLayout(connection)?.tombstoneCount {
        for index in existing..<max(existing, wanted) {
          try connection.execute(
            "ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstoneColumn(index)) BLOB")
        }
      } else {
        try StoreCreation.addHistory(tombstones: wanted, to: connection)
      }
      try connection.commit()
    } catch {
      try? connection.rollback()
      throw error
    }
    state.history = try HistoryLayout(connection)
  }
}
