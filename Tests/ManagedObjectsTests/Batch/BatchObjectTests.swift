import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Testing

/// The objects that a batch insertion gives to its closure.
@Suite struct BatchObjectTests {
  @Test func `Each row starts with default values, whatever the last one had`() throws {
    let names = try insertedNames { row, volume in
      #expect(volume.name == nil && volume.changedValues().isEmpty)
      if row.isMultiple(of: 2) { volume.name = "volume \(row)" }
    }
    #expect(names == [nil, nil, "volume 0", "volume 2"])
  }

  @Test func `An object that the closure keeps is not used for another row`() throws {
    var kept: [Volume] = []
    let names = try insertedNames { row, volume in
      volume.name = "volume \(row)"
      if row != 1 { kept.append(volume) }
    }
    #expect(names == ["volume 0", "volume 1", "volume 2", "volume 3"])
    #expect(kept.map(\.name) == ["volume 0", "volume 2", "volume 3"])
    #expect(Set(kept.map(ObjectIdentifier.init)).count == 3)
  }

  @Test func `Each row has an identifier of its own`() throws {
    var identifiers: Set<NSManagedObjectID> = []
    _ = try insertedNames { _, volume in identifiers.insert(volume.objectID) }
    #expect(identifiers.count == 4)
  }

  @Test func `A row can clear a long value that it has set`() throws {
    let text = String(repeating: "long ", count: 20)
    let names = try insertedNames { row, volume in
      volume.name = text + String(row)
      volume.name = row == 3 ? nil : volume.name
    }
    #expect(names == [nil, text + "0", text + "1", text + "2"])
  }

  /// The names of four rows that a closure fills, in order.
  private func insertedNames(_ fill: @escaping (Int, Volume) -> Void) throws -> [String?] {
    let kitchen = try Kitchen(model: #require(BookcaseModel.linked()))
    return try kitchen.inContext { context in
      var row = 0
      let request = NSBatchInsertRequest(
        entityName: "Volume",
        managedObjectHandler: { object in
          guard row < 4, let volume = object as? Volume else { return true }
          fill(row, volume)
          row += 1
          return false
        })
      _ = try context.execute(request)
      let volumes = try context.fetch(NSFetchRequest<Volume>(entityName: "Volume"))
      return volumes.map(\.name).sorted { ($0 ?? "") < ($1 ?? "") }
    }
  }
}
