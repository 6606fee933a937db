import Foundation
import ManagedObjectModel
import ObjectRows

/// How new objects come to the keys that they keep.
extension NSManagedObjectContext {
  func makeIdentifiersPermanent(_ objects: [NSManagedObject]) throws {
    requireAccess("obtainPermanentIDs(for:) was called")
    let new = objects.filter { $0.key < 0 && $0.context === self }
    guard !new.isEmpty else { return }
    if let storedParent {
      try obtainKeys(of: new, from: storedParent)
    } else {
      try obtainKeys(of: new)
    }
  }

  private func obtainKeys(of objects: [NSManagedObject]) throws {
    guard let coordinator = storedCoordinator else { return }
    var rest = objects
    while let first = rest.first {
      let number = storeNumberForSaving(first)
      guard let open = coordinator.openStore(number: number) else { throw SaveError.noStore(for: first) }
      try giveKeys(to: rest.filter { storeNumberForSaving($0) == number }, in: open)
      rest = rest.filter { $0.key < 0 }
    }
  }

  /// Gives objects keys of a store, in one call, and registers them under these.
  func giveKeys(to objects: [NSManagedObject], in open: OpenStore) throws {
    var counts: [(layout: RowLayout, count: Int)] = []
    var places: [Int: Int] = [:]
    for object in objects {
      if let place = places[object.layout.index] {
        counts[place].count += 1
      } else {
        places[object.layout.index] = counts.count
        counts.append((object.layout, 1))
      }
    }
    let reserved = try open.reserveKeys(counts)
    var next = [Int](repeating: 0, count: counts.count)
    var last = -1
    var place = 0
    var keys: ContiguousArray<Int64> = []
    keys.reserveCapacity(objects.count)
    for object in objects {
      if object.layout.index != last {
        last = object.layout.index
        place = places[last] ?? 0
      }
      keys.append(reserved[place][next[place]])
      next[place] += 1
    }
    noteAliases(of: objects, keys, open.number)
    if !assignedStores.isEmpty { for object in objects { assignedStores[object.key] = nil } }
    registry.move(objects, to: keys, storeNumber: open.number)
  }

  private func noteAliases(of objects: [NSManagedObject], _ keys: ContiguousArray<Int64>, _ storeNumber: UInt16) {
    guard aliases.isKept else { return }
    for (object, key) in zip(objects, keys) {
      aliases.add(
        KeyAliases.Alias(
          temporary: object.key, rootIndex: object.layout.rootIndex, key: key, storeNumber: storeNumber))
    }
  }
}
