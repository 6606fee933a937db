package import Foundation
package import ManagedObjectModel
package import ObjectRows
package import SQLiteDriver

/// A store that is read once, without a model, for metadata and for tools.
package struct StoreSnapshot {
  package let location: StoreLocation
  package let connection: Connection
  package let metadata: StoreMetadata

  /// Opens a store for reading.
  package init(at url: URL, options: StoreOptions = StoreOptions()) throws(StoreError) {
    var options = options
    options.isSnapshot = true
    location = StoreLocation(url)
    let file = try StoreFiles.existingFile(at: url, options)
    connection = try StoreConnections(location: location, options: options, trustsSchema: false)
      .connection(FileAccess(file, options: options))
    try location.requireStore(connection, isWritable: false) {}
    metadata = try StoreMetadata(connection, at: location)
  }

  /// Closes the connection; the snapshot cannot be used afterwards.
  package func close() throws(StoreError) {
    try location.sqlite { () throws(SQLiteError) in try connection.close() }
  }

  /// The model that the store contains.
  package func storedModel() throws(StoreError) -> StoredModel {
    try StoredModel(connection, at: location)
  }

  /// The schema of the store's entities for a model that has them, with the file's names.
  ///
  /// Entities of the model that the store does not have are left out.
  package func schema(of model: NSManagedObjectModel) throws(StoreError) -> StoreSchema {
    try plannedSchema(of: model).matched(to: connection, at: location)
  }

  /// Whether the store was written with the entities of a model's configuration.
  package func fits(_ model: NSManagedObjectModel, configuration: String?) throws(StoreError)
    -> Bool
  {
    let schema = try StoreSchema(layouts: .of(model), configuration: configuration)
    let compatibility = try StoreCompatibility(metadata, schema: schema) { () throws(StoreError) in
      try storedModel().model
    }
    return compatibility.isCompatible
  }

  func plannedSchema(of model: NSManagedObjectModel) throws(StoreError) -> StoreSchema {
    var basis = SchemaBasis()
    basis.members = metadata.versionHashes.map { Set($0.keys) }
    return try StoreSchema(layouts: .of(model), configuration: nil, basis: basis)
  }

  /// The tables of the history, or nil if the store has none.
  package func history() throws(StoreError) -> HistoryLayout? {
    try location.sqlite { () throws(SQLiteError) in try HistoryLayout(connection) }
  }

  /// Entities whose version in a model differs from the one that the store was written with, each
  /// with the reason.
  package func differences(from model: NSManagedObjectModel) -> [String] {
    let hashes = metadata.versionHashes ?? [:]
    return hashes.keys.sorted().compactMap { name in
      guard let entity = model.entitiesByName[name] else { return "\(name) is not in the model" }
      if entity.versionHash == hashes[name] || !entity.isVersionHashCertain { return nil }
      return "\(name) has another form in the model"
    }
  }
}
