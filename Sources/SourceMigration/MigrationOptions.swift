/// What the migration must know about the package beyond its sources.
package struct MigrationOptions: Sendable, Equatable {
  /// Whether the sources are compiled in Swift 6 mode, where a closure may not capture what is not
  /// `Sendable`.
  package var isSwift6Mode: Bool

  /// Whether `@NSManaged` members get bodies for platforms without Objective-C.
  package var replacesManagedMembers: Bool

  /// Whether files import the names that both Foundation and CoreData have: no build plug-in
  /// generates aliases.
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
