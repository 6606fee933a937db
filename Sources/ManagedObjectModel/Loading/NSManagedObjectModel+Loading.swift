public import Foundation

extension NSManagedObjectModel {
  /// Reads a compiled model, a `.mom` file or a `.momd` folder, or gives nil if it cannot be read.
  ///
  /// Of a folder, the current version is read. Standard error says why a model cannot be read, and
  /// `init(readingFrom:)` throws it.
  public convenience init?(contentsOf url: URL) {
    guard
      let model = Self.orNil(
        "NSManagedObjectModel(contentsOf:)", { try CompiledModel.read(contentsOf: url) })
    else { return nil }
    self.init(takingOver: model)
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
  /// For nil these are the models that are linked into the program, and those among its resources
  /// and the resources of its modules. A list that contains the main bundle, as `Bundle(for:)`
  /// gives it, includes the linked models too. It gives nil if there are none, or if one cannot be
  /// read. Standard error says why, and `merging(from:)` throws it.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    orNil("mergedModel(from:)") { try merging(from: bundles) }
  }

  /// Creates a model with those entities of the compiled models in bundles that a store was written
  /// with.
  ///
  /// All versions of every model are considered.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    orNil("mergedModel(from:forStoreMetadata:)", quietFor: [.noModelForStore, .modelNotFound]) {
      try merging(from: bundles, forStoreMetadata: metadata)
    }
  }

  /// Creates a model with the entities of every compiled model in bundles.
  ///
  /// Parhelion's addition.
  ///
  /// It throws where there are no models, where one cannot be read, and where two have different
  /// entities of one name.
  public class func merging(from bundles: [Bundle]?) throws -> NSManagedObjectModel {
    let models = try AvailableModels(bundles: bundles).currentVersions()
    guard !models.isEmpty else { throw AvailableModels.noModels(in: bundles) }
    return try NSManagedObjectModel(merging: models)
  }

  /// Creates a model with those entities of the compiled models in bundles that a store was written
  /// with.
  ///
  /// Parhelion's addition.
  public class func merging(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) throws -> NSManagedObjectModel {
    let models = try AvailableModels(bundles: bundles).allVersions()
    return try NSManagedObjectModel(merging: models, forStoreMetadata: metadata)
  }

  /// The model, or nil after standard error was told the reason.
  ///
  /// That no model fits a store, or that there is none to try, is an answer that programs ask for.
  private static func orNil(
    _ name: String, quietFor quiet: Set<ManagedObjectModelError.Code> = [],
    _ make: () throws -> NSManagedObjectModel
  ) -> NSManagedObjectModel? {
    do {
      return try make()
    } catch let error as ManagedObjectModelError where quiet.contains(error.code) {
      return nil
    } catch {
      LogLine.warn("\(name) gives nil: \(error)")
      return nil
    }
  }
}
