private import CSodium

/// Bytes that must not stay in memory once nobody needs them: they are wiped when the last owner
/// lets go.
///
/// Copies that are taken out (`bytes`) are their taker's to wipe. Neither printing nor dumping
/// shows anything but the length.
@safe package final class SecretBytes: Sendable {
  // Written in `init`, wiped in `deinit`, and only read between.
  private nonisolated(unsafe) let storage: UnsafeMutablePointer<UInt8>

  package let count: Int

  /// Takes a copy of bytes.
  package init(_ bytes: [UInt8]) {
    Sodium.start()
    count = bytes.count
    unsafe storage = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    for (place, byte) in bytes.enumerated() { unsafe (storage + place).initialize(to: byte) }
  }

  /// Takes bytes over: their array is wiped and empty afterwards.
  package convenience init(taking bytes: inout [UInt8]) {
    self.init(bytes)
    Self.wipe(&bytes)
  }

  deinit {
    unsafe sodium_memzero(storage, count)
    unsafe storage.deallocate()
  }

  /// A copy, for what cannot be done in place.
  package var bytes: [UInt8] {
    unsafe withAddress { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) }
  }

  /// Lends the bytes out, of which there are `count`.
  func withAddress<Result>(_ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafePointer(storage))
  }

  /// Overwrites an array with zeros, as far as it is the only one that holds its bytes, and empties
  /// it.
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
