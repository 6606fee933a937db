package import Foundation
import PropertyLists

/// The `VersionInfo.plist` of a `.momd` folder.
///
/// | key | value |
/// |---|---|
/// | `NSManagedObjectModel_CurrentVersionName` | the name of a version, without extension |
/// | `NSManagedObjectModel_VersionHashes` | version name → entity name → 32 bytes |
/// | `NSManagedObjectModel_VersionChecksums` | version name → base64 text; only in newer folders |
package struct VersionInfo: Equatable, Sendable {
  package var currentVersionName: String
  /// The version hashes of the entities of each version.
  package var versionHashes: [String: [String: Data]]
  /// The checksum of each version, if the file has them.
  package var versionChecksums: [String: String]

  static let fileName = "VersionInfo.plist"

  private enum Key {
    static let current = "NSManagedObjectModel_CurrentVersionName"
    static let hashes = "NSManagedObjectModel_VersionHashes"
    static let checksums = "NSManagedObjectModel_VersionChecksums"
  }

  package init(
    currentVersionName: String, versionHashes: [String: [String: Data]],
    versionChecksums: [String: String]
  ) {
    self.currentVersionName = currentVersionName
    self.versionHashes = versionHashes
    self.versionChecksums = versionChecksums
  }

  /// Parses the file's bytes, in the binary or the XML form.
  package init(_ data: Data) throws(ModelArchiveError) {
    let list: PropertyList
    do {
      list = try PropertyList([UInt8](data))
    } catch {
      throw ModelArchiveError(.unreadable, "VersionInfo.plist cannot be read: \(error)")
    }
    guard let current = list.dictionary?[Key.current]?.string, !current.contains("/"),
      !current.isEmpty
    else {
      throw ModelArchiveError(
        .missingKey, "VersionInfo.plist does not name the current version under \(Key.current).")
    }
    currentVersionName = current
    versionHashes = (list.dictionary?[Key.hashes]?.dictionary ?? [:]).mapValues { version in
      (version.dictionary ?? [:]).compactMapValues { $0.data.map { Data($0) } }
    }
    versionChecksums = (list.dictionary?[Key.checksums]?.dictionary ?? [:]).compactMapValues(
      \.string)
  }

  /// The file's bytes, in the binary form.
  package func encoded() throws -> Data {
    let hashes = versionHashes.mapValues { version in
      PropertyList.dictionary(version.mapValues { .data([UInt8]($0)) })
    }
    return Data(
      try BinaryPropertyList.write(
        .dictionary([
          Key.current: .string(currentVersionName), Key.hashes: .dictionary(hashes),
          Key.checksums: .dictionary(versionChecksums.mapValues(PropertyList.string)),
        ])))
  }
}
