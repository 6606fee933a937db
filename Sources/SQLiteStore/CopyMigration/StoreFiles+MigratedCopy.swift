package import Foundation
package import ManagedObjectModel
package import ObjectRows
import SQLiteDriver

extension StoreFiles {
  /// Copies a store to a location without a store, and migrates the copy in place.
  ///
  /// The copy gets its name when it is complete, so a killed process leaves no store there.
  package static func makeMigratedCopy(
    of sourceURL: URL, at url: URL, from source: NSManagedObjectModel, to layouts: ModelLayouts,
    configuration: String?, options: StoreOptions
  ) throws(StoreError) {
    let interim = InterimStore(beside: url, files: options.files)
    try interim.remove()
    do {
      try replace(at: interim.url, with: sourceURL, options: options)
      try migrate(interim.url, from: source, to: layouts, configuration, options)
      try move(interim, to: url, options.files)
    } catch {
      try? interim.remove()
      throw error
    }
  }

  private static func migrate(
    _ url: URL, from source: NSManagedObjectModel, to layouts: ModelLayouts,
    _ configuration: String?, _ options: StoreOptions
  ) throws(StoreError) {
    var options = options
    options.migratesAutomatically = true
    options.infersMapping = true
    var opening = StoreOpening(
      url: url, layouts: layouts, configuration: configuration, options: options)
    opening.findModel = { _ in source }
    let opened = try opening.run()
    try opened.location.sqlite { () throws(SQLiteError) in
      try opened.connection.setCheckpointsOnClose(true)
      try opened.connection.close()
    }
  }

  private static func move(_ interim: InterimStore, to url: URL, _ files: any FileSystem)
    throws(StoreError)
  {
    let destination = StoreLocation.file(url)
    try destination.files {
      if let from = interim.location.supportFolder, let to = destination.supportFolder,
        files.itemExists(at: from)
      {
        if files.itemExists(at: to) { try files.removeItem(at: to) }
        try files.moveItem(at: from, to: to)
      }
      if files.itemExists(at: url) { try files.removeItem(at: url) }
      try files.moveItem(at: interim.url, to: url)
      try files.synchronize(url.deletingLastPathComponent())
    }
  }

  /// The reason why a store's objects cannot be copied into another store; nil if they can.
  package static func reasonAgainstCopying(storeAt url: URL, options: StoreOptions)
    throws(StoreError) -> String?
  {
    let snapshot = try StoreSnapshot(at: url, options: options)
    return try snapshot.location.sqlite { () throws(SQLiteError) in
      try MirroredStore.reasonAgainstCopying(snapshot.connection, path: url.path)
    }
  }
}
