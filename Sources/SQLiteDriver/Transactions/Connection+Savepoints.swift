extension Connection {
  /// Runs `body` in a savepoint, which is released when it returns and rolled back when it throws.
  ///
  /// Savepoints nest in each other and in a transaction. Outside a transaction, the outermost one
  /// is a deferred transaction.
  @discardableResult
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    let name = "parhelion_\(savepointDepth)"
    try run("SAVEPOINT \(name)")
    savepointDepth += 1
    defer { savepointDepth -= 1 }
    do {
      let result = try body()
      // No savepoint is open if SQLite rolled the whole transaction back while the body ran.
      guard isInTransaction else { throw CommitGuard.endedEarly(path: location.description) }
      try run("RELEASE \(name)")
      return result
    } catch {
      undo(name)
      throw error
    }
  }

  /// Rolls a savepoint back.
  ///
  /// A failure here is ignored in favor of the error that is being thrown: the enclosing
  /// transaction can then only roll back.
  private func undo(_ name: String) {
    guard isInTransaction else { return }
    do {
      try run("ROLLBACK TO \(name)")
      try run("RELEASE \(name)")
    } catch {}
  }
}
