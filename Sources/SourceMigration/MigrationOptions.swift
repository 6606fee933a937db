/// Settings of the package that its sources do not show.
package struct MigrationOptions: Sendable, Equatable {
  /// Whether the sources are compiled in Swift 6 mode, in which a closure may only capture
  /// `Sendable` values.
  package var isSwift6Mode: Bool

  /// Whether `@NSManaged` members get bodies for platforms without Objective-C.
  package var replacesManagedMembers: Bool

  /// Whether files import the names that both Foundation and CoreData declare, because no build
  /// plug-in generates aliases.
  package var importsPredicateNames: Bool

  package init(
    isSwift6Mode: Bool = false, replacesManagedMembers: Bool = false,
    importsPredicateNames: Bool = false
  ) {
    self.isSwift6Mode = isSwift6Mode
    self.replacesManagedMembers = replacesManagedMembers
    self.importsPredicateNames = importsPredicateNames
  }
}
