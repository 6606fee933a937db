private import Foundation

/// Keeps SIGPIPE, which sockets raise when their peer is gone, from ending the program.
enum SIGPIPEBlocker {
  /// Runs a closure on the calling thread, and discards a SIGPIPE that it raises.
  static func ignored(_ body: () -> Void) {
    var (pipes, former) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&pipes)
    unsafe sigaddset(&pipes, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipes, &former)
    body()
    guard unsafe sigismember(&former, SIGPIPE) == 0 else { return }
    var atOnce = timespec()
    while unsafe sigtimedwait(&pipes, nil, &atOnce) == SIGPIPE {}
    unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
  }

  /// Blocks all signals on this thread.
  static func blockAll() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
