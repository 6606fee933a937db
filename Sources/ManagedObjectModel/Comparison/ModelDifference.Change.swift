extension ModelDifference {
  /// One difference between two models.
  package struct Change: Hashable, Sendable {
    /// What it is that changed.
    package let kind: Kind
    /// The entity, by its name in the newer model; by its name in the older one where it was
    /// removed.
    ///
    /// Nil where the change is one of the model as a whole.
    package let entity: String?
    /// The property, by its name in the newer model; by its name in the older one where it was
    /// removed.
    package let property: String?
    /// The value before, in words, where there was one.
    package let before: String?
    /// The value after, in words, where there is one.
    package let after: String?
    /// Whether it changes an entity's version hash, so that stores must be migrated.
    package let affectsHash: Bool
    /// Why a lightweight migration cannot do it, or nil where it can.
    package let obstacle: String?
  }

  /// The kinds of changes.
  ///
  /// The raw values are the words of `parhelion model diff`.
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
