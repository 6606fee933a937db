public import Foundation

extension NSEntityDescription {
  /// The hash that identifies the entity's form in a store.
  ///
  /// It covers the name, whether the entity is abstract, its ancestors, its stored attributes and
  /// relationships, its uniqueness constraints and the version hash modifier. It omits everything
  /// that does not change what is stored, such as class names, delete rules, default values,
  /// validation and indexes.
  public var versionHash: Data {
    frozen?.versionHash ?? Data(VersionHash.hash(of: self))
  }
}
