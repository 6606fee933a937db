public import Foundation
public import ManagedObjectModel

// Sendable: immutable except for the store's identity, which has a lock.
/// An identifier of one object in one store, valid across contexts, threads and, as a URI,
/// processes.
///
/// A new object has a temporary identifier, until the object is first saved or
/// `obtainPermanentIDs(for:)` is called.
public final class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable
{
  package let layout: RowLayout
  /// The primary key.
  ///
  /// It is negative while the identifier is temporary.
  package let key: Int64
  private let origin: Origin

  /// The origin of a key.
  ///
  /// It takes one word, because there are many identifiers.
  private enum Origin {
    case store(StoreIdentity)
    /// The store is no longer known.
    case lost
    case unsaved(TemporaryKeys)
  }

  /// Creates an identifier of a row.
  ///
  /// The key comes from the store. In a damaged file it may be any number.
  package init(layout: RowLayout, key: Int64, storeIdentity: StoreIdentity?) {
    self.layout = layout
    self.key = key
    origin = storeIdentity.map(Origin.store) ?? .lost
  }

  /// Creates a temporary identifier.
  package init(layout: RowLayout, temporaryKey key: Int64, of keys: TemporaryKeys) {
    precondition(key < 0, "The key \(key) is a permanent one: it belongs to a store.")
    self.layout = layout
    self.key = key
    origin = .unsaved(keys)
  }

  /// Creates an identifier without an object, for tests.
  ///
  /// It is temporary and equal to no other. Its entity has no name.
  public override convenience init() {
    let layout = RowLayout(entity: NSEntityDescription(), index: 0, rootIndex: 0)
    self.init(layout: layout, temporaryKey: TemporaryKeys.usual.next(), of: .usual)
  }

  /// The store's identity, or nil for an object without a store.
  package var storeIdentity: StoreIdentity? {
    if case .store(let identity) = origin { identity } else { nil }
  }

  /// The entity of the object.
  public var entity: NSEntityDescription { layout.entity }

  /// Whether the identifier is temporary because the object was not saved yet.
  public var isTemporaryID: Bool { key < 0 }

  /// Returns a URI for the identifier, which `managedObjectID(forURIRepresentation:)` converts
  /// back.
  ///
  /// The URI of a temporary identifier is valid only in this process.
  public func uriRepresentation() -> URL {
    let name =
      (entity.name ?? "").addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
    let text =
      switch origin {
      case .unsaved(let keys): "x-coredata:///\(name)/t\(keys.uuid(of: key).uuidString)"
      case .store(let identity): Self.uri(of: key, layout, in: identity, entity: name)
      case .lost: "x-coredata:///\(name)/p\(key)"
      }
    guard let url = URL(string: text) else { preconditionFailure("\(text) is no URI.") }
    return url
  }

  /// The characters that need no escape in a host, without those that delimit addresses and ports.
  private static let allowedInHost = CharacterSet.urlHostAllowed.subtracting(
    CharacterSet(charactersIn: "[]:"))

  private static func uri(
    of key: Int64, _ layout: RowLayout, in identity: StoreIdentity, entity: String
  ) -> String {
    // A program may set the UUID, and a store's class chooses the name: both may be any text.
    let host = identity.uuid.addingPercentEncoding(withAllowedCharacters: allowedInHost) ?? ""
    guard let names = identity.rowNames else { return "x-coredata://\(host)/\(entity)/p\(key)" }
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
    let name =
      names.name(of: key, root: layout.rootName)?
      .addingPercentEncoding(withAllowedCharacters: allowed) ?? "\(key)"
    return "x-coredata://\(host)/\(entity)/p\(name)"
  }

  /// Returns whether both identifiers name the same row of the same store, or the same unsaved
  /// object.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    if other === self { return true }
    guard key == other.key else { return false }
    if isTemporaryID { return true }
    guard layout === other.layout || isOfRoot(of: other) else { return false }
    return storeIdentity === other.storeIdentity || storeIdentity?.uuid == other.storeIdentity?.uuid
  }

  /// The hash, which is equal for equal identifiers.
  public override var hash: Int { Int(truncatingIfNeeded: key) ^ layout.rootNameHash }

  /// Returns the identifier itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// The URI of the identifier.
  public override var description: String {
    "0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)) <\(uriRepresentation().absoluteString)>"
  }

  private func isOfRoot(of other: NSManagedObjectID) -> Bool {
    layout.rootNameHash == other.layout.rootNameHash
      && entity.lineage.last?.name == other.entity.lineage.last?.name
  }
}

/// A value with an object identifier: an identifier itself, or a managed object.
///
/// Stores use it to convert constants of predicates to keys without depending on managed objects.
package protocol ObjectIdentified {
  var identified: NSManagedObjectID { get }
}

extension NSManagedObjectID: ObjectIdentified {
  package var identified: NSManagedObjectID { self }
}
