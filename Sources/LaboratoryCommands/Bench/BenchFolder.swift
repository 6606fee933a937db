import Dispatch
import Foundation
import ParhelionCommands
import Synchronization

/// A temporary folder of a benchmark, with the processes that work in it: both go with this object,
/// or when a signal ends the tool.
final class BenchFolder: Sendable {
  let url: URL
  private let number: Int

  /// Names a folder, which whoever fills it makes.
  init() {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-bench-\(UUID().uuidString)")
    self.url = url
    number = Self.remains.withLock { remains in
      remains.lastNumber += 1
      remains.places[remains.lastNumber] = Place(url: url)
      return remains.lastNumber
    }
  }

  deinit {
    Self.remains.withLock { _ = $0.places.removeValue(forKey: number) }
    try? FileManager.default.removeItem(at: url)
  }

  /// Has a process ended before the folder is removed.
  func note(process: Int32) {
    Self.remains.withLock { _ = $0.places[number]?.processes.insert(process) }
  }

  /// Forgets a process that is about to end: its number may be somebody else's then.
  func forget(process: Int32) {
    Self.remains.withLock { _ = $0.places[number]?.processes.remove(process) }
  }

  // MARK: Signals

  private struct Place {
    let url: URL
    var processes: Set<Int32> = []
  }

  private struct LeftoverFolders {
    var places: [Int: Place] = [:]
    var lastNumber = 0
  }

  private static let remains = Mutex(LeftoverFolders())

  /// Does something during which the signals by which people and systems end programs leave nothing
  /// behind.
  static func tidying<Result>(_ body: () throws -> Result) rethrows -> Result {
    let queue = DispatchQueue(label: "parhelion.bench.signals")
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signalSource(number, on: queue) { end(by: number) }
    }
    defer {
      for source in sources { source.cancel() }
      for number in [SIGINT, SIGTERM, SIGHUP] { _ = signal(number, SIG_DFL) }
    }
    return try body()
  }

  /// Ends this process as a signal does that nobody hears.
  private static func end(by number: Int32) {
    // Nobody adds to it any more: whoever wants to waits.
    remains.withLock { remains in
      for process in remains.places.values.flatMap(\.processes) { kill(process, SIGKILL) }
      for place in remains.places.values { remove(place.url) }
      _ = signal(number, SIG_DFL)
      // Threads of queues hear of no signals.
      var own = sigset_t()
      unsafe sigemptyset(&own)
      unsafe sigaddset(&own, number)
      unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
      raise(number)
    }
  }

  /// How often a folder is removed in which a process may just be making a file; between, a
  /// hundredth of a second passes.
  private static let attempts = 100

  private static func remove(_ url: URL) {
    let nobody = DispatchSemaphore(value: 0)
    for _ in 0..<attempts {
      try? FileManager.default.removeItem(at: url)
      guard FileManager.default.fileExists(atPath: url.path) else { return }
      _ = nobody.wait(timeout: .now() + .milliseconds(10))
    }
  }
}
