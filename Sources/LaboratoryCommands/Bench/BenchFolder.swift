import Dispatch
import Foundation
import ParhelionCommands
import Synchronization

/// A temporary folder of a benchmark, with the processes that use it.
///
/// The processes end and the folder is removed with this object, or when a signal ends the tool.
final class BenchFolder: Sendable {
  let url: URL
  private let number: Int

  /// Chooses a unique path; the caller creates the folder.
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

  /// Adds a process to end before the folder is removed.
  func note(process: Int32) {
    Self.remains.withLock { _ = $0.places[number]?.processes.insert(process) }
  }

  /// Removes a process that is about to end, because its identifier may be reused then.
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

  /// Runs `body`, and cleans up if a signal ends the process meanwhile.
  static func cleaningUp<Result>(_ body: () throws -> Result) rethrows -> Result {
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

  /// Ends the recorded processes, removes the folders, and ends this process by the signal.
  private static func end(by number: Int32) {
    // No thread can add a folder or a process, because the lock is held until the end.
    remains.withLock { remains in
      for process in remains.places.values.flatMap(\.processes) { kill(process, SIGKILL) }
      for place in remains.places.values { remove(place.url) }
      _ = signal(number, SIG_DFL)
      // Dispatch threads block signals.
      var own = sigset_t()
      unsafe sigemptyset(&own)
      unsafe sigaddset(&own, number)
      unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
      raise(number)
    }
  }

  /// The maximum number of attempts to remove a folder in which a process may be creating a file,
  /// ten milliseconds apart.
  private static let attempts = 100

  private static func remove(_ url: URL) {
    let pause = DispatchSemaphore(value: 0)
    for _ in 0..<attempts {
      try? FileManager.default.removeItem(at: url)
      guard FileManager.default.fileExists(atPath: url.path) else { return }
      _ = pause.wait(timeout: .now() + .milliseconds(10))
    }
  }
}
