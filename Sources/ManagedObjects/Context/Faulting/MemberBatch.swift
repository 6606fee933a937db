import ManagedObjectModel
import ObjectRows

/// The keys of members of one owner.
///
/// The members' faults hold it in place of a row, and firing one loads the rows of all.
final class MemberBatch: RowOwner {
  let keys: [Int64]
  /// The relationship, unless the owner has more members than one batch can hold.
  let relationship: RelationshipPlace?

  init(keys: [Int64], layout: RowLayout, relationship: RelationshipPlace?) {
    self.keys = keys
    self.relationship = relationship
    super.init(layout: layout)
  }
}

/// A relationship of an entity, by layout index and ordinal.
struct RelationshipPlace: Hashable {
  let layoutIndex: Int
  let ordinal: Int

  init(_ ordinal: Int, _ layout: RowLayout) {
    layoutIndex = layout.index
    self.ordinal = ordinal
  }
}

/// Reading the rows of members that a relationship's fault found.
///
/// A program that only counts the members, or whose context already has their rows, needs no query.
/// A program that read a member probably reads members of the next owner too. So the next read of
/// the relationship fetches the rows with the keys.
extension NSManagedObjectContext {
  /// Puts members without rows into batches, whose rows are read together.
  func join(_ members: [NSManagedObject], _ relationship: RelationshipPlace) {
    guard let first = members.first, members.count > 1,
      source?.fetchesFaults(in: [first.storeNumber]) == false
    else { return }
    let isWhole = members.count <= Limits.membersOfBatch
    let faults = members.filter { $0.isFault && !$0.hasRow && $0.state == nil }
    for group in ObjectGroup.groups(of: faults) {
      let identity = storeIdentity(number: group.storeNumber)
      for start in stride(from: 0, to: group.objects.count, by: Limits.membersOfBatch) {
        let part = group.objects[start...].prefix(Limits.membersOfBatch)
        let batch = MemberBatch(
          keys: part.map(\.key), layout: group.layout, relationship: isWhole ? relationship : nil)
        batch.storeIdentity = identity
        for object in part { object.owner = batch }
      }
    }
  }

  /// Loads the rows of a batch's faults.
  func readRows(of batch: MemberBatch, storeNumber: UInt16) throws {
    if let relationship = batch.relationship { relationshipsReadWithRows.insert(relationship) }
    try readRows(
      of: presentKeys(batch.keys, in: storeNumber).compactMap {
        registry.object($0, rootIndex: batch.layout.rootIndex, storeNumber: storeNumber)
      })
  }
}
