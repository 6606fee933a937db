private import CHTTPSystem
private import Glibc

/// A descriptor with which any thread wakes the thread that waits for it.
struct WakeUp: ~Copyable, Sendable {
  let descriptor: CInt

  init() throws(HTTPServerError) {
    descriptor = parhelion_wake_create()
    if descriptor < 0 { throw .system("eventfd", -descriptor) }
  }

  deinit { close(descriptor) }

  /// Makes the descriptor ready.
  func signal() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Makes the descriptor not ready.
  func clear() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)
  }
}
