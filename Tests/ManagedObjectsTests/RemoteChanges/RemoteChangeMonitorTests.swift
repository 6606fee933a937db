import Foundation
import ManagedObjects
import ObjectRows
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// The reports of a monitor.
///
/// A test can wait for them.
private final class ChangeLog: Sendable {
  private let changes = Mutex<[RemoteChangeMonitor.Change]>([])
  private let notified = DispatchSemaphore(value: 0)

  func add(_ change: RemoteChangeMonitor.Change) {
    changes.withLock { $0.append(change) }
    notified.signal()
  }

  var all: [RemoteChangeMonitor.Change] { changes.withLock { $0 } }

  /// Waits for the next report.
  ///
  /// Returns false if there is none.
  func wait() -> Bool { notified.waitPatiently() }
}

/// The latest save that the first process has noticed.
private final class Answers: Sendable {
  let latest = Atomic<Int64>(0)
}

@Suite(.tags(.threads)) struct RemoteChangeMonitorTests {
  private func change(_ former: Int64, _ latest: Int64, byOthers: Bool)
    -> RemoteChangeMonitor.Change
  {
    .init(former: former, latest: latest, isByOthers: byOthers)
  }

  /// Saves as a coordinator does, and notifies the monitor.
  private func save(_ monitor: RemoteChangeMonitor, _ body: () throws -> Void) rethrows {
    monitor.beginSave()
    var isCommitted = false
    defer { monitor.endSave(isCommitted: isCommitted) }
    try body()
    isCommitted = true
  }

  @Test func `Local saves are reported once, and immediately`() throws {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      try notes.insert("before")
      let log = ChangeLog()
      let observer = InotifyObserver()
      let monitor = try RemoteChangeMonitor(notes.store, observer: observer, report: log.add)
      #expect(monitor.countsTransactions)
      try save(monitor) { try notes.insert("a") }
      try save(monitor) { try notes.insert("b") }
      #expect(log.all == [change(1, 2, byOthers: false), change(2, 3, byOthers: false)])
      #expect(throws: CocoaError.self) { try save(monitor) { throw CocoaError(.coreData) } }
      #expect(log.all.count == 2)
      monitor.end()
    }
  }

  @Test(arguments: [true, false])
  func `Remote saves are noticed through the store's files`(keepsHistory: Bool) throws {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder, keepsHistory: keepsHistory)
      let other = try HistoryNotes(in: folder, keepsHistory: keepsHistory)
      let log = ChangeLog()
      let monitor = try RemoteChangeMonitor(
        notes.store, observer: InotifyObserver(), report: log.add)
      #expect(monitor.countsTransactions == keepsHistory)
      try other.insert("a")
      #expect(log.wait())
      try other.insert("b")
      #expect(log.wait())
      #expect(log.all.filter { !$0.isByOthers }.isEmpty)
      if keepsHistory { #expect(log.all.last?.latest == 2) }
      monitor.end()
    }
  }

  @Test func `A local save does not hide a remote one`() throws {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      let other = try HistoryNotes(in: folder)
      let log = ChangeLog()
      // The other's save causes no event, so both are found together.
      let monitor = try RemoteChangeMonitor(
        notes.store, observer: NullFileObserver(), report: log.add)
      try other.insert("a")
      try save(monitor) { try notes.insert("b") }
      #expect(log.all == [change(0, 2, byOthers: true)])
    }
  }

  @Test func `A remote save during a failing local save is reported after the local one`() throws {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      let other = try HistoryNotes(in: folder)
      let log = ChangeLog()
      let monitor = try RemoteChangeMonitor(
        notes.store, observer: NullFileObserver(), report: log.add)
      try? save(monitor) {
        try other.insert("a")
        throw CocoaError(.coreData)
      }
      #expect(log.all == [change(0, 1, byOthers: true)])
    }
  }

  /// Makes a save before it starts to observe.
  private struct LateObserver: FileObserver {
    let save: @Sendable () throws -> Void

    func observe(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
      -> any FileObservation
    {
      try save()
      return try NullFileObserver().observe(files, check)
    }
  }

  @Test func `A remote save before the files are watched is reported`() throws {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      let other = try HistoryNotes(in: folder)
      let log = ChangeLog()
      let late = LateObserver { try other.insert("a") }
      let monitor = try RemoteChangeMonitor(notes.store, observer: late, report: log.add)
      #expect(log.all == [change(0, 1, byOthers: true)])
      monitor.end()
    }
  }

  @Test func `An ended monitor reports nothing`() throws {
    try withTemporaryDirectory { folder in
      let notes = try HistoryNotes(in: folder)
      let log = ChangeLog()
      let monitor = try RemoteChangeMonitor(
        notes.store, observer: InotifyObserver(), report: log.add)
      monitor.end()
      try save(monitor) { try notes.insert("a") }
      #expect(log.all.isEmpty)
    }
  }

  @Test func `A folder that cannot be watched is an error with a remedy`() {
    let file = URL(fileURLWithPath: "/no/such/folder/a.sqlite")
    #expect { try InotifyObserver().observe([file]) { true } } throws: {
      ($0 as? StoreError)?.message.contains("/no/such/folder") == true
    }
  }

  // MARK: Two processes

  /// The number of saves that the other process makes.
  private static let rounds: Int64 = 20

  @Test func `Each save of another process is noticed without a busy loop`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let notes = try HistoryNotes(in: folder)
    let log = ChangeLog()
    let observer = InotifyObserver()
    let monitor = try RemoteChangeMonitor(notes.store, observer: observer) { change in
      log.add(change)
      // The other process saves again when it has read this.
      try? Data("\(change.latest)".utf8).write(to: Self.answer(in: folder.path))
    }
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      try Self.saveAndWaitForAnswers(path)
    }
    monitor.end()
    let rows = try notes.store.history(HistoryQuery())
    #expect(rows.transactions.count == Int(Self.rounds))
    #expect(log.all.filter { !$0.isByOthers }.isEmpty)
    #expect(log.all.map(\.latest) == Array(1...Self.rounds))
    let wakeups = observer.wakeups.load(ordering: .relaxed)
    #expect(wakeups < 100 * Int(Self.rounds))
  }

  private static func answer(in folder: String) -> URL { URL(fileURLWithPath: folder + "/answer") }

  /// Saves, and saves again after each answer of the first process.
  private static func saveAndWaitForAnswers(_ folder: String) throws {
    let notes = try HistoryNotes(in: URL(fileURLWithPath: folder))
    let answered = Answers()
    let notified = DispatchSemaphore(value: 0)
    let observation = try InotifyObserver().observe([answer(in: folder)]) {
      guard let text = try? String(contentsOf: answer(in: folder), encoding: .utf8),
        let number = Int64(text),
        number > answered.latest.load(ordering: .relaxed)
      else { return false }
      answered.latest.store(number, ordering: .relaxed)
      notified.signal()
      return true
    }
    for number in 1...rounds {
      try notes.insert("\(number)")
      while answered.latest.load(ordering: .relaxed) < number {
        guard notified.waitPatiently() else { throw CocoaError(.persistentStoreTimeout) }
      }
    }
    observation.end()
  }
}
