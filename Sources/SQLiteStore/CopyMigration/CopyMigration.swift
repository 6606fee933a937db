import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Migrates a store through an interim store in the same folder, which a closure writes.
///
/// ```
/// locked ──▶ interim store written ──▶ its files moved ──▶ tables replaced ──▶ committed
///    │ a failure, or the end of the process, leaves the former rows and files          │
///    └──────────────────────────────────────────────────── former files removed ◀──────┘
/// ```
///
/// One transaction of the store contains the replacement. It holds the write lock from the start,
/// so that no other process changes the store, or migrates it, meanwhile. Readers continue.
struct CopyMigration {
  let location: StoreLocation
  let options: StoreOptions
  /// The schema of the new store.
  let destination: StoreSchema
  /// Called at each step.
  let report: (MigrationStep) throws -> Void

  private static let database = "interim"

  /// Migrates the store.
  ///
  /// - Parameters:
  ///   - source: The model that wrote the store.
  ///   - write: Writes the migrated store at a URL.
  func run(
    on connection: Connection, from source: NSManagedObjectModel, _ metadata: StoreMetadata,
    write: (URL) throws -> Void
  ) throws {
    guard case .file(let url) = location else { return }
    let interim = InterimStore(beside: url, files: options.files)
    var files = MovedFiles(to: location, from: interim.location, options.files)
    do {
      try connection.setCheckpointsOnClose(true)
      try connection.transaction(.immediate) {
        // Another process may have migrated the store while this one waited.
        guard try StoreMetadata(connection, at: location) == metadata else { return }
        try requireUnmirrored(connection)
        files.former = try formerFiles(connection, source, metadata)
        try interim.remove()
        try write(interim.url)
        try report(.copied)
        try replace(connection, interim, &files)
        try report(.indexed)
      }
    } catch {
      files.cancel()
      detach(connection)
      try? interim.remove()
      throw error
    }
    if (try? connection.syncCommits()) != nil { files.finish() }
    detach(connection)
    // The next opening removes files that remain.
    try? interim.remove()
  }

  /// Removes the interim store of a process that was killed.
  ///
  /// It waits for the migration of another process, which holds the write lock.
  static func removeRemains(
    beside location: StoreLocation, _ connection: Connection, _ files: any FileSystem
  ) {
    guard case .file(let url) = location else { return }
    let interim = InterimStore(beside: url, files: files)
    guard interim.exists else { return }
    try? connection.transaction(.immediate) { try interim.remove() }
  }

  private func requireUnmirrored(_ connection: Connection) throws {
    guard
      let reason = try MirroredStore.reasonAgainstCopying(connection, path: location.path)
    else { return }
    throw StoreError(.migration, reason, context: ["file": location.path])
  }

  /// The files that the rows of the store use now.
  private func formerFiles(
    _ connection: Connection, _ source: NSManagedObjectModel, _ metadata: StoreMetadata
  ) throws -> Set<String> {
    var basis = SchemaBasis()
    basis.members = Set((metadata.versionHashes ?? [:]).keys)
    let schema = try StoreSchema(layouts: .of(source), configuration: nil, basis: basis)
      .matched(to: connection, at: location)
    return try ExternalNames(schema: schema).read(connection, in: "main")
  }

  private func replace(
    _ connection: Connection, _ interim: InterimStore, _ files: inout MovedFiles
  ) throws {
    let hadFullText = try FullTextMaintenance.removeAll(from: connection)
    try connection.run("ATTACH DATABASE ? AS \(Self.database)", [.text(interim.url.path)])
    let names = try ExternalNames(schema: destination).read(connection, in: Self.database)
    try files.move(names)
    try ContentsReplacement(connection: connection, source: Self.database).run()
    if hadFullText {
      for sql in destination.fullTextIndexes.flatMap(\.creation) { try connection.execute(sql) }
    }
    try report(.replaced)
  }

  private func detach(_ connection: Connection) {
    // It fails if the database was not attached.
    try? connection.execute("DETACH DATABASE \(Self.database)")
  }
}
