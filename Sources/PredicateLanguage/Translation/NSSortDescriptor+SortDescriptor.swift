public import Foundation
import TextMatching

extension NSSortDescriptor {
  /// Creates a descriptor that orders objects as a `SortDescriptor` does.
  ///
  /// Texts without an explicit comparator are ordered by `localizedStandardCompare:`, as on Apple's
  /// platforms. A descriptor from `SortDescriptor(_:comparing:)` becomes one that equals the
  /// original. A descriptor without a property's name stops the program; `init(translating:)`
  /// throws instead.
  public convenience init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
    do {
      self.init(made: .checkedCast(try Self.translated(sortDescriptor)))
    } catch {
      preconditionFailure("NSSortDescriptor(_:) cannot translate the sort descriptor: \(error)")
    }
  }

  /// Creates a descriptor that orders objects of any type as a `SortDescriptor` does.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateTranslationError`` if the descriptor's key path has no name.
  public convenience init<Compared>(translating sortDescriptor: SortDescriptor<Compared>) throws {
    self.init(made: .checkedCast(try Self.translated(sortDescriptor)))
  }

  private static func translated<Compared>(
    _ descriptor: SortDescriptor<Compared>
  ) throws(PredicateTranslationError) -> PropertySortDescriptor {
    guard let keyPath = descriptor.keyPath else {
      throw PredicateTranslationError(
        .namelessKeyPath, node: "SortDescriptor",
        "The SortDescriptor has no key path. Use NSSortDescriptor(key:ascending:comparator:)."
      )
    }
    if let key = SortKey(in: keyPath) {
      return key.descriptor(ascending: descriptor.order == .forward)
    }
    do {
      let name = try keyPath.propertyPath()
      return PropertySortDescriptor(
        name, ascending: descriptor.order == .forward, rule(descriptor, keyPath), origin: keyPath)
    } catch {
      throw .nameless(error)
    }
  }

  private static func rule<Compared>(
    _ descriptor: SortDescriptor<Compared>, _ keyPath: PartialKeyPath<Compared>
  ) -> SortRule {
    let type = type(of: keyPath).valueType
    guard type == String.self || type == String?.self else { return .natural }
    // Only `.lexical` has a name on this platform; `.localizedStandard` is the default on Apple's.
    return descriptor.stringComparator == .lexical ? .natural : .text(.localizedStandard)
  }
}
