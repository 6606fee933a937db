import ObjectRows

/// Objects of one entity and one store, which one query can serve.
struct ObjectGroup {
  let layout: RowLayout
  let storeNumber: UInt16
  var objects: [NSManagedObject]

  /// The groups of objects, in the order in which their first objects come.
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
