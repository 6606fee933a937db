/// The limits of the module, each with its reason.
package enum Limits {
  /// The deepest nesting of composite attributes.
  ///
  /// Xcode's editor creates one level at a time and real models have two. The limit also ends a
  /// composite that contains itself.
  package static let compositeDepth = 16

  /// The largest compiled model in generated code.
  ///
  /// The largest known model compiles to less than one megabyte.
  static let unpackedModelBytes = 256 << 20

  /// The largest compiled model that is read.
  ///
  /// The largest real models have a few hundred kilobytes.
  package static let archiveBytes = 64 << 20

  /// The number of values that may be read from an archive of any size.
  static let archiveSteps = 10_000

  /// The additional number of values that may be read for each object of the archive.
  ///
  /// An object of a real model has at most fifteen keys, each of which is read once or twice. The
  /// limit keeps the time linear for an archive that shares large parts many times.
  static let archiveStepsForEachObject = 64

  /// The additional number of values that may be read for each byte of the archive.
  ///
  /// Reading an element of a list costs two steps, and its reference takes at least a byte. The
  /// steps for each object do not suffice for a long list, because equal elements share an object.
  static let archiveStepsForEachByte = 2

  /// The maximum number of names that are read of an archived class and its superclasses.
  ///
  /// Objects are tested for many classes, and archives may name one class for all objects. Real
  /// classes have about five names.
  static let archivedLineage = 32

  /// The greatest depth of objects from an archive's root.
  ///
  /// A model itself needs eight levels; the rest is for predicates, each level of which costs a few
  /// stack frames.
  package static let archiveDepth = 200

  /// The maximum number of entities of a compiled model.
  package static let archivedEntities = 20_000

  /// The maximum number of properties of a compiled model, counting inherited ones for each entity.
  ///
  /// Hashing a model visits each of them.
  package static let archivedProperties = 500_000

  /// The greatest depth of the entity hierarchy; every access to an inherited property walks it.
  package static let inheritanceDepth = 100

  /// The longest name of an entity or a property, in bytes of UTF-8.
  ///
  /// Every version hash reads the names again.
  package static let nameBytes = 4096

  /// The largest inflated size of the archive in a store's model cache.
  package static let modelCacheBytes = archiveBytes
}
