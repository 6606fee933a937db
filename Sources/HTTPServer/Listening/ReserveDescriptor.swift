private import Glibc

/// A descriptor that is kept for the day when there are no more: who waits can then be taken off
/// the list and sent away, which would otherwise stay ready for ever.
struct ReserveDescriptor: ~Copyable {
  private var descriptor: CInt = -1

  init() { acquire() }

  deinit { release() }

  /// Does something that needs one descriptor for a moment.
  mutating func lend(_ body: () -> Void) {
    release()
    body()
    acquire()
  }

  private mutating func acquire() { descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

  private func release() {
    if descriptor >= 0 { close(descriptor) }
  }
}
