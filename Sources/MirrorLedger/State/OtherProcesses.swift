import MirrorModel
import SQLiteDriver
import Synchronization

/// Detects that another process recorded server versions in the ledger of the same file.
///
/// Each transaction that records versions of records increments a number in the file. If the number
/// is not the one that this process left, another process was there, and a response that was
/// requested before may be older than the ledger.
///
///     look ──▶ ask the server ──▶ apply: has the moment passed? ──no──▶ increment, same transaction
///                                              └──yes──▶ AnswerOvertaken: nothing is written
final class OtherProcesses: Sendable {
  private struct State {
    /// The number as this process has seen it; nil before it has looked.
    var known: Int64?
    /// The number that the latest transaction of this process counted to.
    var own: Int64?
    var moment = LedgerMoment()
  }

  private let state = Mutex(State())

  /// The moment that lasts until another process records versions.
  package func moment(on connection: Connection) throws -> LedgerMoment {
    look(at: try connection.stateNumber(.versions))
  }

  /// Counts up, in the transaction that notes what the server has, within `noting`.
  ///
  /// - Parameter asked: When the server was asked for what is noted; nil where that does not
  ///   matter.
  package func note(_ asked: LedgerMoment?, on connection: Connection) throws {
    let number = try connection.countStateUp(.versions)
    let present = look(at: number - 1)
    guard asked ?? present == present else { throw AnswerOvertaken() }
    state.withLock { $0.own = number }
  }

  /// Runs a transaction that counts up; if it rolls back, the number is free again.
  ///
  /// One after the other: where it comes to nothing before it has counted, the number that was
  /// counted to last is still one's own.
  func noting<Result>(_ transaction: () throws -> Result) rethrows -> Result {
    let counted = state.withLock(\.own)
    do { return try transaction() } catch {
      state.withLock { if $0.own != counted { $0.own = nil } }
      throw error
    }
  }

  /// A reader may see the file as it was before what this process has just counted: a smaller
  /// number tells nothing.
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
  /// Looks before the server is asked: what it answers is taken over in this moment, or not at all.
  package func moment() throws -> LedgerMoment { try read { try recorder.others.moment(on: $0) } }
}
