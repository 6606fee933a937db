import CloudMirroring
import Foundation
import ManagedObjects

/// Tells what a device has, at once and whenever that may be something else.
final class DemoReporter: Sendable {
  private let observer: DemoObserver
  private let work: Task<Void, Never>

  init(_ store: DemoStore, _ writer: DemoWriter) {
    // Who is slow hears once of many changes.
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
