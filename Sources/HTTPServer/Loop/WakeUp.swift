private import CHTTPSystem
private import Glibc

/// A descriptor that one thread waits for and any thread makes ready.
struct WakeUp: ~Copyable, Sendable {
  let descriptor: CInt

  init() throws(HTTPServerError) {
    descriptor = parhelion_wake_create()
    if descriptor < 0 { throw .system("eventfd", -descriptor) }
  }

  deinit { close(descriptor) }

  /// Makes it ready.
  func signal() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Makes it unready.
  func clear() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)
  }
}
