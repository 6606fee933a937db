private import CSodium

/// Secret bytes, which are wiped when their last owner releases them.
///
/// A caller that copies them (`bytes`) wipes its copy itself. Printing and dumping show only the
/// length.
@safe package final class SecretBytes: Sendable {
  // Written in `init`, wiped in `deinit`, and only read in between.
  private nonisolated(unsafe) let storage: UnsafeMutablePointer<UInt8>

  package let count: Int

  /// Copies bytes.
  package init(_ bytes: [UInt8]) {
    Sodium.start()
    count = bytes.count
    unsafe storage = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    for (place, byte) in bytes.enumerated() { unsafe (storage + place).initialize(to: byte) }
  }

  /// Takes ownership of bytes.
  ///
  /// The array is wiped and empty afterwards.
  package convenience init(taking bytes: inout [UInt8]) {
    self.init(bytes)
    Self.wipe(&bytes)
  }

  deinit {
    unsafe sodium_memzero(storage, count)
    unsafe storage.deallocate()
  }

  /// A copy, for operations that cannot work in place.
  package var bytes: [UInt8] {
    unsafe withAddress { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) }
  }

  /// Calls a closure with the address of the `count` bytes.
  func withAddress<Result>(_ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafePointer(storage))
  }

  /// Overwrites an array with zeros, if no other array shares its storage, and empties it.
  package static func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe sodium_memzero($0.baseAddress, $0.count) }
    bytes = []
  }
}

extension SecretBytes: Equatable {
  package static func == (one: SecretBytes, other: SecretBytes) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe one.withAddress { mine in
      unsafe other.withAddress { unsafe sodium_memcmp(mine, $0, one.count) == 0 }
    }
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "\(count) secret bytes" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
