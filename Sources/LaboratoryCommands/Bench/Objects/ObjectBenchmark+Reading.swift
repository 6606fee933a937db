import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

extension ObjectBenchmark {
  /// Fetches all entries as objects with their values.
  func fetch(_ filled: FilledStore) throws -> Measured {
    try compare(filled)
    let sides = try SideBySide(
      rounds: rounds, ours: { _ = try fetchAll(filled.store.context()) },
      reference: { _ = try filled.reference.read(ObjectReference.selectEntries) })
    return measured("objects.fetch", sides, items: objects, limit: 1.3)
  }

  func fetchAll(_ context: NSManagedObjectContext) throws -> [Entry] {
    try context.performAndWait {
      let request = NSFetchRequest<Entry>(entityName: "Entry")
      request.returnsObjectsAsFaults = false
      return try context.fetch(request)
    }
  }

  /// Checks that both sides read the same values.
  private func compare(_ filled: FilledStore) throws {
    let context = filled.store.context()
    let sum = try context.performAndWait {
      try fetchAll(context).reduce(Int64(0)) { sum, entry in
        let key = entry.objectID.uriRepresentation().lastPathComponent.dropFirst()
        return sum + EntryValues.sum(entry, key: Int64(key) ?? 0, version: 1)
      }
    }
    guard try filled.reference.read(ObjectReference.selectEntries) == (Int64(objects), sum) else {
      throw Disagreement(what: "objects.fetch")
    }
  }

  /// Fetches one object by an indexed value, repeatedly.
  func lookUp(_ filled: FilledStore) throws -> Measured {
    let count = objects / 10
    let context = filled.store.context()
    let sides = try SideBySide(
      rounds: rounds,
      ours: {
        try context.performAndWait {
          let request = NSFetchRequest<Entry>(entityName: "Entry")
          request.returnsObjectsAsFaults = false
          for number in 0..<count {
            request.predicate = NSPredicate(format: "number == %lld", Int64(number))
            guard try context.fetch(request).count == 1 else {
              throw Disagreement(what: "objects.lookup")
            }
          }
        }
      },
      reference: {
        guard
          try filled.reference.read(ObjectReference.selectByNumber, lookups: count).rows
            == Int64(count)
        else {
          throw Disagreement(what: "objects.lookup")
        }
      })
    return measured("objects.lookup", sides, items: count, limit: 2.2)
  }

  /// Traverses the relationship from all parents to all children as an `NSSet`, as in classes that
  /// Xcode generates.
  ///
  /// Foundation's set causes most of the cost above the reference.
  func traverseFoundationSets(_ filled: FilledStore) throws -> Measured {
    try traverse("objects.traverse.nsset", filled) { $0.items?.count ?? 0 }
  }

  /// Traverses the same relationship as a `Set`, as in hand-written classes.
  func traverseSets(_ filled: FilledStore) throws -> Measured {
    try traverse("objects.traverse.set", filled) { $0.itemSet.count }
  }

  private func traverse(
    _ name: String, _ filled: FilledStore, _ childCount: (Folder) -> Int
  ) throws -> Measured {
    let sides = try SideBySide(
      rounds: rounds,
      ours: {
        let context = filled.store.context()
        let count = try context.performAndWait {
          let request = NSFetchRequest<Folder>(entityName: "Folder")
          request.relationshipKeyPathsForPrefetching = ["items"]
          return try context.fetch(request).reduce(0) { $0 + childCount($1) }
        }
        guard count == objects else { throw Disagreement(what: name) }
      },
      reference: {
        guard try filled.reference.read(ObjectReference.selectItems).rows == Int64(objects) else {
          throw Disagreement(what: name)
        }
      })
    return measured(name, sides, items: objects, limit: 2)
  }

  /// Reads a value of all children through their parents, which were fetched without the children.
  func traverseFaults(_ filled: FilledStore) throws -> Measured {
    let folders = objects / perFolder
    let expected = (0..<Int64(folders * perFolder)).reduce(0, +)
    let sides = try SideBySide(
      rounds: rounds,
      ours: {
        let context = filled.store.context()
        let sum = try context.performAndWait {
          try context.fetch(NSFetchRequest<Folder>(entityName: "Folder")).reduce(Int64(0)) {
            $1.itemSet.reduce($0) { $0 + $1.number }
          }
        }
        guard sum == expected else { throw Disagreement(what: "objects.traverse.faults") }
      },
      reference: {
        let found = try filled.reference.read(ObjectReference.selectByFolder, lookups: folders)
        guard found.rows == Int64(folders * perFolder) else {
          throw Disagreement(what: "objects.traverse.faults")
        }
      })
    return measured("objects.traverse.faults", sides, items: folders * perFolder, limit: 2.5)
  }

  /// Fetches objects one by one by their identifiers: from the store, and from the row cache.
  func byIdentifier(_ filled: FilledStore) throws -> [Measured] {
    let count = objects / 10
    let firstContext = filled.store.context()
    let identifiers = try firstContext.performAndWait {
      try fetchAll(firstContext).prefix(count).map(\.objectID)
    }
    func bringIn() throws {
      let context = filled.store.context()
      try context.performAndWait {
        for identifier in identifiers { _ = try context.existingObject(with: identifier) }
      }
    }
    func select() throws {
      let found = try filled.reference.read(ObjectReference.selectByKey, lookups: count)
      guard found.rows == Int64(count) else { throw Disagreement(what: "objects.identifier") }
    }
    let cold = try SideBySide(rounds: rounds, ours: bringIn, reference: select)
    let kept = try fetchAll(firstContext)
    let cached = try SideBySide(rounds: rounds, ours: bringIn, reference: select)
    return withExtendedLifetime(kept) {
      [
        measured("objects.identifier.cold", cold, items: count, limit: 2),
        measured("objects.identifier.cached", cached, items: count, limit: 0.5),
      ]
    }
  }
}
