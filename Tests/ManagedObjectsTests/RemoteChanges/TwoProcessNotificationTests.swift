import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

/// Notifications between two coordinators in two processes.
///
/// Each reads the other's saves by token.
@Suite struct TwoProcessNotificationTests {
  /// The number of saves of each process.
  private static let rounds = 20
  /// A limit that the shortest latency would exceed with polling.
  ///
  /// The shortest polling interval that keeps a machine idle is about a second. Other work in a
  /// test's process may delay most of the saves.
  private static let leastSeconds = 0.3

  @Test func `Notifications arrive soon, and their tokens identify the new history`() async throws {
    try await withTemporaryDirectory { folder in
      let notifying = try NotifyingProcess("one", in: folder)
      notifying.answersAs { number in "answer \(number)" }
      await #expect(processExitsWith: .success) { [path = folder.path as String] in
        let other = try NotifyingProcess("other", in: URL(fileURLWithPath: path))
        for number in 1...Self.rounds {
          try other.write("letter \(number)")
          try other.waitForLetters(number)
        }
        precondition(other.letters == (1...Self.rounds).map { "answer \($0)" }, "\(other.letters)")
        precondition(other.failures.isEmpty, "\(other.failures)")
      }
      #expect(notifying.letters == (1...Self.rounds).map { "letter \($0)" })
      #expect(notifying.failures == [])
      let latencies = notifying.latencies.sorted()
      try #require(latencies.count == Self.rounds)
      print(
        "Coordinators notified of another process's saves after \(Int(latencies[Self.rounds / 2] * 1_000_000)) µs in the median, \(Int((latencies.last ?? 0) * 1_000_000)) µs at most, from the beginning of the save."
      )
      #expect(latencies[0] < Self.leastSeconds)
    }
  }
}

/// A coordinator with a store of letters that reads remote saves on each notification.
private final class NotifyingProcess: Sendable {
  private struct Mail {
    /// The tokens of the transactions that were read, in order.
    var tokens: [NSPersistentHistoryToken] = []
    var letters: [String] = []
    var latencies: [TimeInterval] = []
    var failures: [String] = []
  }

  private let name: String
  private let coordinator: NSPersistentStoreCoordinator
  private let mail = Mutex(Mail())
  private let notified = DispatchSemaphore(value: 0)
  private let answer = Mutex<(@Sendable (Int) -> String)?>(nil)

  init(_ name: String, in folder: URL) throws {
    self.name = name
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    // The observer lives until its process's part of the test ends.
    _ = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) {
      [weak self] notification in self?.take(notification)
    }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil,
      at: folder.appendingPathComponent("Letters.sqlite"),
      options: [
        NSPersistentHistoryTrackingKey: true,
        NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
      ])
  }

  var letters: [String] { mail.withLock { $0.letters } }
  var latencies: [TimeInterval] { mail.withLock { $0.latencies } }
  var failures: [String] { mail.withLock { $0.failures } }

  func answersAs(_ text: @escaping @Sendable (Int) -> String) { answer.withLock { $0 = text } }

  func write(_ letter: String) throws {
    let context = newContext()
    try context.performAndWait {
      _ = context.person(letter)
      try context.save()
    }
  }

  func waitForLetters(_ count: Int) throws {
    while letters.count < count {
      guard notified.waitPatiently() else { throw CocoaError(.persistentStoreTimeout) }
    }
  }

  private func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = name
    return context
  }

  private func take(_ notification: Notification) {
    let date = Date()
    do {
      guard
        let token = notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
      else {
        throw CocoaError(
          .persistentStoreOperation, userInfo: [NSLocalizedDescriptionKey: "no token"])
      }
      let before = letters.count
      try read(upTo: token, date)
      let after = letters.count
      if let answer = answer.withLock({ $0 }) {
        for number in before..<after { try write(answer(number + 1)) }
      }
      if after > before { notified.signal() }
    } catch {
      mail.withLock { $0.failures.append("\(error)") }
    }
  }

  /// Reads remote saves since the last read, up to a token's transaction or later.
  private func read(upTo token: NSPersistentHistoryToken, _ date: Date) throws {
    let last = mail.withLock { $0.tokens.last }
    let context = newContext()
    let (tokens, found) = try context.performAndWait {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: last)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      let found = try transactions.filter { $0.author != name }.map { transaction in
        let object = try transaction.changes?.first.map {
          try context.existingObject(with: $0.changedObjectID)
        }
        return ((object as? Person)?.name ?? "", date.timeIntervalSince(transaction.timestamp))
      }
      return (transactions.map(\.token), found)
    }
    mail.withLock { mail in
      mail.tokens += tokens
      if !mail.tokens.contains(token) {
        mail.failures.append("the history has no transaction of \(token)")
      }
      mail.letters += found.map(\.0)
      mail.latencies += found.map(\.1)
    }
  }
}
