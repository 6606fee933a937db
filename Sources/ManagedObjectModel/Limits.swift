/// The bounds of the module, each with its reason.
package enum Limits {
  /// How deep composite attributes may nest.
  ///
  /// Xcode's editor makes one level at a time and real models have two; the bound ends a composite
  /// that contains itself.
  package static let compositeDepth = 16

  /// The greatest size of a compiled model in generated code.
  ///
  /// The largest known model compiles to less than one megabyte.
  static let unpackedModelBytes = 256 << 20

  /// The largest compiled model that is read.
  ///
  /// The largest real ones have a few hundred kilobytes.
  package static let archiveBytes = 64 << 20

  /// How many values of any archive may be looked at.
  static let archiveSteps = 10_000

  /// How many more values may be looked at for each object of the archive.
  ///
  /// An object of a real model has at most fifteen keys, each of which is looked at once or twice;
  /// the bound keeps the time linear for an archive that shares large parts over and over.
  static let archiveStepsForEachObject = 64

  /// How deep objects of an archive are followed from its root.
  ///
  /// A model itself needs eight levels; the rest is for predicates, each level of which costs a few
  /// stack frames.
  package static let archiveDepth = 200

  /// How many entities a compiled model may have.
  package static let archivedEntities = 20_000

  /// How many properties the entities of a compiled model may have, counting inherited ones for
  /// each.
  ///
  /// Hashing a model visits each of them.
  package static let archivedProperties = 500_000

  /// How long a line of superentities may be; every look at an inherited property walks it.
  package static let inheritanceDepth = 100

  /// How long the name of an entity or a property may be, in bytes of UTF-8.
  ///
  /// Every version hash reads the names again.
  package static let nameBytes = 4096

  /// How much the archive in a store's model cache may inflate to.
  package static let modelCacheBytes = archiveBytes
}
