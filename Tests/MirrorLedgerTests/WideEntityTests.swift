import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import TestSupport
import Testing

/// Entities with more properties than the outbox distinguishes.
struct WideEntityTests {
  private func model(attributes: Int) -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Wide"
    entity.properties = (0..<attributes).map { number in
      let attribute = NSAttributeDescription()
      attribute.name = "value" + String(1_000 + number)
      attribute.attributeType = .integer64AttributeType
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  @Test(arguments: [(0, 1), (63, 1), (64, 1), (200, 1), (254, 1), (255, 45), (299, 45)])
  func `Properties are distinguished up to the last bit, which represents the rest`(
    changed: Int, expected: Int
  ) throws {
    try withTemporaryDirectory { folder in
      let notesStore = try NotesStore(
        at: folder.appendingPathComponent("Wide.sqlite"), model(attributes: 300))
      let object = try notesStore.insert("Wide")
      try notesStore.save()
      try notesStore.settle()
      object.setValue(1, forKey: "value" + String(1_000 + changed))
      try notesStore.save()
      let ordinals = try #require(try notesStore.entries().first).changed.ordinals
      #expect(ordinals.contains(changed))
      #expect(ordinals.count == expected)
      try notesStore.close()
    }
  }
}
