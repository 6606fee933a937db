import ObjectRows
import SQLiteDriver
import SQLiteStore

/// How the outbox is filled beside saves.
extension Ledger {
  /// Puts one step of the objects that were there before into the outbox, in a transaction of its
  /// own.
  ///
  /// Returns false when all are in. It goes on where it stopped, in this process or a later one.
  package func enrol() throws -> Bool {
    if try isEnrolled { return false }
    return try write { connection in
      guard let enrolment = Enrolment(try connection.state(.enrolled)) else { return false }
      try recorder.catchUp(with: store, on: connection)
      var folding = recorder.makeFolding(on: connection)
      let next = try EnrolmentStep(store: store, names: names, connection: connection).run(
        enrolment, &folding)
      try connection.setState(.enrolled, to: next?.value ?? Enrolment.done)
      try connection.noteFilling()
      return next != nil
    }
  }

  /// Sees that the outbox has all that is to be sent.
  ///
  /// If a part of the history was lost, nothing that changed in it counts as sent.
  package func takeStock() throws {
    try catchUp()
    while try enrol() {}
  }

  /// How often something was put into the outbox that may come before what waits there already.
  package func filling() throws -> Int64 { try read { try $0.stateNumber(.filling) } }

  /// Whether all objects that were there before are in the outbox.
  package var isEnrolled: Bool { get throws { try state(.enrolled) == Enrolment.done } }

  /// The number of the latest transaction of the store, by any process.
  package func latestTransaction() throws -> Int64 {
    try read { try store.historyNumbers(on: $0).latest }
  }

  /// Reads from the history what was saved past this ledger.
  package func catchUp() throws {
    let numbers = try read { (try $0.noted(), try store.historyNumbers(on: $0).latest) }
    guard numbers.0 < numbers.1 else { return }
    try write { try recorder.catchUp(with: store, on: $0) }
  }
}

extension Connection {
  /// Notes that something is put into the outbox beside saves: its groups may come before those
  /// that wait.
  func noteFilling() throws(SQLiteError) {
    try setState(.filling, to: .integer(stateNumber(.filling) + 1))
  }
}
