import Foundation

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

  /// Where a configuration file is looked for: the first one that is there counts, and no other.
  package static func places(_ environment: [String: String], workingFolder: String, home: String) -> [Place] {
    if let path = environment[configurationFileVariable], !path.isEmpty {
      return [Place(path: path.hasPrefix("/") ? path : "\(workingFolder)/\(path)", isNamed: true)]
    }
    let folder = UserFolder.configuration(environment, home: home)
    return [
      Place(path: "\(workingFolder)/parhelion.json", isNamed: false),
      Place(path: "\(folder)/parhelion/cloud.json", isNamed: false),
    ]
  }

  /// What the environment and a file come to: a container that both describe is as the environment says, and the default one.
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
  private static func folder(_ path: String?) -> String? { path.flatMap { $0.hasPrefix("/") ? $0 : nil } }
}

// MARK: - Looking

extension FoundConfigurations {
  /// Looks into this process's environment and this machine's files.
  static func onThisMachine() throws(CKError) -> FoundConfigurations {
    let environment = ProcessInfo.processInfo.environment
    let places = places(
      environment, workingFolder: FileManager.default.currentDirectoryPath,
      home: FileManager.default.homeDirectoryForCurrentUser.path)
    for place in places {
      guard let bytes = try ConfigurationFile.bytes(place.path) else {
        guard place.isNamed else { continue }
        throw CKError(
          .badContainer,
          "\(configurationFileVariable) names \(place.path), which is not there. Correct it, or make the file.")
      }
      return try FoundConfigurations(environment, file: (place.path, bytes), ConfigurationFile.text)
    }
    return try FoundConfigurations(environment, file: nil, ConfigurationFile.text)
  }
}

/// Reads the files that describe containers.
enum ConfigurationFile {
  /// The bytes of a file; nil where there is none.
  static func bytes(_ path: String) throws(CKError) -> [UInt8]? {
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      if let error = error as? CocoaError, error.code == .fileReadNoSuchFile { return nil }
      throw CKError(.badContainer, "\(path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// The text of a file that a configuration names.
  static func text(_ path: String) throws(CKError) -> String {
    guard let bytes = try bytes(path) else {
      throw CKError(.badContainer, "\(path), which a configuration names, is not there. Correct the configuration.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
