public import Foundation
public import ManagedObjectModel

// Sendable: immutable but for the store's identity, which has its own lock.
/// Names one object of one store, across contexts, threads and, in its URI form, processes.
///
/// A new object has a temporary identifier, which changes when the object is first saved or when
/// `obtainPermanentIDs(for:)` asks for it.
public final class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable
{
  package let layout: RowLayout
  /// The primary key; negative while the identifier is temporary.
  package let key: Int64
  private let origin: Origin

  /// Where a key comes from: one word, since there are many identifiers.
  private enum Origin {
    case store(StoreIdentity)
    /// A store that is not known any more.
    case lost
    case unsaved(TemporaryKeys)
  }

  /// An identifier of a row.
  ///
  /// The key is what the store says: a damaged file may have any.
  package init(layout: RowLayout, key: Int64, storeIdentity: StoreIdentity?) {
    self.layout = layout
    self.key = key
    origin = storeIdentity.map(Origin.store) ?? .lost
  }

  /// A temporary identifier.
  package init(layout: RowLayout, temporaryKey key: Int64, of keys: TemporaryKeys) {
    precondition(key < 0, "The key \(key) is a permanent one: it belongs to a store.")
    self.layout = layout
    self.key = key
    origin = .unsaved(keys)
  }

  /// Creates an identifier of no object, which stands for one in tests.
  ///
  /// It is temporary and equal to no other. Its entity has no name.
  public override convenience init() {
    let layout = RowLayout(entity: NSEntityDescription(), index: 0, rootIndex: 0)
    self.init(layout: layout, temporaryKey: TemporaryKeys.usual.next(), of: .usual)
  }

  /// The store, or nil for an object that belongs to none yet.
  package var storeIdentity: StoreIdentity? {
    if case .store(let identity) = origin { identity } else { nil }
  }

  /// The entity of the object.
  public var entity: NSEntityDescription { layout.entity }

  /// Whether the object was not saved yet.
  public var isTemporaryID: Bool { key < 0 }

  /// The identifier as a URI, which `managedObjectID(forURIRepresentation:)` turns back into an
  /// identifier.
  ///
  /// The URI of a temporary identifier has a meaning only in this process.
  public func uriRepresentation() -> URL {
    let name =
      (entity.name ?? "").addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
    let text =
      switch origin {
      case .unsaved(let keys): "x-coredata:///\(name)/t\(keys.uuid(of: key).uuidString)"
      case .store(let identity): "x-coredata://\(identity.uuid)/\(name)/p\(key)"
      case .lost: "x-coredata:///\(name)/p\(key)"
      }
    guard let url = URL(string: text) else { preconditionFailure("\(text) is no URI.") }
    return url
  }

  /// Identifiers are equal when they name the same row of the same store, or the same unsaved
  /// object.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    if other === self { return true }
    guard key == other.key else { return false }
    if isTemporaryID { return true }
    guard layout === other.layout || isOfRoot(of: other) else { return false }
    return storeIdentity === other.storeIdentity || storeIdentity?.uuid == other.storeIdentity?.uuid
  }

  /// Equal identifiers have equal hashes.
  public override var hash: Int { Int(truncatingIfNeeded: key) ^ layout.rootNameHash }

  /// The identifier itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// The URI.
  public override var description: String {
    "0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)) <\(uriRepresentation().absoluteString)>"
  }

  private func isOfRoot(of other: NSManagedObjectID) -> Bool {
    layout.rootNameHash == other.layout.rootNameHash
      && entity.lineage.last?.name == other.entity.lineage.last?.name
  }
}

/// What has an object identifier: an identifier itself, and a managed object.
///
/// Stores turn constants of predicates into keys through it, without knowing objects.
package protocol ObjectIdentified {
  var identified: NSManagedObjectID { get }
}

extension NSManagedObjectID: ObjectIdentified {
  package var identified: NSManagedObjectID { self }
}
