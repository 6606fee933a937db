public import Foundation

/// A description of how objects of one version of a model become objects of another.
///
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(
///   forSourceModel: version1, destinationModel: version2)
/// ```
open class NSMappingModel: NSObject {
  /// The mappings of entities, in the order in which a migration processes them.
  open var entityMappings: [NSEntityMapping]! = []

  /// The contents when the mappings were inferred; nil if they were not inferred.
  private var inferredContents: String?

  /// Whether the mappings were inferred and not changed since.
  ///
  /// A SQLite store may then be migrated with SQL, instead of object by object.
  package var isInferred: Bool { inferredContents == contents }

  /// Creates a mapping model without mappings.
  public override init() {
    super.init()
  }

  /// Reads a compiled mapping model, a `.cdm` file; nil if it cannot be read.
  ///
  /// The reason of a failure is written to standard error; `init(readingFrom:)` throws it instead.
  public convenience init?(contentsOf url: URL?) {
    guard let url else { return nil }
    do {
      try self.init(readingFrom: url)
    } catch {
      LogLine.warn("NSMappingModel(contentsOf:) returns nil: \(error)")
      return nil
    }
  }

  /// Reads a compiled mapping model, a `.cdm` file.
  ///
  /// Parhelion's addition.
  ///
  /// It throws an error that names the file, what is wrong with it, and how to correct it.
  public convenience init(readingFrom url: URL) throws {
    self.init(entityMappings: try CompiledMapping.read(contentsOf: url).entityMappings)
  }

  /// Finds the compiled mapping model between two models in the resources of bundles; nil if there
  /// is none.
  ///
  /// For nil, the bundles are those of the program and its modules. A mapping model fits if the
  /// version hashes of its entities are those of the models. It must also map every concrete entity
  /// of the destination model.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel,
      let found = AvailableMappings(bundles: bundles).first(from: sourceModel, to: destinationModel)
    else { return nil }
    self.init(entityMappings: found.entityMappings)
  }

  /// Creates a mapping model with mappings.
  package convenience init(entityMappings: [NSEntityMapping]) {
    self.init()
    self.entityMappings = entityMappings
  }

  /// Records that the mappings are those of an inference.
  func recordInference() { inferredContents = contents }

  /// Everything that determines what happens to the objects, as text.
  private var contents: String {
    (entityMappings ?? []).map(\.contents).joined(separator: "\n")
  }

  /// Infers the mapping between two models.
  ///
  /// Two entities or properties correspond if their names are equal. They also correspond if the
  /// renaming identifier in the newer model equals the name or renaming identifier in the older
  /// one. The method throws `CocoaError.inferredMappingModel`, with the reasons, if the models
  /// differ in a way that cannot be inferred.
  open class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try MappingInference(from: sourceModel, to: destinationModel).run()
  }

  /// The mappings of entities by their names.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(
      (entityMappings ?? []).compactMap { mapping in mapping.name.map { ($0, mapping) } },
      uniquingKeysWith: { first, _ in first })
  }
}
