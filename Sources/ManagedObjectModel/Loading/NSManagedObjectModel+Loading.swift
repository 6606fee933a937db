public import Foundation

extension NSManagedObjectModel {
  /// Reads a compiled model, a `.mom` file or a `.momd` folder; nil if it cannot be read.
  ///
  /// In a folder, it reads the current version. The reason of a failure is written to standard
  /// error; `init(readingFrom:)` throws it instead.
  public convenience init?(contentsOf url: URL) {
    guard
      let model = Self.modelOrNil(
        "NSManagedObjectModel(contentsOf:)", { try CompiledModel.read(contentsOf: url) })
    else { return nil }
    self.init(takingOver: model)
  }

  /// Reads a compiled model, a `.mom` file or a `.momd` folder.
  ///
  /// Parhelion's addition.
  ///
  /// It throws an error that names the file, what is wrong with it, and how to correct it.
  public convenience init(readingFrom url: URL) throws {
    self.init(takingOver: try CompiledModel.read(contentsOf: url))
  }

  /// Creates a model with the entities of every compiled model in bundles.
  ///
  /// For nil, the models are the linked ones, and those in the resources of the program and its
  /// modules. A list that contains the main bundle, which `Bundle(for:)` returns, includes the
  /// linked models too. The method returns nil if there are no models, if one cannot be read, or if
  /// they cannot be merged. It writes the reason to standard error; `merging(from:)` throws it.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    modelOrNil("mergedModel(from:)") { try merging(from: bundles) }
  }

  /// Creates a model with the entities that a store was written with, from the compiled models in
  /// bundles.
  ///
  /// All versions of every model are considered.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    modelOrNil("mergedModel(from:forStoreMetadata:)", quietFor: [.noModelForStore, .modelNotFound])
    {
      try merging(from: bundles, forStoreMetadata: metadata)
    }
  }

  /// Creates a model with the entities of every compiled model in bundles.
  ///
  /// Parhelion's addition.
  ///
  /// It throws if there are no models, if one cannot be read, or if two have different entities or
  /// fetch request templates with one name.
  public class func merging(from bundles: [Bundle]?) throws -> NSManagedObjectModel {
    let models = try AvailableModels(bundles: bundles).currentVersions()
    guard !models.isEmpty else { throw AvailableModels.noModels(in: bundles) }
    return try NSManagedObjectModel(merging: models)
  }

  /// Creates a model with the entities that a store was written with, from the compiled models in
  /// bundles.
  ///
  /// Parhelion's addition.
  public class func merging(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) throws -> NSManagedObjectModel {
    let models = try AvailableModels(bundles: bundles).allVersions()
    return try NSManagedObjectModel(merging: models, forStoreMetadata: metadata)
  }

  /// Returns the model, or writes the reason to standard error and returns nil.
  ///
  /// - Parameter quiet: The errors that are not written, because programs expect them.
  private static func modelOrNil(
    _ name: String, quietFor quiet: Set<ManagedObjectModelError.Code> = [],
    _ make: () throws -> NSManagedObjectModel
  ) -> NSManagedObjectModel? {
    do {
      return try make()
    } catch let error as ManagedObjectModelError where quiet.contains(error.code) {
      return nil
    } catch {
      LogLine.warn("\(name) returns nil: \(error)")
      return nil
    }
  }
}
