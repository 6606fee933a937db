import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Relationships without an inverse whose former members have several owners.
///
/// The rows of members have room for one owner only. Such members come from models in which the
/// relationship had an inverse or was to-one. A migration gives these relationships a join table,
/// so that no owner is lost.
struct SharedMembers {
  let mapping: MigrationMapping

  func relationships(on connection: Connection) throws(SQLiteError) -> Set<ObjectIdentifier> {
    var shared: Set<ObjectIdentifier> = []
    for owner in mapping.destination.tables.flatMap(\.ownerColumns)
    where try isShared(owner, connection) {
      shared.insert(ObjectIdentifier(owner.relationship))
    }
    return shared
  }

  private func isShared(_ owner: OwnerColumn, _ connection: Connection) throws(SQLiteError) -> Bool
  {
    guard let declaring = mapping.destination.entity(number: owner.ownerNumber),
      let ordinal = declaring.layout.ordinal(of: owner.relationship.name),
      let links = RelationshipLinks.former(of: ordinal, in: declaring, mapping)
    else { return false }
    let query = "SELECT 1 FROM (\(links.query)) GROUP BY b HAVING count(DISTINCT a) > 1 LIMIT 1"
    return try connection.value(query) != nil
  }
}
