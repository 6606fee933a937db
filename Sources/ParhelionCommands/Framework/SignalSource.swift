package import Dispatch
import Foundation

/// Creates a dispatch source for a signal, in place of the signal's default action.
///
/// The signal stays ignored after the source is cancelled.
package func signalSource(
  _ number: Int32, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
) -> any DispatchSourceSignal {
  // Disables the default action; the source still receives the signal.
  _ = signal(number, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
  source.setEventHandler(handler: handler)
  source.resume()
  return source
}
