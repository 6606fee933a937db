import Foundation

/// The console of a process: its standard streams.
package struct ProcessConsole: Console {
  /// The error if the reader of standard output has closed it, as `head` does.
  package struct ReaderGone: Error {}

  package init() {
    Self.replaceClosedStreams()
    // Makes a write to a pipe without a reader fail instead of ending the process.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Opens /dev/null in place of closed standard streams, so that no other file gets their numbers.
  ///
  /// Writing to it fails, as to a closed stream.
  private static func replaceClosedStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }

  package var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  package func write(_ text: String) throws {
    do {
      try Self.write(text, to: STDOUT_FILENO)
    } catch .EPIPE {
      throw ReaderGone()
    } catch {
      let reason = unsafe String(cString: strerror(error.rawValue))
      throw CommandError("The result cannot be written to standard output: \(reason).")
    }
  }

  package func report(_ message: String) {
    try? Self.write(message + "\n", to: STDERR_FILENO)
  }

  package func readSecret(prompt: String) -> String? {
    guard isatty(STDIN_FILENO) == 1 else { return readLine() }
    var usual = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else { return readLine() }
    var silent = usual
    silent.c_lflag &= ~tcflag_t(ECHO)
    try? Self.write(prompt, to: STDERR_FILENO)
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
      report("")
    }
    return readLine()
  }

  private static func write(_ text: String, to descriptor: Int32) throws(Failure) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw Failure(rawValue: errno)
      }
    }
  }

  /// A failed system call, by its error number.
  private struct Failure: Error, Equatable {
    let rawValue: Int32
    static let EPIPE = Failure(rawValue: Glibc.EPIPE)
  }
}
