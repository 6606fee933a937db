public import Foundation
public import ManagedObjectModel
public import ObjectRows
import PredicateLanguage

/// A request that deletes objects in SQLite stores, without loading them.
///
/// ```swift
/// let drafts: NSFetchRequest<NSFetchRequestResult> = Note.fetchRequest()
/// drafts.predicate = NSPredicate(format: "isDraft == YES")
/// try context.execute(NSBatchDeleteRequest(fetchRequest: drafts))
/// ```
///
/// The delete rules Cascade and Nullify are applied. The request fails if a relationship with the
/// rule Deny still has destinations, or if a required relationship would lose its destination.
/// Objects are not validated otherwise, and their hooks are not called.
///
/// Contexts do not notice the deletion. Request the identifiers, and merge them with
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
///
/// `affectedStores` limits the request to some stores. (On Apple's platforms, the request ignores
/// the affected stores of its fetch request.)
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  private let storedRequest: NSFetchRequest<any NSFetchRequestResult>
  /// The names of the given objects' entities, if these have no common ancestor; else nil.
  private let mixedEntities: [String]?
  /// Whether the request was created with an empty list of identifiers.
  private let isEmpty: Bool

  /// The form of the result.
  open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

  /// A copy of the request for the objects to delete.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { storedRequest.duplicate() }

  /// Creates a request that deletes the objects that a fetch request matches.
  ///
  /// The fetch request's predicate, sort descriptors, limit and offset are used.
  public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
    storedRequest = NSFetchRequest<any NSFetchRequestResult>()
    storedRequest.specification = fetch.duplicate().specification
    storedRequest.specification.resultType = .managedObjectIDResultType
    storedRequest.limitedToStores = fetch.limitedToStores
    mixedEntities = nil
    isEmpty = false
    super.init()
    limitedToStores = fetch.limitedToStores
  }

  /// Creates a request that deletes the objects that a fetch request of any type matches.
  ///
  /// Parhelion's addition.
  public convenience init<Result>(fetchRequest fetch: NSFetchRequest<Result>) {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.specification = fetch.specification
    request.limitedToStores = fetch.limitedToStores
    self.init(fetchRequest: request)
  }

  /// Creates a request that deletes objects by their identifiers.
  ///
  /// All objects must be of one entity or its subentities. If they are not, executing the request
  /// throws an error.
  public init(objectIDs objects: [NSManagedObjectID]) {
    storedRequest = NSFetchRequest<any NSFetchRequestResult>()
    let common = NSEntityDescription.commonAncestor(of: objects.map(\.entity))
    storedRequest.specification.entity = common.map(EntityReference.strong) ?? .none
    storedRequest.specification.resultType = .managedObjectIDResultType
    storedRequest.specification.predicate = NSPredicate(format: "SELF IN %@", objects)
    isEmpty = objects.isEmpty
    mixedEntities =
      common == nil && !objects.isEmpty
      ? Set(objects.compactMap(\.entity.name)).sorted() : nil
    super.init()
  }

  private init(copying other: NSBatchDeleteRequest) {
    storedRequest = other.storedRequest.duplicate()
    mixedEntities = other.mixedEntities
    isEmpty = other.isEmpty
    resultType = other.resultType
    super.init()
    limitedToStores = other.limitedToStores
  }

  /// The type of the request: a batch deletion.
  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

  /// Returns an equal request.
  open override func copy(with zone: NSZone? = nil) -> Any { NSBatchDeleteRequest(copying: self) }
}

extension NSBatchDeleteRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    NSBatchDeleteResult(try result(in: context), resultType)
  }

  private func result(in context: NSManagedObjectContext) throws -> Any {
    let execution = BatchExecution(context, BatchResultForm(resultType))
    if let mixedEntities { throw BatchError.mixedEntities(mixedEntities) }
    if isEmpty { return execution.result([]) }
    let plan = try FetchPlan(
      storedRequest.specification, limitedTo: limitedToStores, in: context)
    let stores = try execution.stores(for: plan.layout, limitedToStores)
    if stores.count > 1, storedRequest.fetchLimit > 0 || storedRequest.fetchOffset > 0 {
      return try resultOfWindow(in: context)
    }
    return try execution.run(in: stores) { store in
      try store.delete(
        BatchDeletion(
          fetch: plan.fetch, transaction: execution.transaction,
          reportsKeys: execution.form == .objectIDs))
    }
  }
}

extension NSBatchDeleteRequest {
  /// Deletes the objects that the fetch request finds in all stores together.
  ///
  /// A limit and an offset count the objects of all stores, so no store can apply them alone.
  private func resultOfWindow(in context: NSManagedObjectContext) throws -> Any {
    let all = storedRequest.duplicate()
    (all.includesPendingChanges, all.resultType) = (false, .managedObjectIDResultType)
    all.limitedToStores = limitedToStores
    let found = try context.fetch(all).compactMap { $0 as? NSManagedObjectID }
    let request = NSBatchDeleteRequest(objectIDs: found)
    (request.resultType, request.limitedToStores) = (resultType, limitedToStores)
    return try request.result(in: context)
  }
}

extension NSEntityDescription {
  /// The nearest entity that all of these are or inherit from, or nil if there is none.
  fileprivate static func commonAncestor(of entities: [NSEntityDescription])
    -> NSEntityDescription?
  {
    guard let first = entities.first else { return nil }
    // Few entities occur, whatever the number of objects.
    var different: [ObjectIdentifier: NSEntityDescription] = [:]
    for entity in entities { different[ObjectIdentifier(entity)] = entity }
    let others = different.values.map { entity in Set(entity.lineage.compactMap(\.name)) }
    return first.lineage.first { ancestor in
      others.allSatisfy { $0.contains(ancestor.name ?? "") }
    }
  }
}
