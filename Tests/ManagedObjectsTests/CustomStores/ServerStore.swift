import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Synchronization

/// An incremental store of a server, as tutorials write one: its rows are in memory, under text
/// identifiers.
class ServerStore: NSIncrementalStore {
  static let storeType = "ServerStore"

  /// A row of the server: attributes, and identifiers of related rows.
  struct Row {
    var entity: String
    var values: [String: Any]
    var version: UInt64 = 1
  }

  var rows: ServerRows {
    guard let url, let rows = ServerRows.of(url) else { preconditionFailure("There is no server.") }
    return rows
  }

  override var type: String { Self.storeType }

  override func loadMetadata() throws {
    guard let url, ServerRows.of(url) != nil else { throw ServerError.unreachable }
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: "server-\(url.lastPathComponent)"]
  }

  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    switch request.requestType {
    case .fetchRequestType:
      guard let fetch = request as? NSFetchRequest<NSManagedObject>, let context else {
        throw ServerError.unknownRequest
      }
      return try results(of: fetch, context)
    case .saveRequestType:
      guard let save = request as? NSSaveChangesRequest else { throw ServerError.unknownRequest }
      try self.save(save)
      return []
    default: throw ServerError.unknownRequest
    }
  }

  private func results(of fetch: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext)
    throws -> Any
  {
    rows.calls.append("fetch \(fetch.entity?.name ?? "")")
    rows.duringFetch?()
    if let failure = rows.failure { throw failure }
    if let answer = rows.answer { return answer }
    guard let entity = fetch.entity else { throw ServerError.unknownRequest }
    var found = rows.rows.filter { $0.value.entity == entity.name }.keys.sorted()
    if let predicate = fetch.predicate {
      found = found.filter { predicate.evaluate(with: rows.rows[$0]?.values ?? [:]) }
    }
    if fetch.fetchLimit > 0 { found = Array(found.prefix(fetch.fetchLimit)) }
    let identifiers = found.map { newObjectID(for: entity, referenceObject: $0) }
    switch fetch.resultType {
    case .managedObjectIDResultType: return identifiers
    case .countResultType: return [NSNumber(value: identifiers.count)]
    case .dictionaryResultType: return found.compactMap { rows.rows[$0]?.values }
    default: return identifiers.map { context.object(with: $0) }
    }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    if let failure = rows.readFailure { throw failure }
    guard let reference = referenceObject(for: objectID) as? String,
      let row = rows.rows[reference]
    else { throw CocoaError(.managedObjectReferentialIntegrity) }
    rows.calls.append("values \(reference)")
    var values = row.values
    for (name, relationship) in objectID.entity.relationshipsByName {
      guard let destination = relationship.destinationEntity else { continue }
      if relationship.isToMany || rows.asksForRelationships {
        values[name] = nil
      } else {
        let target = row.values[name] as? String
        values[name] = target.map { newObjectID(for: destination, referenceObject: $0) } ?? NSNull()
      }
    }
    return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: row.version)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    if let failure = rows.relationshipFailure { throw failure }
    guard let reference = referenceObject(for: objectID) as? String,
      let row = rows.rows[reference], let destination = relationship.destinationEntity
    else { throw CocoaError(.managedObjectReferentialIntegrity) }
    rows.calls.append("\(relationship.name) \(reference)")
    guard relationship.isToMany else {
      let target = row.values[relationship.name] as? String
      return target.map { newObjectID(for: destination, referenceObject: $0) } ?? NSNull()
    }
    if let inverse = relationship.inverseRelationship, !inverse.isToMany {
      return rows.rows.filter { $0.value.values[inverse.name] as? String == reference }.keys
        .sorted()
        .map { newObjectID(for: destination, referenceObject: $0) }
    }
    return (row.values[relationship.name] as? [String] ?? []).map {
      newObjectID(for: destination, referenceObject: $0)
    }
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    rows.calls.append("identifiers \(array.count)")
    return array.map { object in
      rows.last += 1
      return newObjectID(
        for: object.entity, referenceObject: "\(object.entity.name ?? "")-\(rows.last)")
    }
  }

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
    rows.registered += objectIDs.map { "\(referenceObject(for: $0))" }
  }

  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
    rows.unregistered += objectIDs.map { "\(referenceObject(for: $0))" }
  }

  // MARK: Saving

  private func save(_ request: NSSaveChangesRequest) throws {
    let counts = [request.insertedObjects, request.updatedObjects, request.deletedObjects]
      .map { "\($0?.count ?? -1)" }.joined(separator: " ")
    rows.calls.append("save \(counts), locked \(request.lockedObjects?.count ?? 0)")
    if let failure = rows.failure { throw failure }
    if let conflict = rows.conflict {
      rows.conflict = nil
      try conflict(request)
    }
    for object in request.deletedObjects ?? [] { rows.rows[reference(object)] = nil }
    for object in (request.insertedObjects ?? []).union(request.updatedObjects ?? []) {
      let former = rows.rows[reference(object)]
      rows.rows[reference(object)] = Row(
        entity: object.entity.name ?? "", values: values(of: object),
        version: rows.countsVersions ? (former?.version ?? 0) + 1 : 1)
    }
  }

  private func reference(_ object: NSManagedObject) -> String {
    "\(referenceObject(for: object.objectID))"
  }

  private func values(of object: NSManagedObject) -> [String: Any] {
    var values: [String: Any] = [:]
    for (name, property) in object.entity.propertiesByName where !property.isTransient {
      switch property {
      case is NSAttributeDescription: values[name] = object.value(forKey: name)
      case let relationship as NSRelationshipDescription:
        let related = object.related(name).map(reference)
        values[name] = relationship.isToMany ? related : related.first
      default: break
      }
    }
    return values
  }
}

enum ServerError: Error {
  case unreachable, unknownRequest, refused
}

/// The rows of a server, and what its store was asked.
// Sendable: each test has a server, which one thread uses.
final class ServerRows: @unchecked Sendable {
  /// The servers by address, which outlive their stores.
  private static let servers = Mutex<[URL: ServerRows]>([:])

  static func of(_ address: URL) -> ServerRows? { servers.withLock { $0[address] } }

  var rows: [String: ServerStore.Row] = [:]
  var last = 0
  var calls: [String] = []
  var registered: [String] = []
  var unregistered: [String] = []
  /// The error of fetches and saves.
  var failure: (any Error)?
  /// The error with which reading an object's values fails.
  var readFailure: (any Error)?
  /// The error with which reading a relationship fails.
  var relationshipFailure: (any Error)?
  /// The result that the store returns for every fetch.
  var answer: Any?
  var conflict: ((NSSaveChangesRequest) throws -> Void)?
  /// Called in each fetch.
  var duringFetch: (() -> Void)?
  /// Whether nodes lack their to-one relationships.
  var asksForRelationships = false
  var countsVersions = true

  /// The calls for identifiers and of saves.
  var saves: [String] {
    calls.filter { $0.hasPrefix("identifiers") || $0.hasPrefix("save") }
  }

  /// A new server, under an address of its own.
  static func start() -> (rows: ServerRows, address: URL) {
    let rows = ServerRows()
    let address = URL(fileURLWithPath: "/servers/\(UUID().uuidString)")
    servers.withLock { $0[address] = rows }
    NSPersistentStoreCoordinator.registerStoreClass(
      ServerStore.self, type: NSPersistentStore.StoreType(rawValue: ServerStore.storeType))
    return (rows, address)
  }
}
