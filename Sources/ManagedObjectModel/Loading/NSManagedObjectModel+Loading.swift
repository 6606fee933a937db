public import Foundation

extension NSManagedObjectModel {
  /// Reads a compiled model, a `.mom` file or a `.momd` folder, or gives nil where it cannot be read.
  ///
  /// Of a folder, the current version is read. `init(readingFrom:)` says why a model cannot be read.
  public convenience init?(contentsOf url: URL) {
    try? self.init(readingFrom: url)
  }

  /// Reads a compiled model, a `.mom` file or a `.momd` folder.
  ///
  /// Parhelion's addition.
  ///
  /// It throws an error that names the file, what is wrong with it, and what to do.
  public convenience init(readingFrom url: URL) throws {
    self.init(takingOver: try CompiledModel.read(contentsOf: url))
  }

  /// Creates a model with the entities of every compiled model in bundles.
  ///
  /// For nil these are the models that are linked into the program, and those among its resources and the resources of
  /// its modules. It gives nil where there are none, or one cannot be read; `merging(from:)` says why.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    try? merging(from: bundles)
  }

  /// Creates a model with those entities of the compiled models in bundles that a store was written with.
  ///
  /// All versions of every model are considered.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    try? merging(from: bundles, forStoreMetadata: metadata)
  }

  /// Creates a model with the entities of every compiled model in bundles.
  ///
  /// Parhelion's addition.
  ///
  /// It throws where there are no models, where one cannot be read, and where two have different entities of one name.
  public class func merging(from bundles: [Bundle]?) throws -> NSManagedObjectModel {
    let models = try AvailableModels(bundles: bundles).currentVersions()
    guard !models.isEmpty else { throw AvailableModels.noModels(in: bundles) }
    return try NSManagedObjectModel(merging: models)
  }

  /// Creates a model with those entities of the compiled models in bundles that a store was written with.
  ///
  /// Parhelion's addition.
  public class func merging(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) throws -> NSManagedObjectModel {
    let models = try AvailableModels(bundles: bundles).allVersions()
    return try NSManagedObjectModel(merging: models, forStoreMetadata: metadata)
  }
}
