package import Foundation
import Synchronization

/// Gives out the keys of objects that were not saved yet: negative, and each once in a process.
package enum TemporaryKeys {
  private static let last = Atomic<Int64>(0)

  /// Half of the UUIDs of this process's temporary identifiers, so that those of two processes differ.
  private static let processBits = UInt64.random(in: .min ... .max)

  package static func next() -> Int64 { last.subtract(1, ordering: .relaxed).newValue }

  /// The UUID that stands for a temporary key in a URI.
  package static func uuid(of key: Int64) -> UUID {
    let halves = (processBits.bigEndian, UInt64(bitPattern: key).bigEndian)
    return unsafe UUID(uuid: unsafeBitCast(halves, to: uuid_t.self))
  }

  /// The temporary key that a UUID stands for, or nil where it is from another process.
  package static func key(of uuid: UUID) -> Int64? {
    let halves = unsafe unsafeBitCast(uuid.uuid, to: (UInt64, UInt64).self)
    let key = Int64(bitPattern: UInt64(bigEndian: halves.1))
    return UInt64(bigEndian: halves.0) == processBits && key < 0 ? key : nil
  }
}
