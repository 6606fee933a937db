/// The bounds of the module, each with its reason.
package enum Limits {
  /// How deep composite attributes may nest.
  ///
  /// Xcode's editor makes one level at a time and real models have two; the bound ends a composite that contains
  /// itself.
  package static let compositeDepth = 16

  /// The greatest size of a compiled model in generated code.
  ///
  /// The largest known model compiles to less than one megabyte.
  static let unpackedModelBytes = 256 << 20
}
