/// The representation of a property's value in a row.
///
/// Trivial kinds are plain bytes and use the row's null bitmap. The others are Swift optionals, so
/// that a row can be cleared and destroyed without reading null bits. They have null bits too.
@frozen
public enum SlotKind: UInt8, Sendable {
  /// The property has no slot: a to-many relationship or a fetched property.
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
  /// `String?`, or a lazy string on a page: see `RowSlot.text(in:)`.
  case string
  /// `Data?`
  case data
  /// `URL?`
  case url
  /// `BoxedValue?`: a value that is decoded on demand, is in an external file, or has any type.
  case boxed
}

extension SlotKind {
  /// Whether values of the kind can be copied and discarded as bytes.
  @inlinable package var isTrivial: Bool { rawValue < SlotKind.string.rawValue }
}

/// The value of a to-one relationship: the key of the destination row, and the layout of its
/// entity.
///
/// The key of an unsaved object is negative.
@frozen
public struct ToOneValue: Hashable, Sendable {
  @usableFromInline package let key: Int64
  /// The layout index of the destination's entity.
  @usableFromInline package let layoutIndex: Int32

  @inlinable package init(key: Int64, layoutIndex: Int32) {
    self.key = key
    self.layoutIndex = layoutIndex
  }
}
