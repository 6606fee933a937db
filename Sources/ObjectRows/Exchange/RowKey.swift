/// Identifies a row of a store.
@frozen
public struct RowKey: Hashable, Sendable {
  @usableFromInline package let key: Int64
  /// The layout index of the row's own entity.
  @usableFromInline package let layoutIndex: Int32

  @inlinable package init(key: Int64, layoutIndex: Int32) {
    self.key = key
    self.layoutIndex = layoutIndex
  }
}
