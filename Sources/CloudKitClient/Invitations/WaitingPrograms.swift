import Cryptography
import Foundation
import OwnerOnlyFiles

/// The programs of this user that wait for invitations, each with a file that only the user can
/// read.
struct WaitingPrograms {
  /// The address where a program listens, and the secret that requests need.
  struct Entry: Hashable {
    var port: UInt16
    var secret: String

    init(port: UInt16, secret: String) { (self.port, self.secret) = (port, secret) }

    var bytes: [UInt8] { Array("\(port)\n\(secret)\n".utf8) }

    init?(_ bytes: [UInt8]) {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      guard lines.count == 2, let port = UInt16(lines[0]) else { return nil }
      self.init(port: port, secret: String(lines[1]))
    }
  }

  private let path: String

  /// - Parameter path: The folder of the files; nil for the user's own folder.
  init(path: String? = nil) { self.path = path ?? Self.usersFolder }

  private static var usersFolder: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
      return "\(folder)/parhelion/invitations"
    }
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    return UserFolder.data(environment, home: home) + "/parhelion/invitations"
  }

  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "list of programs that wait for invitations", remedyIfRead: "remove it")

  /// The beginning of the names of the files for a container.
  private static func prefix(_ container: String, _ environment: String) -> String {
    DigestText.of(bytes: Array("\(environment) \(container)".utf8)) + "-"
  }

  /// Adds a program, and returns the name of its file.
  func add(_ entry: Entry, container: String, environment: String) throws(CKError) -> String {
    let name = Self.prefix(container, environment) + "\(entry.port)"
    try converting { () throws(OwnerOnlyError) in
      let folder = try OwnerOnlyFolder(path, for: Self.purpose)
      let lock = try folder.lock()
      try folder.replace(name, with: entry.bytes)
      withExtendedLifetime(lock) {}
    }
    return name
  }

  func remove(_ name: String) {
    guard let folder = try? OwnerOnlyFolder(ifThere: path, for: Self.purpose),
      let lock = try? folder.lock()
    else { return }
    try? folder.remove(name)
    withExtendedLifetime(lock) {}
  }

  /// The programs that wait for shares of a container, by the names of their files.
  func entries(container: String, environment: String) throws(CKError) -> [String: Entry] {
    try converting { () throws(OwnerOnlyError) in
      guard let folder = try OwnerOnlyFolder(ifThere: path, for: Self.purpose) else { return [:] }
      let prefix = Self.prefix(container, environment)
      var entries: [String: Entry] = [:]
      for name in try folder.names() where name.hasPrefix(prefix) && !name.contains(".") {
        entries[name] = try folder.read(name).flatMap { Entry($0) }
      }
      return entries
    }
  }

  private func converting<Value>(_ body: () throws(OwnerOnlyError) -> Value) throws(CKError)
    -> Value
  {
    do throws(OwnerOnlyError) { return try body() } catch {
      throw CKError(.internalError, error.message)
    }
  }
}
