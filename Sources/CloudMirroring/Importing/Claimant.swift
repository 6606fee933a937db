import CloudRecords
import ManagedObjectModel
import ManagedObjects
import MirrorModel

/// An object that already has the target that another object claims.
struct Claimant {
  let object: NSManagedObject
  let record: RecordIdentifier
  /// The target that it has.
  let target: NSManagedObject
}

extension MirrorReference {
  /// Returns the objects that already have the target that an object claims.
  ///
  /// If the relationship is its own inverse, the claimant may also be another one's target. Of two
  /// related objects, the smaller name claims, so the claimed target may itself be a rival.
  ///
  /// - Parameter name: Returns the record of an object; objects without one claim nothing.
  func rivals(
    of object: NSManagedObject, for target: NSManagedObject,
    named name: (NSManagedObject) throws -> RecordIdentifier?
  ) rethrows -> [Claimant] {
    guard isOneToOne else { return [] }
    var found = [try claimant(of: target, named: name)]
    if isItsOwnInverse { found.append(try claimant(of: object, named: name)) }
    return found.compactMap(\.self).filter { $0.object !== object && !$0.object.isDeleted }
  }

  /// Returns the claimant of a target that an object has; nil if no object has it.
  ///
  /// If the relationship is its own inverse, the object with the smaller name is the claimant.
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
