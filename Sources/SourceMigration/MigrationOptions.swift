/// What the migration must know about the package beyond its sources.
package struct MigrationOptions: Sendable, Equatable {
  /// Whether the sources are compiled in Swift 6 mode, where a closure may not capture what is not `Sendable`.
  package var isSwift6Mode: Bool

  /// Whether `@NSManaged` members get bodies for platforms without Objective-C.
  package var replacesManagedMembers: Bool

  package init(isSwift6Mode: Bool = false, replacesManagedMembers: Bool = false) {
    self.isSwift6Mode = isSwift6Mode
    self.replacesManagedMembers = replacesManagedMembers
  }
}
