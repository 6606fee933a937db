import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Stores that the process's user may read but not write.
///
/// Permissions do not bind the superuser, so each test runs in a separate process that drops root's
/// privileges.
@Suite struct `Stores in a read-only folder` {
  private static let text = "A\n  x String"

  /// The files next to the store.
  enum Files: String, CaseIterable, Sendable {
    /// All rows are in the file.
    case closed
    /// Rows are in the log only, whose shared memory is missing.
    case log
    /// Rows are in the log only, whose shared memory is present.
    case logAndMemory
    /// A process was killed while it wrote the file.
    case journal

    var suffixes: [String] {
      switch self {
      case .closed: [""]
      case .log: ["", "-wal"]
      case .logAndMemory: ["", "-wal", "-shm"]
      case .journal: ["", "-journal"]
      }
    }
  }

  /// Creates a store of two rows in a folder that only its owner may write and that all users may
  /// read.
  private func make(_ files: Files, in folder: URL) throws -> URL {
    let made = folder.appendingPathComponent("made", isDirectory: true)
    let shown = folder.appendingPathComponent("shown", isDirectory: true)
    for url in [made, shown] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    let source = made.appendingPathComponent("a.sqlite")
    let model = try model(Self.text)
    let opened = try withExtendedLifetime(model) {
      try StoreOpening(url: source, layouts: .of(model)).run()
    }
    try opened.prepareForWriting()
    try opened.connection.execute(
      "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b')")
    if files == .closed { _ = try opened.connection.checkpoint(.truncate) }
    if files == .journal { try opened.connection.beginInterruptedWrite() }
    for suffix in files.suffixes {
      try FileManager.default.copyItem(
        atPath: source.path + suffix, toPath: shown.appendingPathComponent("a.sqlite").path + suffix
      )
    }
    try opened.connection.rollback()
    try opened.connection.close()
    try setMode(0o755, folder)
    for name in try FileManager.default.contentsOfDirectory(atPath: shown.path) {
      try setMode(0o444, shown.appendingPathComponent(name))
    }
    try setMode(0o555, shown)
    return shown.appendingPathComponent("a.sqlite")
  }

  private func setMode(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: NSNumber(value: mode)], ofItemAtPath: url.path)
  }

  /// Continues as a user who owns no files.
  static func dropPrivileges() {
    guard geteuid() == 0 else { return }
    let nobody: UInt32 = 65_534
    guard setgid(nobody) == 0, setuid(nobody) == 0 else {
      preconditionFailure("The privileges cannot be dropped.")
    }
  }

  @Test(arguments: Files.allCases)
  func `A store in a read-only folder is read and not written`(files: Files) async throws {
    let temporary = FileManager.default.temporaryDirectory
    // A child of root continues as another user, who copies the store to `TMPDIR`.
    let mode =
      try FileManager.default.attributesOfItem(atPath: temporary.path)[.posixPermissions] as? Int
      ?? 0
    try #require(
      geteuid() != 0 || mode & 0o007 == 0o007,
      "Other users cannot write to \(temporary.path). As root, set TMPDIR to a folder of the mode 1777."
    )
    let folder = temporary.appendingPathComponent("parhelion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      try? setMode(0o755, folder.appendingPathComponent("shown"))
      try? FileManager.default.removeItem(at: folder)
    }
    let url = try make(files, in: folder)
    let before = try FileManager.default.contentsOfDirectory(
      atPath: url.deletingLastPathComponent().path
    ).sorted()
    let path = url.path
    let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = path as String] in
      Self.dropPrivileges()
      let model = try SQLiteStoreTests.model("A\n  x String")
      let opened = try StoreOpening(url: URL(fileURLWithPath: path), layouts: .of(model)).run()
      require(
        opened.isReadOnly && opened.readOnlyReason == .notWritable,
        "The store is not read-only.")
      let store = try SQLiteRowStore(opened)
      let rows = try store.fetchRows(
        RowFetch(layout: store.layouts[0], specification: FetchSpecification()))
      require(rows.rows.count == 2, "\(rows.rows.count) rows")
      var changes = StoreChanges(transaction: .sample)
      changes.deleted = [RowDeletion(layout: store.layouts[0], key: 1, expectedVersion: 1)]
      var refusal: StoreError?
      do { _ = try store.save(changes) } catch { refusal = error as? StoreError }
      require(refusal?.code == .readOnly, "The save did not fail as it should.")
      try store.close()
      // The tools read the store too.
      require(
        try StoreSnapshot(at: URL(fileURLWithPath: path)).storedModel().model != nil, "no model")
      // A program copies the store that it ships to a folder of its own.
      let copy = FileManager.default.temporaryDirectory
        .appendingPathComponent("parhelion-\(UUID().uuidString).sqlite")
      try StoreFiles.replace(at: copy, with: URL(fileURLWithPath: path))
      let count = try StoreSnapshot(at: copy).connection.value("SELECT count(*) FROM ZA")
      try FileManager.default.removeItem(at: copy)
      require(count == .integer(2), "The copy does not have the rows.")
    }
    let messages = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self)
    #expect(messages.isEmpty, "\(messages)")
    let after = try FileManager.default.contentsOfDirectory(
      atPath: url.deletingLastPathComponent().path
    ).sorted()
    #expect(after == before)
  }
}

private func require(_ holds: Bool, _ reason: String) {
  precondition(holds, reason)
}
