import Foundation
import SystemFiles

/// The containers that the environment and a configuration file describe.
package struct FoundConfigurations: Sendable {
  package var configurations: [CKContainer.Configuration] = []
  package var defaultIdentifier: String?

  /// A file that may describe containers.
  package struct Place: Hashable, Sendable {
    package let path: String
    /// Whether somebody named it, so that it has to be there.
    package let isNamed: Bool
  }

  /// Where the configuration file is: where the environment says, else in the user's configuration
  /// folder.
  ///
  /// No file of the working folder is read unless the environment names it: a folder that came from
  /// elsewhere, such as a cloned repository, would choose the server that the program sends the
  /// user's data to.
  package static func place(_ environment: [String: String], workingFolder: String, home: String)
    -> Place
  {
    if let path = environment[configurationFileVariable], !path.isEmpty {
      return Place(path: path.hasPrefix("/") ? path : "\(workingFolder)/\(path)", isNamed: true)
    }
    let folder = UserFolder.configuration(environment, home: home)
    return Place(path: "\(folder)/parhelion/cloud.json", isNamed: false)
  }

  /// What the environment and a file come to: a container that both describe is as the environment
  /// says, and the default one.
  ///
  /// - Parameters:
  ///   - file: The bytes of the configuration file that was found, and its path.
  ///   - fileText: Gives the text of a file that a configuration names.
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

/// The folders that the XDG Base Directory Specification gives a user.
enum UserFolder {
  static func configuration(_ environment: [String: String], home: String) -> String {
    folder(environment["XDG_CONFIG_HOME"]) ?? "\(home)/.config"
  }

  static func data(_ environment: [String: String], home: String) -> String {
    folder(environment["XDG_DATA_HOME"]) ?? "\(home)/.local/share"
  }

  /// The specification wants paths that are not absolute to be passed over.
  private static func folder(_ path: String?) -> String? {
    path.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}

// MARK: - Looking

extension FoundConfigurations {
  /// Looks into this process's environment and this machine's files.
  static func onThisMachine() throws(CKError) -> FoundConfigurations {
    let environment = ProcessInfo.processInfo.environment
    let place = place(
      environment, workingFolder: FileManager.default.currentDirectoryPath,
      home: FileManager.default.homeDirectoryForCurrentUser.path)
    let bytes = try ConfigurationFile.bytes(place.path)
    guard bytes != nil || !place.isNamed else {
      throw CKError(
        .badContainer,
        "\(configurationFileVariable) names \(place.path), which is not there. Correct it, or make the file."
      )
    }
    return try FoundConfigurations(
      environment, file: bytes.map { (place.path, $0) }, ConfigurationFile.text)
  }
}

/// Reads the files that describe containers.
enum ConfigurationFile {
  /// The bytes of a file; nil where there is none.
  ///
  /// - Throws: `CKError.badContainer` where another user could have written it: it names the server
  ///   that gets the user's data.
  static func bytes(_ path: String) throws(CKError) -> [UInt8]? {
    let found: (attributes: FileAttributes, bytes: [UInt8])
    do throws(SystemFailure) {
      // The file that links lead to is the one whose owner counts.
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

  /// Why a file is not used that others could have written; nil for one that the user or the
  /// administrator alone can change.
  private static func reasonForDistrust(_ attributes: FileAttributes, _ path: String) -> String? {
    guard attributes.kind == .file else { return "\(path) is no file. Name the file." }
    guard [0, FileAttributes.currentUser].contains(attributes.owner) else {
      return
        "\(path) belongs to the user with the number \(attributes.owner), who could name any server in it. Copy it to a file of your own."
    }
    guard attributes.permissions & 0o022 == 0 else {
      return
        "\(path) can be changed by other users of this machine (mode \(String(attributes.permissions, radix: 8))). Look at what it says, then close it: chmod go-w \(path)"
    }
    return nil
  }

  /// The text of a file that a configuration names.
  static func text(_ path: String) throws(CKError) -> String {
    guard let bytes = try bytes(path) else {
      throw CKError(
        .badContainer,
        "\(path), which a configuration names, is not there. Correct the configuration.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
