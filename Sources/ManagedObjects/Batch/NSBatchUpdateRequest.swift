public import Foundation
public import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// A request that gives new values to objects in SQLite stores, without loading them.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Item")
/// request.predicate = NSPredicate(format: "isSold == YES")
/// request.propertiesToUpdate = ["stock": 0, "sales": NSExpression(format: "sales + 1")]
/// try context.execute(request)
/// ```
///
/// Values must have the attribute's type. They are not validated otherwise, and no hooks are
/// called. The versions of the objects increase, so a context that changed one of them gets a
/// conflict when it saves.
///
/// Contexts do not notice the update. Request the identifiers, and merge them with
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  private let reference: EntityReference

  /// The condition for the objects to update; nil for all.
  open var predicate: NSPredicate?

  /// Whether objects of subentities are updated too.
  open var includesSubentities = true

  /// The form of the result.
  open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

  /// The new values, by the names or descriptions of attributes.
  ///
  /// A value is a constant, `NSNull`, or an `NSExpression` over the updated object. The key of an
  /// element of a composite attribute is its path.
  open var propertiesToUpdate: [AnyHashable: Any]?

  /// Creates a request for the entity with a name.
  ///
  /// The name is resolved when the request is executed.
  public init(entityName: String) {
    reference = .name(entityName)
    super.init()
  }

  /// Creates a request for an entity.
  public init(entity: NSEntityDescription) {
    reference = .strong(entity)
    super.init()
  }

  private init(copying other: NSBatchUpdateRequest) {
    reference = other.reference
    predicate = other.predicate
    includesSubentities = other.includesSubentities
    resultType = other.resultType
    propertiesToUpdate = other.propertiesToUpdate
    super.init()
    limitedToStores = other.limitedToStores
  }

  /// The name of the entity to update.
  open var entityName: String { reference.name ?? "" }

  /// The entity to update.
  ///
  /// - Warning: A request that was created with the name of an entity has no entity. To read the
  ///   property stops the program, as on Apple's platforms.
  open var entity: NSEntityDescription {
    guard let entity = reference.entity else {
      preconditionFailure(
        "The entity name \(entityName) is resolved when the request is executed. Use entityName."
      )
    }
    return entity
  }

  /// The type of the request: a batch update.
  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  /// Returns an equal request.
  open override func copy(with zone: NSZone? = nil) -> Any { NSBatchUpdateRequest(copying: self) }
}

extension NSBatchUpdateRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    var specification = FetchSpecification()
    specification.entity = reference
    specification.predicate = predicate
    specification.includesSubentities = includesSubentities
    let plan = try FetchPlan(specification, limitedTo: limitedToStores, in: context)
    let execution = BatchExecution(context, BatchResultForm(resultType))
    let stores = try execution.stores(for: plan.layout, limitedToStores)
    let values = try BatchUpdateValues(propertiesToUpdate ?? [:], plan.layout)
    guard !values.isEmpty else { throw BatchError.nothingToUpdate(plan.layout) }
    let result = try execution.run(in: stores) { store in
      try store.update(
        BatchUpdate(
          fetch: plan.fetch, constants: values.constants, constantOrdinals: values.ordinals,
          expressions: values.expressions, transaction: execution.transaction,
          reportsKeys: execution.form == .objectIDs))
    }
    return NSBatchUpdateResult(result, resultType)
  }
}
