import ObjectRows

/// Objects of one entity in one store, which one query can load.
struct ObjectGroup {
  let layout: RowLayout
  let storeNumber: UInt16
  var objects: [NSManagedObject]

  /// Groups objects, in the order of the groups' first objects.
  static func groups(of objects: some Sequence<NSManagedObject>) -> [ObjectGroup] {
    var groups: [ObjectGroup] = []
    var current = 0
    for object in objects {
      if !groups.isEmpty, groups[current].takes(object) {
        groups[current].objects.append(object)
      } else if let found = groups.firstIndex(where: { $0.takes(object) }) {
        groups[found].objects.append(object)
        current = found
      } else {
        groups.append(
          ObjectGroup(layout: object.layout, storeNumber: object.storeNumber, objects: [object]))
        current = groups.count - 1
      }
    }
    return groups
  }

  private func takes(_ object: NSManagedObject) -> Bool {
    object.layout === layout && object.storeNumber == storeNumber
  }
}
