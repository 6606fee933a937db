import Foundation
import SystemFiles

/// The containers that environment variables and a configuration file describe.
package struct FoundConfigurations: Sendable {
  package var configurations: [CKContainer.Configuration] = []
  package var defaultIdentifier: String?

  /// The path of a configuration file.
  package struct Place: Hashable, Sendable {
    package let path: String
    /// Whether `PARHELION_CONFIGURATION` names the file, which must then exist.
    package let isNamed: Bool
  }

  /// The configuration file: the one that `PARHELION_CONFIGURATION` names, or else the one in the
  /// user's configuration folder.
  ///
  /// A file in the working folder is used only if the variable names it. Otherwise a folder from
  /// elsewhere, such as a cloned repository, could redirect the user's data to another server.
  package static func place(_ environment: [String: String], workingFolder: String, home: String)
    -> Place
  {
    if let path = environment[configurationFileVariable], !path.isEmpty {
      return Place(path: path.hasPrefix("/") ? path : "\(workingFolder)/\(path)", isNamed: true)
    }
    let folder = UserFolder.configuration(environment, home: home)
    return Place(path: "\(folder)/parhelion/cloud.json", isNamed: false)
  }

  /// Combines the containers of the environment variables and of a file.
  ///
  /// If both describe the same container, the variables apply. Their container is also the default
  /// one.
  ///
  /// - Parameters:
  ///   - file: The path and the bytes of the configuration file; nil if there is none.
  ///   - fileText: Returns the text of a file that a configuration refers to.
  package init(
    _ environment: [String: String], file: (path: String, bytes: [UInt8])?,
    _ fileText: (_ path: String) throws(CKError) -> String
  ) throws(CKError) {
    if let entry = ConfigurationEntry(environment: environment) {
      let configuration = try entry.configuration(fileText)
      configurations = [configuration]
      defaultIdentifier = configuration.containerIdentifier
    }
    guard let file else { return }
    let document = try ConfigurationDocument(file.bytes, path: file.path)
    let known = configurations.first?.containerIdentifier
    for entry in document.entries where entry.texts[.container] != known {
      configurations.append(try entry.configuration(fileText))
    }
    defaultIdentifier =
      defaultIdentifier ?? document.defaultContainer ?? configurations.first?.containerIdentifier
  }

  package init() {}
}

/// The user's folders by the XDG Base Directory Specification.
enum UserFolder {
  static func configuration(_ environment: [String: String], home: String) -> String {
    folder(environment["XDG_CONFIG_HOME"]) ?? "\(home)/.config"
  }

  static func data(_ environment: [String: String], home: String) -> String {
    folder(environment["XDG_DATA_HOME"]) ?? "\(home)/.local/share"
  }

  /// Returns the path if it is absolute, else nil.
  ///
  /// The specification requires relative paths to be ignored.
  private static func folder(_ path: String?) -> String? {
    path.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}

// MARK: - Discovery

extension FoundConfigurations {
  /// Reads this process's environment variables and this machine's files.
  static func onThisMachine() throws(CKError) -> FoundConfigurations {
    let environment = ProcessInfo.processInfo.environment
    let place = place(
      environment, workingFolder: FileManager.default.currentDirectoryPath,
      home: FileManager.default.homeDirectoryForCurrentUser.path)
    let bytes = try ConfigurationFile.bytes(place.path)
    guard bytes != nil || !place.isNamed else {
      throw CKError(
        .badContainer,
        "\(configurationFileVariable) is \(place.path), which does not exist. Correct it, or create the file."
      )
    }
    return try FoundConfigurations(
      environment, file: bytes.map { (place.path, $0) }, ConfigurationFile.text)
  }
}

/// Reads configuration files and the files they refer to.
enum ConfigurationFile {
  /// Returns the bytes of a file; nil if it does not exist.
  ///
  /// - Throws: `CKError.badContainer` if another user could have written the file, because it
  ///   decides which server receives the user's data.
  static func bytes(_ path: String) throws(CKError) -> [UInt8]? {
    let found: (attributes: FileAttributes, bytes: [UInt8])
    do throws(SystemFailure) {
      // Symbolic links are resolved: the owner of the target counts.
      let file = try FileDescriptor(
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path, for: .reading)
      let attributes = try file.attributes()
      found = (attributes, attributes.kind == .file ? try file.readAll() : [])
    } catch {
      if error.isMissing { return nil }
      throw CKError(.badContainer, "\(path) cannot be read: \(error.reason)")
    }
    if let reason = reasonForDistrust(found.attributes, path) {
      throw CKError(.badContainer, reason)
    }
    return found.bytes
  }

  /// Says why a file is not trusted; nil if only the user or root can change it.
  private static func reasonForDistrust(_ attributes: FileAttributes, _ path: String) -> String? {
    guard attributes.kind == .file else {
      return "\(path) is not a regular file. Use the path of a file."
    }
    guard [0, FileAttributes.currentUser].contains(attributes.owner) else {
      return
        "\(path) belongs to the user with the ID \(attributes.owner), who could redirect your data to any server. Copy it to a file of your own."
    }
    guard attributes.permissions & 0o022 == 0 else {
      return
        "\(path) can be changed by other users of this machine (mode \(String(attributes.permissions, radix: 8))). Check its contents, then restrict it: chmod go-w \(path)"
    }
    return nil
  }

  /// Returns the text of a file that a configuration refers to.
  static func text(_ path: String) throws(CKError) -> String {
    guard let bytes = try bytes(path) else {
      throw CKError(
        .badContainer,
        "\(path), which a configuration refers to, does not exist. Correct the configuration.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
