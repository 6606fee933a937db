import Dispatch
import Foundation

/// The signals that a server is stopped by, from when this is made; the end of its input, too,
/// where that is wanted.
struct StopSignals: ~Copyable {
  private let sources: [any DispatchSourceSignal]
  private let stops: AsyncStream<String>

  /// - Parameters:
  ///   - watchesInput: Whether the end of standard input counts as one: then whoever started the
  ///     server is gone.
  ///   - reload: Called whenever SIGHUP comes.
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

  /// Waits until the server shall stop, and says by which signal; from then on another ends the
  /// process at once.
  consuming func first() async -> String {
    var iterator = stops.makeAsyncIterator()
    let name = await iterator.next() ?? "the end"
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { _ = signal(number, SIG_DFL) }
    return name
  }
}
