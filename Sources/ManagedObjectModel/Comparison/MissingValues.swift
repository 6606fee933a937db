/// Objects that lack a value which a newer model requires, so that they cannot be migrated.
package struct MissingValues {
  private let entity: String
  private let attribute: String
  private let count: Int

  package init(entity: String, attribute: String, count: Int) {
    (self.entity, self.attribute, self.count) = (entity, attribute, count)
  }

  /// The error message, which is the same for all kinds of migration.
  package func message(store path: String) -> String {
    """
    The store \(path) cannot be migrated: \(entity).\(attribute) is required and has no default, \
    and \(count) objects have no value. Give the attribute a default, or fill the values in a \
    custom migration stage.
    """
  }

  /// The names of the entity and the attribute, for the error.
  package var context: [String: String] { ["entity": entity, "property": attribute] }
}
