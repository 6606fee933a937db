import CloudMirroring
import Foundation
import ManagedObjects
import Synchronization

/// Tells what a device has, at once and whenever that may be something else.
final class DemoTeller: Sendable {
  private let observer: DemoObserver
  private let work: Task<Void, Never>

  init(_ store: DemoStore, _ writer: DemoWriter) {
    // Who is slow hears once of many changes.
    let (words, word) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    observer = DemoObserver(.NSManagedObjectContextDidSave) { word.yield() }
    let states = Task {
      for await _ in store.container.syncStates { word.yield() }
    }
    work = Task {
      for await _ in words {
        do {
          writer.say(.shows(view: try await store.view()))
        } catch {
          // A store that goes shows nothing; the next one has a teller of its own.
          break
        }
      }
      states.cancel()
    }
    word.yield()
  }

  /// Ends when what is being told is told.
  func stop() async {
    work.cancel()
    await work.value
  }
}

// Sendable: the centre may be told of an observer on any thread.
/// Hears of notifications for as long as it lives.
private final class DemoObserver: @unchecked Sendable {
  private let observer: any NSObjectProtocol

  init(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
    observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
  }

  deinit { NotificationCenter.default.removeObserver(observer) }
}
