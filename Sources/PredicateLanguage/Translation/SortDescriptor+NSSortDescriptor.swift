public import Foundation

extension SortDescriptor {
  /// Creates a descriptor that orders objects as an `NSSortDescriptor` does.
  ///
  /// It is `nil` if the other descriptor names no property, or compares with a closure or with a
  /// selector other than `compare:` and `NSString`'s comparisons. Apple's platforms also return
  /// `nil` for `caseInsensitiveCompare:` and `localizedCaseInsensitiveCompare:`, which their
  /// `SortDescriptor` cannot represent.
  ///
  /// A comparison stops the program if the other descriptor's would: for an object without the
  /// property, and for values that have no order. `NSSortDescriptor(_:)` converts the result back
  /// to a descriptor that equals the original.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor of a named property.
  ///   - comparedType: The class whose instances the new descriptor compares.
  public init?(_ descriptor: NSSortDescriptor, comparing comparedType: Compared.Type)
  where Compared: NSObject {
    guard let key = SortKey(descriptor) else { return nil }
    self.init(\Compared[sortKey: key], order: descriptor.ascending ? .forward : .reverse)
  }
}
