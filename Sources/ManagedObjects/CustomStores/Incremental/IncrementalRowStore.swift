import Foundation
import ManagedObjectModel
import ObjectRows

/// The rows of an incremental store: keys for references, rows for nodes, save requests for
/// changes.
///
/// ```
/// context ──RowFetch, StoreChanges──▶ IncrementalRowStore ──requests──▶ the program's class
///         ◀──────rows, keys──────────                     ◀─nodes, IDs──
/// ```
///
/// The row versions are not those of the nodes, because many classes return the same version for
/// every node. See `NodeVersions`.
final class IncrementalRowStore: ContextualRowStore {
  let identity: StoreIdentity
  let layouts: ModelLayouts
  private let connection: IncrementalConnection
  /// The context whose requests are executed; nil before the store is bound to one.
  private let context: NSManagedObjectContext?

  convenience init(_ store: NSIncrementalStore, _ layouts: ModelLayouts) {
    self.init(
      IncrementalConnection(store), identity: store.references.identity, layouts: layouts,
      context: nil)
  }

  private init(
    _ connection: IncrementalConnection, identity: StoreIdentity, layouts: ModelLayouts,
    context: NSManagedObjectContext?
  ) {
    self.connection = connection
    self.identity = identity
    self.layouts = layouts
    self.context = context
  }

  // MARK: Contexts

  var fetchesFaults: Bool { true }

  var isMovable: Bool { false }

  func bound(to context: NSManagedObjectContext) -> any RowStore {
    IncrementalRowStore(connection, identity: identity, layouts: layouts, context: context)
  }

  func permanentKeys(for objects: ContiguousArray<NSManagedObject>) throws
    -> ContiguousArray<Int64>
  {
    try connection.withStore { store in
      let identifiers = try store.obtainPermanentIDs(for: Array(objects))
      guard identifiers.count == objects.count else {
        throw answer(
          "\(type(of: store)).obtainPermanentIDs(for:) returned \(identifiers.count) "
            + "identifiers for \(objects.count) objects. Return one for each, in the same order."
        )
      }
      let keys = try identifiers.map(key)
      try NewKeys(keys, of: objects, in: identity).check(
        "\(type(of: store)).obtainPermanentIDs(for:)")
      return ContiguousArray(keys.map(\.key))
    }
  }

  func key(named name: String, layout: RowLayout) -> Int64? {
    (try? connection.store())?.referenceTable.key(named: name, layout)
  }

  // MARK: Metadata

  func metadata() throws -> [String: Any] { try connection.store().metadataForRows }

  func setMetadata(_ metadata: [String: Any]) throws {
    try connection.store().setMetadataForRows(metadata)
  }

  // MARK: Fetching

  func fetchRows(_ fetch: RowFetch) throws -> FetchedRows {
    var found = FetchedRows()
    for key in try fetchKeys(fetch) {
      let rows = try rows(withKeys: [key.key], layout: layouts[key.layoutIndex])
      found.rows += rows.rows.map {
        FetchedRow(row: $0.row, page: $0.page + Int32(found.pages.count))
      }
      found.pages += rows.pages
    }
    return found
  }

  func fetchKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey> {
    let elements = try elements(of: execute(fetch))
    context?.heldAnswers += elements
    return ContiguousArray(try elements.map(key(ofResult:)))
  }

  func count(_ fetch: RowFetch) throws -> Int {
    var counting = fetch
    counting.specification.resultType = .countResultType
    let result = try execute(counting)
    if let number = result as? NSNumber { return number.intValue }
    let elements = try elements(of: result)
    if elements.count == 1, let number = elements[0] as? NSNumber { return number.intValue }
    return elements.count
  }

  func fetchDictionaries(_ fetch: RowFetch) throws -> [[String: Any]] {
    try elements(of: execute(fetch)).map { element in
      guard let dictionary = element as? [String: Any] else {
        throw answer(
          "The store returned a \(type(of: element)) for a fetch of dictionaries. Return an "
            + "array of dictionaries."
        )
      }
      return dictionary
    }
  }

  private func execute(_ fetch: RowFetch) throws -> Any {
    let request = NSFetchRequest<NSManagedObject>()
    request.specification = fetch.specification
    request.specification.entity = .strong(fetch.layout.entity)
    return try connection.withStore { store in
      request.affectedStores = [store]
      return try store.execute(request, with: boundContext())
    }
  }

  private func elements(of result: Any) throws -> [Any] {
    guard let elements = StoreAnswer.elements(result) else {
      throw answer(
        "The store returned a \(type(of: result)) for a fetch request. Return an array.")
    }
    return elements
  }

  private func key(ofResult element: Any) throws -> RowKey {
    guard let identified = element as? any ObjectIdentified else {
      throw answer(
        "The store returned a \(type(of: element)) for a fetch of objects. Return objects or "
          + "identifiers."
      )
    }
    return try key(identified.identified)
  }

  /// The key of an identifier that the store returned.
  private func key(_ objectID: NSManagedObjectID) throws -> RowKey {
    let store = try connection.store()
    let root = objectID.layout.rootName
    guard !objectID.isTemporaryID, store.isOwn(objectID),
      let name = store.referenceTable.entityName(of: objectID.key, root: root),
      let layout = layouts[named: name]
    else {
      throw answer(
        "The store returned \(objectID), which is not an identifier of its own. Create "
          + "identifiers with newObjectID(for:referenceObject:)."
      )
    }
    return RowKey(key: objectID.key, layoutIndex: Int32(layout.index))
  }

  private func answer(_ message: String) -> StoreError { StoreError(.unfitValue, message) }

  // MARK: Rows

  func rows(withKeys keys: [Int64], layout: RowLayout) throws -> FetchedRows {
    try connection.withStore { try rows(withKeys: keys, layout, in: $0) }
  }

  private func rows(withKeys keys: [Int64], _ layout: RowLayout, in store: NSIncrementalStore)
    throws -> FetchedRows
  {
    let references = store.referenceTable
    var found = FetchedRows()
    for key in keys {
      let own =
        references.entityName(of: key, root: layout.rootName).flatMap { layouts[named: $0] }
        ?? layout
      guard own.entity.isKindOf(entity: layout.entity) else {
        throw answer(
          "The store used one reference for objects of \(own.entity.name ?? "") and of "
            + "\(layout.entity.name ?? ""). References are unique among entities with a common "
            + "ancestor.")
      }
      let page = RowPage(layout: own, capacity: 1)
      do {
        try fill(page.appendRow(key: key, version: 0), own, in: store)
      } catch let error as NSError where error.isOfMissingObject {
        continue
      }
      found.rows.append(FetchedRow(row: page.row(at: 0), page: Int32(found.pages.count)))
      found.pages.append(page)
    }
    return found
  }

  /// Fills a row with the values of the object's node.
  private func fill(_ row: RowReference, _ layout: RowLayout, in store: NSIncrementalStore) throws {
    let context = try boundContext()
    let objectID = NSManagedObjectID(layout: layout, key: row.key, storeIdentity: identity)
    let rowKey = RowKey(key: row.key, layoutIndex: Int32(layout.index))
    let node = try store.newValuesForObject(with: objectID, with: context)
    row.version = connection.versions.version(of: rowKey, read: node.version, layouts)
    var members: [String: [RowKey]] = [:]
    for (ordinal, property) in layout.properties.enumerated() where !property.isTransient {
      switch property {
      case let attribute as NSAttributeDescription:
        try CustomStoreRow(row: row, layout: layout).set(
          node.value(for: attribute), ofAttribute: attribute, ordinal)
      case let relationship as NSRelationshipDescription where relationship.isToMany:
        guard let value = node.value(for: relationship) else { continue }
        members[relationship.name] = try destinations(value)
      case let relationship as NSRelationshipDescription:
        let value =
          try node.value(for: relationship)
          ?? store.newValue(forRelationship: relationship, forObjectWith: objectID, with: context)
        guard let destination = try destinations(value).first else { continue }
        CustomStoreRow(row: row, layout: layout).set(destination, ofRelationship: ordinal)
      default: break
      }
    }
    connection.setMembers(members, of: rowKey)
  }

  private func destinations(_ value: Any) throws -> [RowKey] {
    if isNull(value) { return [] }
    if let identified = value as? any ObjectIdentified { return [try key(identified.identified)] }
    return try elements(of: value).map(key(ofResult:))
  }

  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool
  ) throws -> RelatedRows {
    var related = RelatedRows()
    var rows = FetchedRows()
    for owner in owners {
      for member in try members(of: relationship, owner, layout) {
        related.owners.append(owner)
        related.members.append(member)
        guard includingRows else { continue }
        let found = try self.rows(withKeys: [member.key], layout: layouts[member.layoutIndex])
        guard let row = found.rows.first else { continue }
        rows.rows.append(FetchedRow(row: row.row, page: Int32(rows.pages.count)))
        rows.pages += found.pages
      }
    }
    if includingRows { related.rows = rows }
    return related
  }

  private func members(
    of relationship: NSRelationshipDescription, _ owner: Int64, _ layout: RowLayout
  ) throws -> [RowKey] {
    let rowKey = RowKey(key: owner, layoutIndex: Int32(layout.index))
    return try connection.withStore { store in
      if let known = connection.members(named: relationship.name, of: rowKey) { return known }
      let objectID = NSManagedObjectID(layout: layout, key: owner, storeIdentity: identity)
      let value = try store.newValue(
        forRelationship: relationship, forObjectWith: objectID, with: boundContext())
      return try destinations(value)
    }
  }

  // MARK: Saving

  func reserveRanges(_ counts: [(layout: RowLayout, count: Int)], forSave: Bool) throws
    -> [Range<Int64>]
  {
    throw Self.needsContext
  }

  private static var needsContext: StoreError {
    StoreError(
      .unsupportedOperation,
      "An incremental store is read and saved by contexts only, because its class expects one.")
  }

  private func boundContext() throws(StoreError) -> NSManagedObjectContext {
    if let context { return context }
    throw Self.needsContext
  }

  func conflicts(of changes: StoreChanges) throws -> [StoreConflict] {
    func conflict(
      _ key: Int64, _ layout: RowLayout, expecting version: Int64?, isDeletion: Bool
    ) throws -> StoreConflict? {
      let rowKey = RowKey(key: key, layoutIndex: Int32(layout.index))
      guard let version, let known = connection.versions.known(rowKey, layouts), known != version
      else { return nil }
      return .version(rowKey, isDeletion: isDeletion, persisted: try page(of: rowKey))
    }
    return try changes.updated.compactMap {
      try conflict($0.row.key, $0.layout, expecting: $0.expectedVersion, isDeletion: false)
    }
      + changes.deleted.compactMap {
        try conflict($0.key, $0.layout, expecting: $0.expectedVersion, isDeletion: true)
      }
  }

  /// The store's current row on its own page; nil if the store does not have it.
  private func page(of key: RowKey) throws -> RowPage? {
    try rows(withKeys: [key.key], layout: layouts[key.layoutIndex]).pages.first
  }

  /// Saves changes.
  ///
  /// No other save comes between the check for conflicts and the record of the new versions.
  func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    try connection.withStore { try save(changes, to: $0) }
  }

  private func save(_ changes: StoreChanges, to store: NSIncrementalStore) throws
    -> StoreSaveOutcome
  {
    let context = try boundContext()
    let conflicts = try conflicts(of: changes)
    guard conflicts.isEmpty else { return .conflicts(conflicts) }
    do {
      let objects = SavedObjectSets(changes, identity, in: context)
      _ = try store.execute(objects.request, with: context)
      // If the class could not read a value of an object, it may have written nil for it.
      try context.requireSuccessfulReads()
    } catch {
      let reported = try reportedConflicts(in: error)
      guard !reported.isEmpty else { throw error }
      return .conflicts(reported)
    }
    var receipt = StoreSaveReceipt()
    connection.recordSave(changes, layouts, &receipt)
    return .saved(receipt)
  }

  /// The conflicts with which the store's class rejected a save.
  private func reportedConflicts(in error: any Error) throws -> [StoreConflict] {
    let error = error as NSError
    guard error.code == NSPersistentStoreSaveConflictsError,
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    else { return [] }
    return try conflicts.map { conflict in
      let object = conflict.sourceObject
      let key = RowKey(key: object.key, layoutIndex: Int32(object.layout.index))
      connection.versions.recordChange(of: key, layouts)
      return .version(key, isDeletion: object.isDeleted, persisted: try page(of: key))
    }
  }

  func close() { connection.close() }
}

extension NSError {
  /// Whether a class reports with this error that its store does not have an object.
  fileprivate var isOfMissingObject: Bool {
    domain == NSCocoaErrorDomain && code == NSManagedObjectReferentialIntegrityError
  }
}
