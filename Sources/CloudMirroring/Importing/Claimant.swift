import CloudRecords
import ManagedObjectModel
import ManagedObjects
import MirrorModel

/// Who has what another one claims, by a record that decides on that.
struct Claimant {
  let object: NSManagedObject
  let record: RecordIdentifier
  /// What it has.
  let target: NSManagedObject
}

extension MirrorReference {
  /// Who has what an object claims.
  ///
  /// Where the relationship is its own inverse, an object may be another one's as well: who has a
  /// smaller name claims it. And what is claimed may itself have claimed whom it has.
  ///
  /// - Parameter name: The record of an object; those without one claim nothing.
  func rivals(
    of object: NSManagedObject, for target: NSManagedObject,
    named name: (NSManagedObject) throws -> RecordIdentifier?
  ) rethrows -> [Claimant] {
    guard isOneToOne else { return [] }
    var found = [try claimant(of: target, named: name)]
    if isItsOwnInverse { found.append(try claimant(of: object, named: name)) }
    return found.compactMap(\.self).filter { $0.object !== object && !$0.object.isDeleted }
  }

  /// The object that claims a held target.
  ///
  /// Of a relationship that is its own inverse, the one with the smaller name claims.
  private func claimant(
    of target: NSManagedObject, named name: (NSManagedObject) throws -> RecordIdentifier?
  ) rethrows -> Claimant? {
    guard target.entity.relationshipsByName[inverse] != nil,
      let holderID = target.objectIDs(forRelationshipNamed: inverse).first,
      let holder = target.managedObjectContext?.object(with: holderID),
      let record = try name(holder)
    else { return nil }
    if isItsOwnInverse, let other = try name(target), other < record {
      return Claimant(object: target, record: other, target: holder)
    }
    return Claimant(object: holder, record: record, target: target)
  }
}
