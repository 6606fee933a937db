/// The bounds of the module, each with its reason.
package enum Limits {
  /// How deep composite attributes may nest.
  ///
  /// Xcode's editor makes one level at a time and real models have two; the bound ends a composite that contains
  /// itself.
  package static let compositeDepth = 16
}
