package import ManagedObjectModel

// Sendable: the model is immutable, since it is in use.
/// The mapping of a model to the cloud: its record types, fields and pairs.
///
/// It is created once for each store.
package struct MirrorSchema: Sendable {
  /// The entities of the configuration, in the order of their names.
  package let entities: [MirrorEntity]
  /// Whether any entity has an ordered relationship.
  package let hasOrders: Bool
  /// The many-to-many relationships, in the order of their sides' names.
  package let joins: [JoinRelationship]
  /// The model, retained because its attributes are used.
  package let model: NSManagedObjectModel
  private let placesByName: [String: Int]
  private let placesByNameInCloud: [String: Int]
  private let recordTypes: Set<String>

  /// Creates the schema of a configuration; nil means the whole model.
  ///
  /// - Parameter isPublic: Whether the store mirrors a public database, which holds nothing
  ///   encrypted.
  /// - Throws: Everything that prevents mirroring the model.
  package init(
    model: NSManagedObjectModel, configuration: String?, isPublic: Bool = false
  ) throws(ModelRuleErrors) {
    let described = try ModelRules.entities(of: model, configuration: configuration)
    let problems = ModelRules.problems(of: described, isPublic: isPublic)
    guard problems.isEmpty else { throw ModelRuleErrors(problems) }
    let entities = described.map(MirrorEntity.init).sorted { $0.name < $1.name }
    let clashes = FieldClashes.problems(of: entities)
    guard clashes.isEmpty else { throw ModelRuleErrors(clashes) }
    self.model = model
    hasOrders = entities.contains { !$0.orders.isEmpty }
    self.entities = entities
    joins = Set(entities.flatMap { $0.joins.values.map(\.join) }).sorted()
    placesByName = Dictionary(entities.indices.map { (entities[$0].name, $0) }) { first, _ in first
    }
    placesByNameInCloud = Dictionary(entities.indices.map { (entities[$0].nameInCloud, $0) }) {
      first, _ in first
    }
    recordTypes = Set(entities.flatMap(\.recordTypes))
  }

  /// The entity of a name; nil if the configuration does not have it.
  package subscript(_ name: String) -> MirrorEntity? { placesByName[name].map { entities[$0] } }

  /// Returns the entity of a cloud name, or of a name that programs without a renaming use.
  package func entity(inCloud name: String) -> MirrorEntity? {
    placesByNameInCloud[name].map { entities[$0] } ?? self[name]
  }

  /// Whether an entity has records of a type.
  package func knows(recordType type: String) -> Bool { recordTypes.contains(type) }
}

extension JoinRelationship: Comparable {
  /// Compares the names of the sides.
  package static func < (one: JoinRelationship, other: JoinRelationship) -> Bool {
    (one.firstEntity, one.firstRelationship, one.secondEntity, one.secondRelationship)
      < (other.firstEntity, other.firstRelationship, other.secondEntity, other.secondRelationship)
  }
}
