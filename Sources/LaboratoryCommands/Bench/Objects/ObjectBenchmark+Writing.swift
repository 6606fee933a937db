import Foundation
import ManagedObjectModel
import ManagedObjects

extension ObjectBenchmark {
  /// Inserts many objects, in one save.
  func insert(keepsHistory: Bool) throws -> Measured {
    var store = try BenchmarkStore(model, keepsHistory: keepsHistory)
    var reference = try ObjectReference(path: store.copyForReference(), values: values)
    let sides = try SideBySide(
      rounds: rounds,
      prepare: {
        store = try BenchmarkStore(model, keepsHistory: keepsHistory)
        reference = try ObjectReference(path: store.copyForReference(), values: values)
      },
      ours: { try insertEntries(into: store) },
      reference: { try reference.insertEntries(objects, withHistory: keepsHistory) })
    return measured(
      keepsHistory ? "objects.insert.history" : "objects.insert", sides, items: objects,
      limit: keepsHistory ? 1.5 : 1.6)
  }

  private func insertEntries(into store: BenchmarkStore) throws {
    let context = store.context()
    try context.performAndWait {
      for row in 0..<objects { values.fill(Entry(context: context), row: row) }
      try context.save()
    }
  }

  /// Inserts many objects with a to-one relationship to new parents, in one save.
  func insertRelated() throws -> Measured {
    var store = try BenchmarkStore(model)
    var reference = try ObjectReference(path: store.copyForReference(), values: values)
    let sides = try SideBySide(
      rounds: rounds,
      prepare: {
        store = try BenchmarkStore(model)
        reference = try ObjectReference(path: store.copyForReference(), values: values)
      },
      ours: { try insertItems(into: store) },
      reference: {
        try reference.insertFolders(objects / perFolder)
        try reference.insertItems(objects, perFolder: perFolder)
      })
    return measured("objects.insert.related", sides, items: objects, limit: 2)
  }

  private func insertItems(into store: BenchmarkStore) throws {
    let context = store.context()
    try context.performAndWait {
      var folder: Folder?
      for row in 0..<objects {
        if row.isMultiple(of: perFolder) {
          folder = Folder(context: context)
          folder?.name = "Folder"
        }
        let item = Item(context: context)
        values.fill(item, row: row)
        item.folder = folder
      }
      try context.save()
    }
  }

  /// Changes one property of many objects, and saves.
  func update(_ filled: FilledStore) throws -> Measured {
    let count = objects / 10
    var version: (ours: Int64, reference: Int64) = (1, 1)
    let context = filled.store.context()
    let entries = try context.performAndWait {
      let request = NSFetchRequest<Entry>(entityName: "Entry")
      request.fetchLimit = count
      request.returnsObjectsAsFaults = false
      return try context.fetch(request)
    }
    let sides = try SideBySide(
      rounds: rounds,
      ours: {
        try context.performAndWait {
          for (row, entry) in entries.enumerated() { entry.number = Int64(row) + version.ours }
          try context.save()
        }
        version.ours += 1
      },
      reference: {
        try filled.reference.updateEntries(count, version: version.reference)
        version.reference += 1
      })
    return measured("objects.update", sides, items: count, limit: 2)
  }

  /// Deletes parents, whose children are deleted by cascade.
  func deleteByCascade() throws -> Measured {
    let folders = objects / 10 / (perFolder + 1)
    var part = self
    part.objects = folders * perFolder
    var filled = try FilledStore(part)
    let sides = try SideBySide(
      rounds: rounds, prepare: { filled = try FilledStore(part) },
      ours: { try deleteFolders(in: filled.store) },
      reference: { try filled.reference.deleteFolders(folders, items: folders * perFolder) })
    return measured("objects.delete.cascade", sides, items: folders * (perFolder + 1), limit: 2)
  }

  private func deleteFolders(in store: BenchmarkStore) throws {
    let context = store.context()
    try context.performAndWait {
      let request = NSFetchRequest<Folder>(entityName: "Folder")
      request.relationshipKeyPathsForPrefetching = ["items"]
      for folder in try context.fetch(request) { context.delete(folder) }
      try context.save()
    }
  }

  /// Deletes fetched objects one by one, and saves.
  func deleteSingly() throws -> Measured {
    var part = self
    part.objects = objects / 10
    var fetched = try FetchedEntries(part)
    let sides = try SideBySide(
      rounds: rounds, prepare: { fetched = try FetchedEntries(part) },
      ours: { try fetched.deleteAll() },
      reference: { try fetched.reference.deleteEntries(part.objects) })
    return measured("objects.delete.single", sides, items: part.objects, limit: 1.5)
  }

  /// The objects of a new store, and the reference's copy of it.
  private struct FetchedEntries {
    /// Keeps the store's folder until this value is released.
    private let store: BenchmarkStore
    private let context: NSManagedObjectContext
    private let entries: [Entry]
    let reference: ObjectReference

    init(_ benchmark: ObjectBenchmark) throws {
      store = try BenchmarkStore(benchmark.model)
      context = store.context()
      try benchmark.insertEntries(into: store)
      entries = try benchmark.fetchAll(context)
      reference = try ObjectReference(path: store.copyForReference(), values: benchmark.values)
    }

    func deleteAll() throws {
      try context.performAndWait {
        for entry in entries { context.delete(entry) }
        try context.save()
      }
    }
  }
}
