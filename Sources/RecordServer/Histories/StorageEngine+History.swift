package import RecordStorage

extension StorageEngine {
  /// Ends the restoration of a storage, if there was one: it goes on in a history of its own.
  ///
  /// To be called by whoever opens a storage as its server, before anybody is served. Where it is
  /// broken off, the next one does it again.
  ///
  /// - Parameter chance: A number that nobody can foretell.
  package func finishRestoration(chance: UInt64) async throws {
    guard isRestored else { return }
    try await beginHistory(chance: chance)
    try await endRestoration()
  }

  /// Begins a new history of a storage that nobody uses meanwhile.
  ///
  /// What is broken off is begun once more, behind what was begun; so is what was done already.
  package func beginHistory(chance: UInt64) async throws {
    let history = try await write(in: StoreHistory.partition) { transaction in
      let next = try StoreHistory(of: transaction).next(chance: chance)
      try next.store(in: transaction)
      return next
    }
    var last: DatabaseKeys?
    while let database = try await read({ [last] in try DatabaseKeys.next(after: last, in: $0) }) {
      try await write(in: database.owner) {
        try ZoneDirectory(database: database).begin(history, in: $0)
      }
      last = database
    }
  }
}
