import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Changes from the cloud.
extension Ledger {
  /// Runs a save of the import author, and writes changes of the ledger in its transaction.
  ///
  /// Where the save had nothing to write, they are written in a transaction of their own
  /// afterwards. Where it throws, nothing is written. A ledger that is closed meanwhile writes them
  /// all the same, and ends afterwards.
  ///
  /// - Throws: What the save throws; `LedgerOutdated` where another process took over the same
  ///   records meanwhile, and `AnswerOvertaken` where it has noted anything of the server's since
  ///   that was asked.
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

  /// Adds to the import that is being saved what a hook of the program has changed.
  package func noteHooked(_ object: RowKey, _ changed: OrdinalSet) {
    recorder.noteHooked(object, changed)
  }

  /// Writes changes of the ledger in a transaction of their own.
  package func apply(_ changes: LedgerChanges) throws {
    try recorder.others.noting {
      try write { connection in
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
