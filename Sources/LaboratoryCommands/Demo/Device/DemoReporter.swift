import CloudMirroring
import Foundation
import ManagedObjects

/// Reports a device's content, immediately and after every possible change.
final class DemoReporter: Sendable {
  private let observer: DemoObserver
  private let work: Task<Void, Never>

  init(_ store: DemoStore, _ writer: DemoWriter) {
    // Coalesces events while a report is being written.
    let (words, word) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    observer = DemoObserver(.NSManagedObjectContextDidSave) { _ in word.yield() }
    let states = Task {
      for await _ in store.container.syncStates { word.yield() }
    }
    work = Task {
      for await _ in words {
        do {
          writer.say(.shows(view: try await store.view()))
        } catch {
          // A closing store reports nothing; the next store has another reporter.
          break
        }
      }
      states.cancel()
    }
    word.yield()
  }

  /// Stops reporting, after the current report is complete.
  func stop() async {
    work.cancel()
    await work.value
  }
}
