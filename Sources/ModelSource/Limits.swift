import ManagedObjectModel

/// The limits of model source, so that a hostile file costs little and never overflows the stack.
package enum Limits {
  /// The largest `contents` file that is read.
  ///
  /// The largest model known to us has about 60 KB.
  package static let fileBytes = 16 << 20

  /// The largest source of a mapping model that is read.
  ///
  /// It contains two models, in a private archive of Xcode with about 100 KB for each entity.
  package static let mappingBytes = 128 << 20

  /// The deepest nesting of elements.
  ///
  /// A model needs 6 levels: the entries of an attribute's userInfo are the deepest.
  package static let elementDepth = 64

  /// The maximum number of elements in a file.
  ///
  /// A model of a thousand entities has tens of thousands.
  package static let elements = 200_000

  /// The maximum number of attributes of one element.
  ///
  /// The data modeler writes at most about 25.
  package static let attributesPerElement = 256

  /// The maximum number of ancestors of an entity, as in compiled models.
  ///
  /// Inherited properties are copied at each level.
  package static let inheritanceDepth = ManagedObjectModel.Limits.inheritanceDepth

  /// The deepest nesting of composite attributes, as in compiled models.
  package static let compositeDepth = ManagedObjectModel.Limits.compositeDepth

  /// The maximum number of values to which the composite attributes of one model may expand.
  ///
  /// If each composite contains ten uses of the next, the expansion grows exponentially while the
  /// file stays small.
  package static let compositeElements = 100_000

  /// The maximum number of composites in a model.
  ///
  /// The search for cycles among them takes quadratic time.
  package static let composites = 1_000

  /// The maximum number of errors, and of warnings, that a run reports; the rest are only counted.
  package static let issues = 200

  /// The maximum number of versions in a bundle.
  package static let versions = 1_000
}
