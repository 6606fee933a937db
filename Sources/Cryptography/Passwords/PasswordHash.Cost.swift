extension PasswordHash {
  /// The cost of one hash, which an attacker pays for each guess.
  package struct Cost: Hashable, Sendable {
    package var memoryBytes: Int
    package var passes: UInt64

    package init(memoryBytes: Int, passes: UInt64) {
      self.memoryBytes = memoryBytes
      self.passes = passes
    }

    /// RFC 9106's recommendation for little memory: 64 MiB and three passes, about 80 milliseconds.
    ///
    /// The RFC recommends a parallelism of four, but libsodium has only one.
    package static let standard = Cost(memoryBytes: 64 << 20, passes: 3)
    /// The minimum that libsodium accepts, for tests that make many hashes.
    package static let least = Cost(memoryBytes: 8 << 10, passes: 1)
  }
}
