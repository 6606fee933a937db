extension PasswordHash {
  /// What one hash costs: whoever guesses passwords pays it for each guess.
  package struct Cost: Hashable, Sendable {
    package var memoryBytes: Int
    package var passes: UInt64

    package init(memoryBytes: Int, passes: UInt64) {
      self.memoryBytes = memoryBytes
      self.passes = passes
    }

    /// RFC 9106's choice where memory is scarce: 64 MiB, three passes, some 80 milliseconds.
    package static let standard = Cost(memoryBytes: 64 << 20, passes: 3)
    /// The least that libsodium takes, for tests that make many.
    package static let least = Cost(memoryBytes: 8 << 10, passes: 1)
  }
}
