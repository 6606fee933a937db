/// How a property's value lies in a row.
///
/// Trivial kinds are plain bytes and use the row's null bitmap. The others are Swift optionals, so
/// that a row can be cleared and destroyed without knowing what is null; their null bit is kept
/// too.
@frozen
public enum SlotKind: UInt8, Sendable {
  /// The property has no place in a row: a to-many relationship or a fetched property.
  case none
  /// `Bool`, one byte.
  case bool
  /// `Int16`
  case int16
  /// `Int32`
  case int32
  /// `Int64`
  case int64
  /// `Float`
  case float
  /// `Double`
  case double
  /// Seconds since 2001, as `Double`.
  case date
  /// Sixteen bytes.
  case uuid
  /// `Foundation.Decimal`.
  case decimal
  /// The key of another row and the index of its layout: see `ToOneValue`.
  case toOne
  /// `String?`, or a late text on a page: see `RowSlot.text(in:)`.
  case string
  /// `Data?`
  case data
  /// `URL?`
  case url
  /// `BoxedValue?`: what is decoded late, lies outside the store, or has any type.
  case boxed
}

extension SlotKind {
  /// Whether values of the kind can be copied and dropped as bytes.
  @inlinable package var isTrivial: Bool { rawValue < SlotKind.string.rawValue }
}

/// What a to-one relationship holds: the key of the row that it leads to, and the layout of that
/// row's entity.
///
/// The key of an object that was not saved yet is negative.
@frozen
public struct ToOneValue: Hashable, Sendable {
  @usableFromInline package let key: Int64
  /// The index of the destination's layout among those of its model.
  @usableFromInline package let layoutIndex: Int32

  @inlinable package init(key: Int64, layoutIndex: Int32) {
    self.key = key
    self.layoutIndex = layoutIndex
  }
}
