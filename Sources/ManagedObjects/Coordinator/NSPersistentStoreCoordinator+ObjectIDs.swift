import Foundation
public import ObjectRows

extension NSPersistentStoreCoordinator {
  func identifier(_ url: URL) -> NSManagedObjectID? {
    guard let uri = ObjectURI(url), let layout = layouts[named: uri.entity] else { return nil }
    switch uri.object {
    case .temporary(let uuid):
      return dependencies.temporaryKeys.key(of: uuid).map {
        NSManagedObjectID(layout: layout, temporaryKey: $0, of: dependencies.temporaryKeys)
      }
    case .permanent(let name, let store):
      guard let store = openStores.first(where: { $0.identity.uuid == store }),
        store.keeps(layout), let key = store.key(named: name, layout: layout)
      else { return nil }
      return NSManagedObjectID(layout: layout, key: key, storeIdentity: store.identity)
    }
  }
}

extension NSManagedObjectID {
  /// The store of the object while a coordinator has it; nil for an unsaved object.
  public var persistentStore: NSPersistentStore? {
    (storeIdentity?.store as? OpenStore)?.persistentStore
  }
}

/// The parts of an object's URI: `x-coredata://store/Entity/p12`, or `x-coredata:///Entity/tUUID`.
struct ObjectURI {
  enum Object {
    case temporary(UUID)
    /// The text after the letter: the key, or the name that the store gave to the row.
    case permanent(String, store: String)
  }

  let entity: String
  let object: Object

  init?(_ url: URL) {
    guard url.scheme?.lowercased() == "x-coredata" else { return nil }
    let parts = url.absoluteString.dropFirst("x-coredata://".count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let entity = String(parts[1]).removingPercentEncoding else {
      return nil
    }
    self.entity = entity
    let name = parts[2].dropFirst()
    switch (parts[0].isEmpty, parts[2].first) {
    case (false, "p"):
      guard let name = String(name).removingPercentEncoding, !name.isEmpty,
        let store = String(parts[0]).removingPercentEncoding
      else { return nil }
      object = .permanent(name, store: store)
    case (true, "t"):
      guard let uuid = UUID(uuidString: String(name)) else { return nil }
      object = .temporary(uuid)
    default: return nil
    }
  }
}
