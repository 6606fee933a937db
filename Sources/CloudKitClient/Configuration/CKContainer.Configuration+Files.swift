public import Foundation

extension CKContainer.Configuration {
  /// Reads a configuration file.
  ///
  /// Parhelion's addition. The file is JSON with a list of containers:
  ///
  /// ```json
  /// {
  ///   "default": "iCloud.com.example.notes",
  ///   "containers": [
  ///     {"container": "iCloud.com.example.notes", "server": "https://cloud.example.com", "environment": "production", "apiToken": "…"}
  ///   ]
  /// }
  /// ```
  ///
  /// - Returns: The containers that it describes, the default one first.
  /// - Throws: `CKError.badContainer` with a sentence that names file, key and remedy; also for a
  ///   file that other users own or can change.
  public static func read(fromFile url: URL) throws -> [CKContainer.Configuration] {
    guard let bytes = try ConfigurationFile.bytes(url.path) else {
      throw CKError(.badContainer, "\(url.path) is not there. Correct the path, or make the file.")
    }
    let found = try FoundConfigurations([:], file: (url.path, bytes), ConfigurationFile.text)
    let first = found.configurations.filter { $0.containerIdentifier == found.defaultIdentifier }
    return first + found.configurations.filter { $0.containerIdentifier != found.defaultIdentifier }
  }
}

extension CKContainer {
  /// Binds the containers that a configuration file describes.
  ///
  /// Parhelion's addition. A program that does not call it, and binds its container in no other
  /// way, finds the file by itself: at `PARHELION_CONFIGURATION`, else `parhelion/cloud.json` in
  /// the user's configuration folder.
  public class func configure(fromFile url: URL) throws {
    for configuration in try Configuration.read(fromFile: url) { configure(configuration) }
  }
}
