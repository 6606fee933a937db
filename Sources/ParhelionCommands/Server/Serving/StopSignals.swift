import Dispatch
import Foundation

/// An observer of the signals that stop a server and, optionally, of the end of its input.
struct StopSignals: ~Copyable {
  private let sources: [any DispatchSourceSignal]
  private let stops: AsyncStream<String>

  /// Starts to watch for signals that stop the server.
  ///
  /// - Parameters:
  ///   - watchesInput: Whether the end of standard input counts as a signal: then the process that
  ///     started the server is gone.
  ///   - reload: Called at each SIGHUP.
  init(watchesInput: Bool = false, reload: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "parhelion.signals")
    let (stops, stop) = AsyncStream<String>.makeStream()
    self.stops = stops
    sources = [
      signalSource(SIGHUP, on: queue, reload),
      signalSource(SIGINT, on: queue) { stop.yield("SIGINT") },
      signalSource(SIGTERM, on: queue) { stop.yield("SIGTERM") },
    ]
    guard watchesInput else { return }
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      stop.yield("the end of standard input")
    }
  }

  /// Waits for the first signal and returns its name; a second one ends the process immediately.
  consuming func first() async -> String {
    var iterator = stops.makeAsyncIterator()
    let name = await iterator.next() ?? "the end"
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { _ = signal(number, SIG_DFL) }
    return name
  }
}
