private import Glibc

/// A spare descriptor for the time when the process has no others left.
///
/// With the spare one, the server can accept and close a waiting connection. Otherwise the
/// listening socket would stay ready, and the loop would be busy with it.
struct ReserveDescriptor: ~Copyable {
  private var descriptor: CInt = -1

  init() { acquire() }

  deinit { release() }

  /// Calls a closure while the spare descriptor is free for its use.
  mutating func withDescriptorFree(_ body: () -> Void) {
    release()
    body()
    acquire()
  }

  private mutating func acquire() { descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

  private func release() {
    if descriptor >= 0 { close(descriptor) }
  }
}
