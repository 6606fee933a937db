import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import Testing

@Suite("What CloudKit integration requires of a model")
struct ModelRulesTests {
  @Test func `A model with all supported features has no issues`() throws {
    #expect(
      EveryFeatureModel.schema.entities.map(\.name) == [
        "Book", "Film", "Passport", "Person", "Shelf", "Work",
      ])
  }

  @Test func `Constraints, required attributes, Deny and ordered relationships are supported`()
    throws
  {
    var sketch = ModelSketch()
    let note = sketch.entity("Note", [ModelSketch.attribute("title", .stringAttributeType)])
    note.properties.first?.isOptional = false
    note.uniquenessConstraints = [["title"]]
    let (parts, _) = sketch.relate(note, "parts", toMany: true, ordered: true, to: note, "whole")
    parts.deleteRule = .denyDeleteRule
    #expect(
      try MirrorSchema(model: sketch.model, configuration: nil)["Note"]?.constraints.count == 1)
  }

  @Test func `Every issue is reported with its entity, its property and a remedy`() throws {
    var sketch = ModelSketch()
    let note = sketch.entity(
      "Note",
      [
        ModelSketch.attribute("any", .undefinedAttributeType),
        ModelSketch.attribute("object", .objectIDAttributeType),
        ModelSketch.attribute("größe", .doubleAttributeType), ModelSketch.composite("empty", []),
      ])
    note.properties.append(ModelSketch.relationship("lost", to: note, false, false))
    let other = sketch.entity("Ordner 2")
    let (folder, _) = sketch.relate(note, "folder", to: other, "notes", backToMany: true)
    folder.isOptional = false
    let errors = ruleErrors(of: sketch.model)
    #expect(
      errors.map { "\($0.entity ?? "").\($0.property ?? ""): \($0.rule)" } == [
        "Note.any: unsupportedType", "Note.folder: requiredRelationship",
        "Note.größe: unusableName",
        "Note.lost: missingInverse", "Note.object: unsupportedType", "Ordner 2.: unusableName",
      ])
    #expect(
      errors.allSatisfy {
        $0.message.hasPrefix("CloudKit integration requires ") && !$0.remedy.isEmpty
      })
  }

  @Test func `The error is Core Data's, with a detailed error for each issue`() throws {
    var sketch = ModelSketch()
    sketch.entity("Note", [ModelSketch.attribute("any", .undefinedAttributeType)])
    let model = sketch.model
    let thrown = #expect(throws: ModelRuleErrors.self) {
      try MirrorSchema(model: model, configuration: nil)
    }
    let error = try #require(thrown).cocoaError
    #expect(error.domain == NSCocoaErrorDomain && error.code == 134_060)
    #expect(
      error.localizedDescription
        == "CloudKit integration requires that all attributes have a type that records can hold: the type of Note.any is Undefined. Give it another type, or make it transient."
    )
    let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
    #expect(
      details.count == 1 && details.first?.userInfo[NSValidationKeyErrorKey] as? String == "any")
    #expect(details.first?.userInfo["entity"] as? String == "Note")
  }

  @Test func `Relationships must stay within a configuration`() throws {
    var sketch = ModelSketch()
    let (note, folder) = (sketch.entity("Note"), sketch.entity("Folder"))
    sketch.relate(note, "folder", to: folder, "notes", backToMany: true)
    let model = sketch.model
    model.setEntities([note], forConfigurationName: "Cloud")
    model.setEntities([note, folder], forConfigurationName: "Both")
    #expect(ruleErrors(of: model, "Cloud").map(\.rule) == [.crossesConfigurations])
    #expect(
      ruleErrors(of: model, "Both").isEmpty
        && ruleErrors(of: model, "PF_DEFAULT_CONFIGURATION_NAME").isEmpty)
    let unknown = ruleErrors(of: model, "Nowhere")
    #expect(unknown.map(\.rule) == [.unknownConfiguration])
    #expect(unknown.first?.remedy == "Its configurations are: Both, Cloud.")
  }

  @Test func `Two properties that would share a field are reported`() throws {
    var sketch = ModelSketch()
    sketch.entity("Own", [ModelSketch.attribute("entityName", .stringAttributeType)])
    sketch.entity(
      "Twin",
      [
        ModelSketch.attribute("text", .stringAttributeType),
        ModelSketch.attribute("text_ckAsset", .dateAttributeType),
      ])
    sketch.entity("Moved", [ModelSketch.attribute("moveReceipt", .binaryDataAttributeType)])
    let animal = sketch.entity("Animal", isAbstract: true)
    sketch.entity("Cat", under: animal, [ModelSketch.attribute("age", .stringAttributeType)])
    sketch.entity("Dog", under: animal, [ModelSketch.attribute("age", .integer16AttributeType)])
    sketch.entity("Hen", under: animal, [ModelSketch.attribute("age", .stringAttributeType)])
    let errors = ruleErrors(of: sketch.model)
    #expect(errors.allSatisfy { $0.rule == .clashingFields })
    #expect(
      errors.map { "\($0.entity ?? "").\($0.property ?? "")" } == [
        "Dog.age", "Moved.moveReceipt", "Moved.moveReceipt", "Own.entityName", "Twin.text_ckAsset",
      ])
    #expect(
      errors[0].message.contains(
        "CD_age of CD_Animal would be INT64 for Dog.age, and STRING for Cat.age"))
  }

  @Test func `Nothing in a public database can be encrypted`() throws {
    let error = #expect(throws: ModelRuleErrors.self) {
      try MirrorSchema(model: EveryFeatureModel.model, configuration: nil, isPublic: true)
    }
    #expect(
      error?.errors.map { "\($0.entity ?? "").\($0.property ?? ""): \($0.rule)" } == [
        "Book.secret: encryptedInPublic", "Passport.number: encryptedInPublic",
      ])
  }

  private func ruleErrors(of model: NSManagedObjectModel, _ configuration: String? = nil)
    -> [ModelRuleError]
  {
    do throws(ModelRuleErrors) {
      _ = try MirrorSchema(model: model, configuration: configuration)
      return []
    } catch { return error.errors }
  }
}
