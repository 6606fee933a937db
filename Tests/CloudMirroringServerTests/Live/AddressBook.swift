import Foundation
import ManagedObjectModel
import MirroringTestSupport

/// A model with all features that mirroring syncs: people in towns, their parents, and their
/// groups.
enum AddressBook {
  /// Returns a model of people, towns and groups.
  ///
  /// - Parameters:
  ///   - isUnique: Whether addresses must be unique.
  ///   - isOrdered: Whether towns and groups have ordered members.
  ///   - takesAlong: Whether deleting a town deletes its people.
  static func model(
    isUnique: Bool = false, isOrdered: Bool = false, takesAlong: Bool = false
  ) -> NSManagedObjectModel {
    var sketch = ModelSketch()
    let person = sketch.entity(
      "Person",
      [
        ModelSketch.attribute("name", .stringAttributeType),
        ModelSketch.attribute("email", .stringAttributeType),
        ModelSketch.attribute("age", .integer64AttributeType),
        ModelSketch.attribute("balance", .decimalAttributeType),
        ModelSketch.attribute("born", .dateAttributeType),
        ModelSketch.attribute("photo", .binaryDataAttributeType),
      ])
    let town = sketch.entity("Town", [ModelSketch.attribute("name", .stringAttributeType)])
    let group = sketch.entity("Group", [ModelSketch.attribute("title", .stringAttributeType)])
    if isUnique { person.uniquenessConstraints = [["email"]] }
    let (_, people) = sketch.relate(
      person, "town", to: town, "people", backToMany: true, backOrdered: isOrdered)
    if takesAlong { people.deleteRule = .cascadeDeleteRule }
    sketch.relate(
      person, "groups", toMany: true, to: group, "members", backToMany: true, backOrdered: isOrdered
    )
    sketch.relate(person, "parent", to: person, "children", backToMany: true)
    return sketch.model
  }

  /// People with at most one passport each; a passport has one owner.
  static func modelWithPassports() -> NSManagedObjectModel {
    let model = model()
    guard let person = model.entitiesByName["Person"] else { return model }
    var sketch = ModelSketch()
    let passport = sketch.entity("Passport", [ModelSketch.attribute("name", .stringAttributeType)])
    sketch.relate(person, "passport", to: passport, "owner")
    model.entities += [passport]
    return model
  }
}
