public import Foundation

extension SortDescriptor {
  /// A descriptor that orders objects as an `NSSortDescriptor` does.
  ///
  /// It is `nil` if the other descriptor names no property, or compares by a closure or by a
  /// selector other than `compare:` and `NSString`'s comparisons. Apple's platforms also give `nil`
  /// for `caseInsensitiveCompare:` and `localizedCaseInsensitiveCompare:`, which their
  /// `SortDescriptor` has no form for.
  ///
  /// Comparing stops the program where the other descriptor would stop it: for an object without
  /// the property, and for values that have no order. `NSSortDescriptor(_:)` gives a descriptor
  /// back that equals the other one.
  ///
  /// - Parameters:
  ///   - descriptor: a descriptor of a named property.
  ///   - comparedType: the class whose instances the new descriptor compares.
  public init?(_ descriptor: NSSortDescriptor, comparing comparedType: Compared.Type)
  where Compared: NSObject {
    guard let key = SortKey(descriptor) else { return nil }
    self.init(\Compared[sortKey: key], order: descriptor.ascending ? .forward : .reverse)
  }
}
