import ManagedObjectModel
package import ObjectRows
package import SQLiteDriver

extension StoreSchema {
  /// The schema with the numbers and names of a file.
  ///
  /// The numbers in `Z_PRIMARYKEY` override the planned ones. A table or column whose name a
  /// migration or an earlier framework left is found by its meaning. Throws if the file lacks a
  /// table or column that the model needs.
  package func matched(to connection: Connection, at location: StoreLocation) throws(StoreError)
    -> StoreSchema
  {
    let file = try location.sqlite { () throws(SQLiteError) in try FileSchema(connection) }
    return try matched(to: file, at: location)
  }

  func matched(to file: FileSchema, at location: StoreLocation) throws(StoreError) -> StoreSchema {
    let matching = SchemaMatching(planned: self, file: file, location: location)
    return try matching.run()
  }
}
