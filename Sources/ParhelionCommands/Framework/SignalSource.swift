package import Dispatch
import Foundation

/// A source that hears of a signal, instead of what the signal usually does to a process.
///
/// It does so until it is cancelled; the signal is ignored from then on, too.
package func signalSource(
  _ number: Int32, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
) -> any DispatchSourceSignal {
  // The source hears of the signal; what a process usually does about it must not happen.
  _ = signal(number, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
  source.setEventHandler(handler: handler)
  source.resume()
  return source
}
