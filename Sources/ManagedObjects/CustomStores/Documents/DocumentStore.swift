import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore

/// A store in one document: the superclass of the binary and XML stores.
class DocumentStore: NSAtomicStore {
  private struct State {
    var plan: StorePlan?
    var lastNumber = StoreDocument.firstNumber
    /// The contents of the file when it was last read or written; nil for no file.
    var fingerprint: FileFingerprint?
  }

  private let state = LockedBox(State())

  /// The form of the document.
  class var form: any DocumentForm.Type { preconditionFailure("A subclass has a form.") }

  override var type: String { Swift.type(of: self).form.type }

  // MARK: Reading

  /// Does nothing, because `load()` reads the metadata with the rest of the document.
  override func loadMetadata() throws {}

  override func prepare(_ plan: StorePlan) throws {
    state.withLock { $0.plan = plan }
    try super.prepare(plan)
  }

  override func load() throws {
    guard let plan = state.withLock({ $0.plan }), let url else { return }
    try requireFile(plan.url)
    if isNullDevice { return }
    let file = AtomicFile(url: url, dependencies: plan.dependencies)
    if !isReadOnly { file.removeRemains() }
    guard let data = try file.read(), !data.isEmpty else { return try requireWritable(url) }
    var document = try Self.read(data, url, as: Swift.type(of: self).form)
    let migration = DocumentMigration(plan: plan, url: url)
    let isMigrated = try migration.run(on: &document)
    if isMigrated { try requireMigratable(url) }
    let lastNumber = max(document.lastNumber, document.greatestNumber)
    guard lastNumber < 1 << 62 else {
      throw Self.failure(
        DocumentError("The number of an object is too large.", "Restore it from a backup."), url)
    }
    state.withLock {
      $0.lastNumber = lastNumber
      $0.fingerprint = FileFingerprint(data)
    }
    metadata = document.storeMetadata(type)
    do throws(DocumentError) {
      var reader = DocumentReader(self, plan.model)
      addCacheNodes(try reader.read(document))
    } catch {
      throw Self.failure(error, url)
    }
    if isMigrated { try save() }
  }

  private func requireFile(_ url: URL?) throws(StoreError) {
    guard url?.isFileURL != true else { return }
    throw StoreError(
      .cannotOpen,
      "A store of the type \(type) needs the URL of a file, "
        + "not \(url?.absoluteString ?? "nil"). For one that is not saved, use /dev/null.")
  }

  private func requireWritable(_ url: URL) throws(StoreError) {
    guard isReadOnly else { return }
    throw StoreError(
      .fileNotFound, "There is no store at \(url.path), and a read-only one is not created.",
      context: ["file": url.path])
  }

  private func requireMigratable(_ url: URL) throws(StoreError) {
    guard isReadOnly else { return }
    throw StoreError(
      .migration,
      "The store \(url.path) was written with another version of the model and cannot be "
        + "migrated, since it is opened for reading only.",
      context: ["file": url.path],
      underlying: StoreError(.readOnly, "The store \(url.path) is opened for reading only."))
  }

  private var isNullDevice: Bool { url.map { $0.isFileURL && $0.path == "/dev/null" } ?? true }

  private static func read(_ data: Data, _ url: URL, as form: any DocumentForm.Type)
    throws(StoreError) -> StoreDocument
  {
    do throws(DocumentError) {
      return try form.read([UInt8](data))
    } catch {
      throw failure(error, url)
    }
  }

  private static func failure(_ error: DocumentError, _ url: URL) -> StoreError {
    StoreError(
      .notAStore, "The store \(url.path) cannot be read. \(error.problem) \(error.remedy)",
      context: ["file": url.path])
  }

  // MARK: Writing

  override func save() throws {
    guard let plan = state.withLock({ $0.plan }), let url, !isNullDevice else { return }
    let file = AtomicFile(url: url, dependencies: plan.dependencies)
    try file.withLock {
      try requireUnchanged(file)
      let data = try Self.data(of: document(plan.model), url, as: Swift.type(of: self).form)
      try file.write(data)
      state.withLock { $0.fingerprint = FileFingerprint(data) }
    }
  }

  private func document(_ model: NSManagedObjectModel) throws -> StoreDocument {
    StoreDocument(
      uuid: identifier ?? "", lastNumber: state.withLock { $0.lastNumber },
      metadata: metadataForRows, exactNames: DocumentModel(model).ambiguousNames,
      objects: try DocumentWriter(store: self).objects(of: cacheNodes()))
  }

  private static func data(
    of document: StoreDocument, _ url: URL, as form: any DocumentForm.Type
  ) throws(StoreError) -> Data {
    do throws(DocumentError) {
      return try form.write(document)
    } catch {
      throw StoreError(
        .cannotSave, "The store \(url.path) cannot be written. \(error.problem) \(error.remedy)",
        context: ["file": url.path])
    }
  }

  /// Throws if another program has changed the file, because its changes would be lost.
  private func requireUnchanged(_ file: AtomicFile) throws {
    let current = try file.read().flatMap { $0.isEmpty ? nil : FileFingerprint($0) }
    guard current != state.withLock({ $0.fingerprint }) else { return }
    throw StoreError(
      .changedElsewhere,
      "Another program changed the store \(file.url.path) since it was read. Nothing was "
        + "written. Remove the store from the coordinator, add it again, and repeat the changes.",
      context: ["file": file.url.path])
  }

  /// The URL.
  ///
  /// If a file already exists at a new URL, the next save replaces it.
  override var url: URL? {
    get { super.url }
    set {
      super.url = newValue
      // The next save may replace the file at the new URL, although this store has not read it.
      state.withLock { state in
        let data = newValue.flatMap { url in
          state.plan.flatMap { try? AtomicFile(url: url, dependencies: $0.dependencies).read() }
        }
        state.fingerprint = data.flatMap { $0.isEmpty ? nil : FileFingerprint($0) }
      }
    }
  }

  // MARK: Nodes

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    state.withLock { state in
      state.lastNumber += 1
      return NSNumber(value: state.lastNumber)
    }
  }

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let objectID = managedObject.objectID
    let node = cacheNode(for: objectID) ?? NSAtomicStoreCacheNode(objectID: objectID)
    updateCacheNode(node, from: managedObject)
    return node
  }

  override func updateCacheNode(
    _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
  ) {
    for property in managedObject.entity.properties where !property.isTransient {
      let name = property.name
      switch property {
      case is NSAttributeDescription:
        node.setValue(managedObject.storedValue(forKey: name), forKey: name)
      case let relationship as NSRelationshipDescription:
        let related = managedObject.objectIDs(forRelationshipNamed: name).compactMap {
          self.node(for: $0, in: managedObject.context)
        }
        node.setValue(Self.value(related, relationship), forKey: name)
      default: break
      }
    }
  }

  private static func value(
    _ related: [NSAtomicStoreCacheNode], _ relationship: NSRelationshipDescription
  ) -> Any? {
    if !relationship.isToMany { return related.first }
    return relationship.isOrdered ? NSOrderedSet(array: related) : Set(related)
  }

  /// The node of an object, which is created if the object is new; nil if the object is missing.
  private func node(for objectID: NSManagedObjectID, in context: NSManagedObjectContext?)
    -> NSAtomicStoreCacheNode?
  {
    if let known = cacheNode(for: objectID) { return known }
    guard context?.knownObject(for: objectID)?.isInserted == true else { return nil }
    let made = NSAtomicStoreCacheNode(objectID: objectID)
    addCacheNodes([made])
    return made
  }

  // MARK: Stores that are not open

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try document(at: url).storeMetadata(form.type)
  }

  override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws
  {
    let file = AtomicFile(url: url, dependencies: .current)
    try file.withLock {
      var document = try document(at: url)
      document.setStoreMetadata(metadata ?? [:])
      try file.write(try data(of: document, url, as: form))
    }
  }

  private class func document(at url: URL) throws -> StoreDocument {
    guard let data = try AtomicFile(url: url, dependencies: .current).read() else {
      throw StoreError(
        .fileNotFound, "There is no store at \(url.path).", context: ["file": url.path])
    }
    return try read(data, url, as: form)
  }
}

extension StoreDocument {
  /// The greatest number of an object.
  fileprivate var greatestNumber: Int64 {
    objects.reduce(0) { greatest, object in
      if case .number(let number) = object.name { max(greatest, number) } else { greatest }
    }
  }

  /// The metadata, with UUID and type.
  fileprivate func storeMetadata(_ type: String) -> [String: Any] {
    metadata.merging([NSStoreUUIDKey: uuid, NSStoreTypeKey: type]) { $1 }
  }

  /// Replaces the program's metadata, and the UUID if the new metadata contains one.
  fileprivate mutating func setStoreMetadata(_ metadata: [String: Any]) {
    uuid = metadata[NSStoreUUIDKey] as? String ?? uuid
    var changed = metadata.filter { $0.key != NSStoreUUIDKey && $0.key != NSStoreTypeKey }
    changed.keepFrameworkEntries(of: self.metadata)
    self.metadata = changed
  }
}

/// The binary store: `NSBinaryStoreType`.
final class BinaryStore: DocumentStore {
  override class var form: any DocumentForm.Type { BinaryForm.self }
}

/// The XML store: `NSXMLStoreType`.
final class XMLStore: DocumentStore {
  override class var form: any DocumentForm.Type { XMLForm.self }
}
