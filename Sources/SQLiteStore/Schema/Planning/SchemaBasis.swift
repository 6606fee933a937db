import ManagedObjectModel

/// What a file settles that does not follow from the model.
struct SchemaBasis {
  /// The numbers of entities, by name; others are numbered as in a new store.
  var numbers: [String: Int] = [:]
  /// Relationships after which a join table is named although a new store would name it after their inverse.
  var namingRelationships: Set<ObjectIdentifier> = []
}
