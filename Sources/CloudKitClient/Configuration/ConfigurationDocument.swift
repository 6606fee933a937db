import Foundation
import JSONCoding

/// A configuration file.
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
struct ConfigurationDocument: Sendable {
  /// The containers in the order of the file.
  var entries: [ConfigurationEntry] = []
  /// The identifier of the default container; nil for the first one.
  var defaultContainer: String?

  /// Parses a file.
  ///
  /// - Throws: An error that names the file, the key and the remedy.
  init(_ bytes: [UInt8], path: String) throws(CKError) {
    do {
      self = try JSONReader.read(bytes) { reader throws(JSONError) in
        try ConfigurationDocument(from: &reader, path: path)
      }
    } catch {
      throw CKError(
        .badContainer, "\(path) is not a valid configuration: \(error). Correct the file.")
    }
    try checkNames(path)
  }

  private init(from reader: inout JSONReader, path: String) throws(JSONError) {
    var seen: Set<String> = []
    try reader.beginObject()
    while let key = try reader.nextKey() {
      guard seen.insert(key).inserted else { throw reader.duplicateKey() }
      switch key {
      case "default": defaultContainer = try reader.string()
      case "containers":
        try reader.beginArray()
        while try reader.nextElement() {
          let place = "containers[\(entries.count)]"
          entries.append(try ConfigurationEntry(from: &reader, .file(path: path, place: place)))
        }
      default:
        throw reader.invalidValue(
          "the key is unknown; the known keys are “default” and “containers”")
      }
    }
    guard seen.contains("containers") else {
      throw reader.invalidValue("“containers” is missing, a list of containers")
    }
  }

  private func checkNames(_ path: String) throws(CKError) {
    var names: Set<String> = []
    for entry in entries where !names.insert(try entry.container()).inserted {
      throw CKError(
        .badContainer,
        "\(path) describes the container \(try entry.container()) twice. Remove one of them.")
    }
    guard let defaultContainer, !names.contains(defaultContainer) else { return }
    throw CKError(
      .badContainer,
      "\(path): the default container “\(defaultContainer)” is not listed in “containers”. Use one of those, or add it there."
    )
  }
}

extension ConfigurationEntry {
  fileprivate init(from reader: inout JSONReader, _ source: Source) throws(JSONError) {
    self.source = source
    let known = ConfigurationSetting.allCases.filter(\.standsInFiles)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      guard let setting = ConfigurationSetting(rawValue: key) else {
        throw reader.invalidValue(
          "the key is unknown; the known keys are \(known.map(\.rawValue).joined(separator: ", "))")
      }
      guard setting.standsInFiles else {
        throw reader.invalidValue(
          "a user's token is not allowed in a file: sign in, or set \(setting.variable)")
      }
      guard texts[setting] == nil else { throw reader.duplicateKey() }
      let text = try reader.string()
      guard !text.isEmpty else { throw reader.invalidValue("the value is empty; remove the key") }
      texts[setting] = text
    }
  }
}
