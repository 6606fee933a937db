/// The limits of model source, so that a hostile file costs little and never overflows the stack.
package enum Limits {
  /// The largest `contents` file that is read.
  ///
  /// The largest model known to us has some 60 KB.
  package static let fileBytes = 16 << 20

  /// The largest source of a mapping model that is read.
  ///
  /// It contains two models, in an archive of Xcode's own of some 100 KB for each entity.
  package static let mappingBytes = 128 << 20

  /// The deepest nesting of elements.
  ///
  /// A model needs 6 levels, its deepest being the entries of an attribute's userInfo.
  package static let elementDepth = 64

  /// The most elements of a file.
  ///
  /// A model of a thousand entities has some tens of thousands.
  package static let elements = 200_000

  /// The most attributes of one element.
  ///
  /// The data modeler writes at most about 25.
  package static let attributesPerElement = 256

  /// The most ancestors of an entity.
  ///
  /// Inherited properties are copied at each level.
  package static let inheritanceDepth = 200

  /// The deepest nesting of composite attributes.
  package static let compositeDepth = 32

  /// The most values that the composite attributes of one model may expand to in total.
  ///
  /// If each composite contains ten uses of the next, the expansion grows exponentially while the
  /// file stays small.
  package static let compositeElements = 100_000

  /// The most composites of a model.
  ///
  /// The search for cycles among them takes quadratic time.
  package static let composites = 1_000

  /// The most issues that a run reports; the rest are only counted.
  package static let issues = 200

  /// The most versions of a bundle.
  package static let versions = 1_000
}
