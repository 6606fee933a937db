// Sendable: an address only. Shared rows are immutable.
/// A reference to a row in memory.
///
/// It retains nothing: its user must retain the row's owner. All access to a row's memory goes
/// through this type and `RowLayout`, so that code above them uses no pointers.
@frozen @safe
public struct RowReference: Hashable, @unchecked Sendable {
  @usableFromInline package let start: UnsafeMutableRawPointer

  @inlinable package init(_ start: UnsafeMutableRawPointer) { unsafe self.start = start }

  /// No row: an address that must not be read.
  @inlinable package static var nowhere: RowReference {
    unsafe RowReference(UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped)
  }

  /// The row's primary key.
  @inlinable package var key: Int64 {
    get { unsafe start.load(as: Int64.self) }
    nonmutating set { unsafe start.storeBytes(of: newValue, as: Int64.self) }
  }

  /// The version of the row in its store; 0 for a row that was never saved.
  @inlinable package var version: Int64 {
    get { unsafe start.load(fromByteOffset: 8, as: Int64.self) }
    nonmutating set { unsafe start.storeBytes(of: newValue, toByteOffset: 8, as: Int64.self) }
  }

  /// Returns whether both references have the same address.
  @inlinable
  public static func == (one: RowReference, other: RowReference) -> Bool {
    unsafe one.start == other.start
  }

  /// Hashes the address.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(unsafe UInt(bitPattern: start)) }
}
