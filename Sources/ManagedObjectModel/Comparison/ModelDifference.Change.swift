extension ModelDifference {
  /// One difference between two models.
  package struct Change: Hashable, Sendable {
    /// The kind of change.
    package let kind: Kind
    /// The entity's name in the newer model, or in the older one if the entity was removed.
    ///
    /// Nil for a change of the model as a whole.
    package let entity: String?
    /// The property's name in the newer model, or in the older one if the property was removed.
    package let property: String?
    /// The previous value as text, if there was one.
    package let before: String?
    /// The new value as text, if there is one.
    package let after: String?
    /// Whether the change affects an entity's version hash, so that stores must be migrated.
    package let affectsHash: Bool
    /// The reason that a lightweight migration is not possible, or nil.
    package let nonLightweightReason: String?
    /// Whether the reason applies only to stores with objects that have no value.
    package var dependsOnObjects = false
  }

  /// The kinds of changes.
  ///
  /// `parhelion model diff` prints the raw values.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case entityAdded = "entity added"
    case entityRemoved = "entity removed"
    case entityRenamed = "entity renamed"
    case parent = "parent"
    case abstractness = "abstract"
    case className = "class"
    case constraints = "uniqueness constraints"
    case indexes = "indexes"
    case versionHashModifier = "version hash modifier"
    case propertyAdded = "property added"
    case propertyRemoved = "property removed"
    case propertyRenamed = "property renamed"
    case propertyMoved = "property moved"
    case propertyKind = "kind of property"
    case type = "type"
    case optionality = "optional"
    case transience = "transient"
    case defaultValue = "default value"
    case validation = "validation"
    case valueClass = "value class"
    case valueTransformer = "value transformer"
    case derivation = "derivation"
    case externalStorage = "external storage"
    case historyPreservation = "kept in history after deletion"
    case cloudEncryption = "encrypted in the cloud"
    case destination = "destination"
    case inverse = "inverse"
    case cardinality = "cardinality"
    case countLimits = "count limits"
    case ordering = "ordered"
    case deleteRule = "delete rule"
    case fetch = "fetch request"
    case userInfo = "user info"
    case configurationAdded = "configuration added"
    case configurationRemoved = "configuration removed"
    case configuration = "configuration"
    case templateAdded = "fetch request template added"
    case templateRemoved = "fetch request template removed"
    case template = "fetch request template"
    case versionIdentifiers = "version identifiers"
  }
}
