package import RecordStorage

extension StorageEngine {
  /// Finishes a restoration, if there was one: the storage continues in a new history.
  ///
  /// A server calls it after opening the storage and before serving requests. It can be repeated
  /// after an interruption.
  ///
  /// - Parameter chance: A random number.
  package func finishRestoration(chance: UInt64) async throws {
    guard isRestored else { return }
    try await beginHistory(chance: chance)
    try await endRestoration()
  }

  /// Begins a new history of a storage that is not in use.
  ///
  /// It can be repeated after an interruption or a success, and then begins another history after
  /// that of the former attempt.
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
