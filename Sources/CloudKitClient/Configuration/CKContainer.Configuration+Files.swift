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
  ///     {
  ///       "container": "iCloud.com.example.notes", "server": "https://cloud.example.com",
  ///       "environment": "production", "apiToken": "…"
  ///     }
  ///   ]
  /// }
  /// ```
  ///
  /// - Returns: The containers in the file, the default one first.
  /// - Throws: `CKError.badContainer` with a message that names the file, the key and the remedy. A
  ///   file that other users own or can change is an error too.
  public static func read(fromFile url: URL) throws -> [CKContainer.Configuration] {
    guard let bytes = try ConfigurationFile.bytes(url.path) else {
      throw CKError(
        .badContainer, "\(url.path) does not exist. Correct the path, or create the file.")
    }
    let found = try FoundConfigurations([:], file: (url.path, bytes), ConfigurationFile.text)
    let first = found.configurations.filter { $0.containerIdentifier == found.defaultIdentifier }
    return first + found.configurations.filter { $0.containerIdentifier != found.defaultIdentifier }
  }
}

extension CKContainer {
  /// Binds the containers that a configuration file describes.
  ///
  /// Parhelion's addition. If an app does not bind its container, and no environment variables
  /// configure it, the file at the path in `PARHELION_CONFIGURATION` applies. Without that
  /// variable, it is `parhelion/cloud.json` in the user's configuration folder.
  public class func configure(fromFile url: URL) throws {
    for configuration in try Configuration.read(fromFile: url) { configure(configuration) }
  }
}
