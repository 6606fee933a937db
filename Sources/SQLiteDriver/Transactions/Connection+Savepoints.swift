extension Connection {
  /// Runs `body` in a savepoint: keeps its changes when it returns, undoes them, and only them,
  /// when it throws.
  ///
  /// Savepoints nest in each other and in a transaction. Outside any transaction the outermost one
  /// is a deferred transaction of its own.
  @discardableResult
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    let name = "parhelion_\(savepointDepth)"
    try run("SAVEPOINT \(name)")
    savepointDepth += 1
    defer { savepointDepth -= 1 }
    do {
      let result = try body()
      // Nothing is open any more when SQLite rolled the whole transaction back while the body ran.
      guard isInTransaction else { throw CommitGuard.endedEarly(path: location.description) }
      try run("RELEASE \(name)")
      return result
    } catch {
      undo(name)
      throw error
    }
  }

  /// Its own failure adds nothing to the error that is being thrown: the enclosing transaction can
  /// then only roll back.
  private func undo(_ name: String) {
    guard isInTransaction else { return }
    do {
      try run("ROLLBACK TO \(name)")
      try run("RELEASE \(name)")
    } catch {}
  }
}
