import MirrorModel
import SQLiteDriver
import SQLiteStore
import Synchronization

/// Detects that another process recorded server versions in the ledger of the same file.
///
/// Each transaction that records versions of records increments a number in the file. If this
/// process did not write the current number, another process has recorded versions. A response to
/// an earlier request may then be older than the ledger.
///
///     look ──▶ ask the server ──▶ apply: has the moment passed? ──no──▶ increment, same commit
///                                              └──yes──▶ AnswerOvertaken: nothing is written
final class OtherProcesses: Sendable {
  private struct State {
    /// The latest number that this process saw; nil before the first look.
    var known: Int64?
    /// The number that this process's latest transaction wrote.
    var own: Int64?
    var moment = LedgerMoment()
  }

  private let state = Mutex(State())

  /// Returns the moment, which lasts until another process records versions.
  package func moment(on connection: Connection) throws -> LedgerMoment {
    look(at: try connection.stateNumber(.versions))
  }

  /// Increments the number, in the transaction that records server versions, within `noting`.
  ///
  /// - Parameter asked: The moment of the request; nil if it does not matter.
  package func note(_ asked: LedgerMoment?, on connection: Connection) throws {
    let number = try connection.incrementState(.versions)
    let present = look(at: number - 1)
    guard asked ?? present == present else { throw AnswerOvertaken() }
    state.withLock { $0.own = number }
  }

  /// Runs a transaction that increments the number; if it rolls back, the number is free again.
  ///
  /// Calls must not overlap. If a transaction fails before it increments, the latest number still
  /// belongs to this process.
  func noting<Result>(_ transaction: () throws -> Result) rethrows -> Result {
    let counted = state.withLock(\.own)
    do { return try transaction() } catch {
      state.withLock { if $0.own != counted { $0.own = nil } }
      throw error
    }
  }

  /// Updates the moment from a number.
  ///
  /// A reader may see an older state of the file, so a smaller number means nothing.
  private func look(at number: Int64) -> LedgerMoment {
    state.withLock { state in
      if state.own == number { (state.known, state.own) = (number, nil) }
      let known = state.known ?? number
      if number > known { state.moment.pass() }
      state.known = max(number, known)
      return state.moment
    }
  }
}

extension Ledger {
  /// Returns the moment before a request; its response is applied in this moment, or not at all.
  package func moment() throws -> LedgerMoment { try store.pool.read(recorder.others.moment) }
}
