import Foundation
import ManagedObjectModel
public import PredicateLanguage

/// A call of a migration manager's method by an expression.
struct ManagerCall {
  let manager: NSMigrationManager
  let arguments: [Any?]

  func perform(_ selector: String) throws -> Any? {
    switch selector {
    case ManagerSelector.destinations:
      return manager.destinationInstances(
        forEntityMappingName: try mappingName(), sourceInstances: objects(1))
    case ManagerSelector.sources:
      return manager.sourceInstances(
        forEntityMappingName: try mappingName(), destinationInstances: objects(1))
    case ManagerSelector.destinationsOfRelationship:
      return manager.state?.associations.destinations(ofEach: objects(1)) ?? []
    case ManagerSelector.sourceRequest: return try sourceRequest()
    case ManagerSelector.sourceEntity: return manager.sourceEntity(for: try mapping())
    case ManagerSelector.destinationEntity: return manager.destinationEntity(for: try mapping())
    case "valueForKey:": return try value(try text(0))
    case _ where arguments.isEmpty: return try value(selector)
    default: throw unknown(selector)
    }
  }

  private func value(_ key: String) throws -> Any? {
    guard manager.hasValue(forKey: key) else { throw unknown(key) }
    return manager.value(forKey: key)
  }

  private func sourceRequest() throws -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: try text(0))
    request.predicate = try NSPredicate(parsing: try text(1))
    request.includesSubentities = false
    return request
  }

  // MARK: Arguments

  private func objects(_ index: Int) -> [NSManagedObject] {
    MigrationObjects.list(index < arguments.count ? arguments[index] : nil)
  }

  private func text(_ index: Int) throws -> String {
    guard index < arguments.count, let text = arguments[index] as? String else {
      throw PredicateEvaluationError(
        .badFunctionCall,
        "The argument \(index + 1) of a migration manager's method must be a string.")
    }
    return text
  }

  /// The name of a mapping, which must exist: a misspelled name would lose relationships.
  private func mappingName() throws -> String {
    let name = try text(0)
    let known = manager.mappingModel.entityMappingsByName
    guard known[name] != nil else {
      throw PredicateEvaluationError(
        .badFunctionCall,
        """
        The mapping model has no entity mapping \(name). It has these: \
        \(known.keys.sorted().joined(separator: ", ")).
        """
      )
    }
    return name
  }

  private func mapping() throws -> NSEntityMapping {
    guard let mapping = arguments.first as? NSEntityMapping else {
      throw PredicateEvaluationError(.badFunctionCall, "The argument must be an entity mapping.")
    }
    return mapping
  }

  private func unknown(_ selector: String) -> PredicateEvaluationError {
    PredicateEvaluationError(
      .badFunctionCall,
      """
      The migration manager \(type(of: manager)) does not perform “\(selector)”. Override \
      perform(selectorNamed:with:) in a subclass.
      """
    )
  }
}

extension NSMigrationManager: SelectorPerforming {}

/// The keys of a manager that expressions can read, such as `$manager.userInfo.factor`.
///
/// Parhelion's addition.
extension NSMigrationManager: KeyValueCoding {
  /// Returns the value of a property of the manager.
  public func value(forKey key: String) -> Any? { Self.values[key]?(self) }

  /// Returns whether the manager has a property with this name.
  public func hasValue(forKey key: String) -> Bool { Self.values[key] != nil }

  private static let values: [String: @Sendable (NSMigrationManager) -> Any?] = [
    "sourceModel": { $0.sourceModel }, "destinationModel": { $0.destinationModel },
    "sourceContext": { $0.sourceContext }, "destinationContext": { $0.destinationContext },
    "mappingModel": { $0.mappingModel }, "currentEntityMapping": { $0.currentEntityMapping },
    "migrationProgress": { $0.migrationProgress }, "userInfo": { $0.userInfo },
    "usesStoreSpecificMigrationManager": { $0.usesStoreSpecificMigrationManager }, "self": { $0 },
  ]
}

extension NSManagedObjectContext: FetchPerforming {
  package func results(ofFetch request: Any) throws -> [Any]? {
    guard let request = request as? NSPersistentStoreRequest,
      request.requestType == .fetchRequestType
    else { return nil }
    return (try executeRequest(request) as? FetchResult)?.results
  }
}
