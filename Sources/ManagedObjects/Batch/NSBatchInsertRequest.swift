public import Foundation
public import ManagedObjectModel
import ObjectRows

/// A request that inserts objects into a SQLite store, without a context.
///
/// ```swift
/// var lines = file.makeIterator()
/// let request = NSBatchInsertRequest(entity: Quake.entity(), dictionaryHandler: { quake in
///   guard let line = lines.next() else { return true }
///   quake["code"] = line.code
///   return false
/// })
/// try context.execute(request)
/// ```
///
/// Values must have the attributes' types. They are not validated otherwise, and no hooks are
/// called. Attributes without a value get the model's default. Relationships cannot be set.
///
/// If another object has the unique values of a new one, the merge policy of the context decides:
///
/// | policy | effect |
/// |---|---|
/// | error | the request fails with `NSManagedObjectConstraintMergeError` |
/// | store trump, rollback | the stored object stays as it is |
/// | object trump | the stored object gets the given values |
/// | overwrite | the stored object gets all attributes of the new one |
///
/// Contexts do not notice the insertion. Request the identifiers, and merge them with
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
///
/// - Warning: The store is locked while a handler is called, so a handler must not use contexts of
///   the store.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
  private let reference: EntityReference

  /// The values of the objects to insert, by attribute.
  open var objectsToInsert: [[String: Any]]?

  /// The closure that fills in the values of the next object, until it returns true.
  ///
  /// The values of that last call are ignored.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?

  /// The closure that sets the attributes of the next object, until it returns true.
  ///
  /// The object belongs to no context. The object of the last call is ignored.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?

  /// The form of the result.
  open var resultType = NSBatchInsertRequestResultType.statusOnly

  /// Creates a request for the entity with a name, with the values of objects.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    reference = .name(entityName)
    objectsToInsert = dictionaries
    super.init()
  }

  /// Creates a request for an entity, with the values of objects.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    reference = .strong(entity)
    objectsToInsert = dictionaries
    super.init()
  }

  /// Creates a request for the entity with a name, with a closure that provides values.
  public init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    reference = .name(entityName)
    dictionaryHandler = handler
    super.init()
  }

  /// Creates a request for an entity, with a closure that provides values.
  public init(
    entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    reference = .strong(entity)
    dictionaryHandler = handler
    super.init()
  }

  /// Creates a request for the entity with a name, with a closure that sets attributes.
  public init(
    entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    reference = .name(entityName)
    managedObjectHandler = handler
    super.init()
  }

  /// Creates a request for an entity, with a closure that sets attributes.
  public init(
    entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    reference = .strong(entity)
    managedObjectHandler = handler
    super.init()
  }

  private init(copying other: NSBatchInsertRequest) {
    reference = other.reference
    objectsToInsert = other.objectsToInsert
    dictionaryHandler = other.dictionaryHandler
    managedObjectHandler = other.managedObjectHandler
    resultType = other.resultType
    super.init()
    limitedToStores = other.limitedToStores
  }

  /// The name of the entity of the objects.
  open var entityName: String { reference.name ?? "" }

  /// The entity of the objects; nil if the request was created with a name.
  open var entity: NSEntityDescription? { reference.entity }

  /// The type of the request: a batch insertion.
  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  /// Returns an equal request.
  open override func copy(with zone: NSZone? = nil) -> Any { NSBatchInsertRequest(copying: self) }
}

extension NSBatchInsertRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    var specification = FetchSpecification()
    specification.entity = reference
    let plan = try FetchPlan(specification, limitedTo: limitedToStores, in: context)
    guard !plan.layout.entity.isAbstract else { throw BatchError.abstract(plan.layout) }
    let execution = BatchExecution(context, BatchResultForm(resultType))
    let store = try execution.storeForInsertion(of: plan.layout, limitedToStores)
    let uniqueness = UniquenessRule(context.mergePolicy)
    let rows = try BatchRows(plan.layout, source(), needsGiven: uniqueness == .updateGiven)
    let result = try execution.run(in: [store]) { store in
      try store.insert(
        BatchInsertion(
          layout: plan.layout, uniqueness: uniqueness,
          transaction: execution.transaction, reportsKeys: execution.form == .objectIDs,
          nextRows: rows.next))
    }
    return NSBatchInsertResult(result, resultType)
  }

  private func source() -> BatchRows.Source {
    if let managedObjectHandler { return .objects(managedObjectHandler) }
    if let dictionaryHandler { return .handler(dictionaryHandler) }
    return .dictionaries(objectsToInsert ?? [])
  }
}

extension UniquenessRule {
  /// The rule of a context's merge policy.
  init(_ policy: Any) {
    switch (policy as? NSMergePolicy)?.mergeType {
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: self = .keepStored
    case .mergeByPropertyObjectTrumpMergePolicyType: self = .updateGiven
    case .overwriteMergePolicyType: self = .replace
    default: self = .fail
    }
  }
}
