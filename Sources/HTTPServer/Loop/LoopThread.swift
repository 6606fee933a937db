private import CHTTPSystem
private import Glibc

/// Starts the threads of loops.
enum LoopThread {
  /// Runs a closure on a new thread that receives no signals.
  ///
  /// Signals belong to the program. A write to a closed socket would otherwise end it with
  /// `SIGPIPE`.
  static func start(_ body: @escaping @Sendable () -> Void) throws(HTTPServerError) {
    let box = unsafe Unmanaged.passRetained(Box(body: body))
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, &attributes, { unsafe LoopThread.enter($0) }, box.toOpaque())
    guard result == 0 else {
      unsafe box.release()
      throw .system("pthread_create", result)
    }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let box = unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    box.body()
    return nil
  }
}
