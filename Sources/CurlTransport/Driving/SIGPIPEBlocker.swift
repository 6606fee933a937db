private import Foundation

/// Signals are the program's; one of them comes from sockets whose other side has gone, and would
/// end the program.
enum SIGPIPEBlocker {
  /// Moves bytes on a thread that is the program's own: the signal of a broken pipe is taken away.
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

  /// The thread takes no signals from now on.
  static func blockAll() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
