import ManagedObjectModel
import ManagedObjects

/// Whose objects are, where several people share a database: their keys say who has made them.
enum Ownership {
  /// What its maker alone may read.
  static let closedEntity = "Album"

  static func key(_ key: String, of owner: String?) -> String {
    owner.map { "\(key)-\($0)" } ?? key
  }

  static func has(_ owner: String, _ key: String) -> Bool { key.hasSuffix("-\(owner)") }

  /// Whether an object is one that its maker alone may read, who is somebody else.
  static func isClosed(_ key: String, to account: String) -> Bool {
    key.hasPrefix("\(closedEntity)-") && !has(account, key)
  }

  /// What developers say of who may do what.
  static let schema = """
    DEFINE SCHEMA RECORD TYPE CD_\(closedEntity) (
      "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE, CD_entityName STRING QUERYABLE,
      CD_key STRING, CD_title STRING,
      GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud"
    );
    """
}

extension Change {
  /// The objects of an entity that whoever does it may change.
  func own(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try all(entity, context).filter(isOwn)
  }

  /// Whether nothing of somebody else's would change if an object was deleted.
  func isLeftAlone(_ object: NSManagedObject) -> Bool {
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
  /// The objects that somebody alone may read.
  func closed(of account: String) -> Set<String> {
    Set(
      objects.keys.filter {
        $0.hasPrefix("\(Ownership.closedEntity)-") && Ownership.has(account, $0)
      })
  }

  /// What of it somebody may read: others' closed objects are left out, and what leads to them
  /// leads nowhere.
  func readable(by account: String) -> Self {
    let closed = Set(objects.keys.filter { Ownership.isClosed($0, to: account) })
    return closed.isEmpty ? self : without(closed)
  }
}
