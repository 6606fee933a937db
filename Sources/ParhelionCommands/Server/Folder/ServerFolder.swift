import AssetStorage
import CloudRecords
import Foundation
package import RecordServer
import RecordServerHTTP
import RecordStorage
import SQLiteRecordStorage
import Synchronization

/// The folder with all of a server's data.
package struct ServerFolder: Sendable {
  static let option = CommandOption(
    "--data", value: "DIR", "The server's folder; default \(defaultRule).")

  static let defaultRule =
    "$XDG_DATA_HOME/parhelion, or ~/.local/share/parhelion if the variable is not set"

  package let path: String

  package init(path: String) { self.path = path }

  init(_ invocation: Invocation) { path = invocation.value(of: "--data") ?? Self.defaultPath }

  private static var defaultPath: String {
    let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"].flatMap {
      $0.isEmpty ? nil : $0
    }
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    return (data ?? home + "/.local/share") + "/parhelion"
  }

  /// The folder with the certificate authority and certificate of a development server.
  var developmentAuthority: String { path + "/tls" }

  /// The folder with the files of records.
  var files: String { path + "/assets" }

  /// Creates the folder, for its owner only, and its parent folders.
  func create() throws(CommandError) { try Self.create(path) }

  /// Creates the folder, or removes other users' access to it.
  ///
  /// - Returns: Whether other users had access.
  func prepare() throws(CommandError) -> Bool {
    try create()
    let files = FileManager.default
    do {
      let mode =
        (try files.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue ?? 0
      guard mode & 0o077 != 0 else { return false }
      // A folder with other content keeps its mode.
      guard try hasStore || files.contentsOfDirectory(atPath: path).isEmpty else {
        throw CommandError(
          "The folder \(path) is accessible to other users of the machine, and contains other files. Name a folder for the server alone."
        )
      }
      try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
      return true
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(
        """
        The folder \(path) is accessible to other users of the machine, which cannot be changed: \
        \(CommandError.reason(of: error)) Let its owner run “chmod 700”.
        """)
    }
  }

  /// The file name of the store within a folder.
  static let storeName = "records.sqlite"

  var hasStore: Bool { FileManager.default.fileExists(atPath: "\(path)/\(Self.storeName)") }

  /// Writes the administrators' key into a file for the owner only, rather than a log.
  ///
  /// - Returns: The path of the file.
  func keep(administratorKey key: String) throws(CommandError) -> String {
    let file = path + "/administrator-key"
    let isMade = FileManager.default.createFile(
      atPath: file, contents: Data((key + "\n").utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else {
      throw CommandError(
        "The administrators' key cannot be written to \(file). Use “parhelion key administrator”.")
    }
    return file
  }

  static func create(_ path: String) throws(CommandError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandError(
        "The folder \(path) cannot be created: \(CommandError.reason(of: error))")
    }
  }

  /// Runs `body` with the server's storage; the server may be running.
  func withStorage<Result>(_ body: (SQLiteStorageEngine) async throws -> Result) async throws
    -> Result
  {
    try await CommandError.translating {
      let engine = try openStorage()
      do {
        let result = try await body(engine)
        await engine.close()
        return result
      } catch {
        await engine.close()
        throw error
      }
    }
  }

  private func openStorage() throws -> SQLiteStorageEngine {
    do {
      return try SQLiteStorageEngine(folder: path, options: .init(role: .tool))
    } catch let error as StorageError where error.code == .missing {
      throw CommandError(
        """
        The folder \(path) has no store. Start a server on it first, or name the server's folder \
        with --data.
        """)
    }
  }

  /// Runs `body` with the server's accounts; the server may be running.
  ///
  /// A command has no log, so it throws the storage's error instead of the one for clients.
  package func withAccounts<Result>(_ body: (Accounts) async throws -> Result) async throws
    -> Result
  {
    try await withStorage { engine in
      let reported = Mutex<(any Error)?>(nil)
      do {
        return try await body(
          try await CloudServer.accounts(on: engine) { error in
            reported.withLock { $0 = error }
          })
      } catch let error as CloudError {
        if let cause = reported.withLock(\.self) { throw cause }
        throw error
      }
    }
  }
}

extension CommandError {
  /// Runs `body`, and turns errors of the server and its storage into sentences.
  static func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as CloudError {
      throw CommandError(error.reason)
    } catch let error as StorageError {
      throw CommandError(error.message, at: error.place)
    } catch let error as AssetStorageError {
      throw CommandError(error.message, at: error.place)
    }
  }

  /// Creates an error from the storage's message, which may lack a period, and its place.
  private init(_ words: String, at place: String?) {
    let sentence = words.hasSuffix(".") ? words : words + "."
    if let place {
      self.init("\(place): \(sentence)")
    } else {
      self.init(sentence.prefix(1).uppercased() + sentence.dropFirst())
    }
  }
}
