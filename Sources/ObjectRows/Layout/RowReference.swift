// Sendable: a place only; whoever shares it shares an immutable row.
/// The place of a row in memory.
///
/// It keeps nothing alive: whoever holds it holds the row's owner too. Everything that touches a
/// row's memory goes through this type and `RowLayout`; code above them names no pointer.
@frozen @safe
public struct RowReference: Hashable, @unchecked Sendable {
  @usableFromInline package let start: UnsafeMutableRawPointer

  @inlinable package init(_ start: UnsafeMutableRawPointer) { unsafe self.start = start }

  /// No row: a place that must not be looked at.
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

  /// References to the same place are equal.
  @inlinable
  public static func == (one: RowReference, other: RowReference) -> Bool {
    unsafe one.start == other.start
  }

  /// Equal references have equal hashes.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(unsafe UInt(bitPattern: start)) }
}
