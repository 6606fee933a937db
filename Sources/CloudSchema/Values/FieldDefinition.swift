/// A field of a record type.
package struct FieldDefinition: Hashable, Sendable {
  package let name: String
  package var datatype: Datatype
  package var indexes: FieldIndexes

  package init(name: String, datatype: Datatype, indexes: FieldIndexes = []) {
    self.name = name
    self.datatype = datatype
    self.indexes = indexes
  }
}
