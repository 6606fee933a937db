/// Counts how often the transfer of a file broke off without having come any further.
///
/// A bad network breaks long transfers as often as it likes: as long as more of the file is there
/// each time, it comes in the end. What bounds the whole is the time that an operation may take.
struct TransferInterruptions {
  /// The most of the file that was there.
  private var size: Int64
  /// Which attempt failed since the transfer came further last, from 1.
  private(set) var attempt = 0

  /// - Parameter size: How much of the file is there.
  init(size: Int64 = 0) { self.size = size }

  /// It broke off, or was refused.
  ///
  /// - Parameter size: How much of the file is there.
  mutating func note(size: Int64) {
    attempt = size > self.size ? 1 : attempt + 1
    self.size = max(self.size, size)
  }
}
