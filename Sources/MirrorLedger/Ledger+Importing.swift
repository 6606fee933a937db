import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Imports of changes from the cloud.
extension Ledger {
  /// Runs a save of the import author, and writes changes of the ledger in its transaction.
  ///
  /// If the save has nothing to write, a separate transaction writes the changes afterwards. If the
  /// save throws, nothing is written. A ledger that is closed meanwhile still writes the changes.
  ///
  /// - Throws: The error of the save; `LedgerOutdated` if another process imported the same records
  ///   meanwhile, and `AnswerOvertaken` if it recorded server versions after the request.
  package func importing<Result>(_ changes: LedgerChanges, save: () throws -> Result) throws
    -> Result
  {
    recorder.prepare(changes)
    defer { endIfClosed() }
    let result: Result
    do { result = try recorder.others.noting(save) } catch {
      switch recorder.endImport() {
      case .outdated: throw LedgerOutdated()
      case .overtaken: throw AnswerOvertaken()
      case .unwritten, .written: throw error
      }
    }
    if recorder.endImport() != .written { try apply(changes) }
    return result
  }

  /// Adds a change by a hook of the program, such as `willSave`, to the import being saved.
  package func noteHooked(_ object: RowKey, _ changed: OrdinalSet) {
    recorder.noteHooked(object, changed)
  }

  /// Writes changes of the ledger in a separate transaction, which a power failure may lose.
  package func apply(_ changes: LedgerChanges) throws {
    try recorder.others.noting {
      try writeUnawaited { connection in
        try recorder.others.note(changes.asked, on: connection)
        try recorder.catchUp(with: store, on: connection)
        var coalescer = recorder.makeCoalescer(on: connection)
        let group = try connection.noted()
        try LedgerWriter(names, options, homeZone: recorder.homeZone, on: connection).write(
          changes, &coalescer, group: group)
        try coalescer.deleteMissing(of: changes, group: group)
      }
    }
  }
}
