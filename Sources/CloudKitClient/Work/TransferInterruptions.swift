/// Counts the interruptions of a file transfer without progress.
///
/// A bad network may interrupt a long transfer many times. As long as each attempt makes progress,
/// the transfer completes in the end. The operation's time limit bounds the whole.
struct TransferInterruptions {
  /// The largest size so far.
  private var size: Int64
  /// The number of failed attempts since the last progress, including the attempt that made it.
  private(set) var attempt = 0

  /// Starts counting.
  ///
  /// - Parameter size: The size of the partial file.
  init(size: Int64 = 0) { self.size = size }

  /// Records an interruption.
  ///
  /// - Parameter size: The size of the partial file.
  mutating func note(size: Int64) {
    attempt = size > self.size ? 1 : attempt + 1
    self.size = max(self.size, size)
  }
}
