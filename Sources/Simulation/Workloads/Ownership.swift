import ManagedObjectModel
import ManagedObjects

/// The owners of objects in a database with several users: an object's key names its creator.
enum Ownership {
  /// The entity whose objects only their creator may read.
  static let closedEntity = "Album"

  static func key(_ key: String, of owner: String?) -> String {
    owner.map { "\(key)-\($0)" } ?? key
  }

  static func has(_ owner: String, _ key: String) -> Bool { key.hasSuffix("-\(owner)") }

  /// Whether an object is hidden from a user, because only its creator may read it.
  static func isClosed(_ key: String, to account: String) -> Bool {
    key.hasPrefix("\(closedEntity)-") && !has(account, key)
  }

  /// The permissions in the schema.
  static let schema = """
    DEFINE SCHEMA RECORD TYPE CD_\(closedEntity) (
      "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE, CD_entityName STRING QUERYABLE,
      CD_key STRING, CD_title STRING,
      GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud"
    );
    """
}

extension Change {
  /// The objects of an entity that the acting user may change.
  func own(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try all(entity, context).filter(isOwn)
  }

  /// Whether deleting an object would change no other user's objects.
  func affectsOnlyOwnObjects(_ object: NSManagedObject) -> Bool {
    guard owner != nil else { return true }
    return object.withBelongings.allSatisfy { object in
      object.entity.relationshipsByName.values.filter(\.isToMany).allSatisfy {
        object.members(of: $0.name).allSatisfy(isOwn)
      }
    }
  }

  private func isOwn(_ object: NSManagedObject) -> Bool {
    owner.map { Ownership.has($0, object.key) } ?? true
  }
}

extension DeviceContents {
  /// The objects that only the given user may read.
  func closed(of account: String) -> Set<String> {
    Set(
      objects.keys.filter {
        $0.hasPrefix("\(Ownership.closedEntity)-") && Ownership.has(account, $0)
      })
  }

  /// The content that a user may read: without others' private objects, and without references to
  /// them.
  func readable(by account: String) -> Self {
    let closed = Set(objects.keys.filter { Ownership.isClosed($0, to: account) })
    return closed.isEmpty ? self : without(closed)
  }
}
