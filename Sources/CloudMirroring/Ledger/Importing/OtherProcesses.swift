import SQLiteDriver
import Synchronization

/// Notices that another process has noted what the server has, in the ledger of the same file.
///
/// Each transaction that notes versions of records counts one number of the file up. Who finds
/// another number there than it has left knows of others; an answer of the server that was asked
/// for before that may be older than what they have noted.
///
///     look ──▶ ask the server ──▶ take over: has the moment passed? ──no──▶ count up, in the same transaction
///                                                    └──yes──▶ AnswerOvertaken: nothing is written, and the server is asked again
final class OtherProcesses: Sendable {
  private struct State {
    /// The number as this process has seen it; nil before it has looked.
    var known: Int64?
    /// The number that a transaction of this process has counted to, which nobody may have seen
    /// yet.
    var own: Int64?
    var moment = LedgerMoment()
  }

  private let state = Mutex(State())

  /// The moment that lasts for as long as nobody else notes anything.
  func moment(on connection: Connection) throws -> LedgerMoment {
    look(at: try connection.stateNumber(.versions))
  }

  /// Counts up, in the transaction that notes what the server has, within `noting`.
  ///
  /// - Parameter asked: When the server was asked for what is noted; nil where that does not
  ///   matter.
  func note(_ asked: LedgerMoment?, on connection: Connection) throws {
    let number = try connection.countStateUp(.versions)
    let present = look(at: number - 1)
    guard asked ?? present == present else { throw AnswerOvertaken() }
    state.withLock { $0.own = number }
  }

  /// Runs what counts up in a transaction; the number is anybody's again where it comes to nothing.
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

/// A time in which one process alone notes what the server has.
package struct LedgerMoment: Hashable, Sendable {
  private var number = 0

  mutating func pass() { number += 1 }
}

/// Another process has noted what the server has since it was asked: what it has answered may be
/// older.
package struct AnswerOvertaken: Error {}

extension Ledger {
  /// Looks before the server is asked: what it answers is taken over in this moment, or not at all.
  package func moment() throws -> LedgerMoment { try read { try recorder.others.moment(on: $0) } }
}
