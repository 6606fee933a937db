import Cryptography
public import Foundation

extension NSManagedObjectModel {
  /// The version hash of every entity, by the entity's name.
  public var entityVersionHashesByName: [String: Data] {
    entitiesByName.mapValues(\.versionHash)
  }

  /// One text for the whole model's version: what migration stages and compiled models name a
  /// version by.
  ///
  /// It is the SHA-256 over the version hashes of the entities in the order of their names, in base
  /// 64.
  public var versionChecksum: String {
    Self.versionChecksum(of: entityVersionHashesByName)
  }

  /// The text that a store keeps beside the version hashes.
  ///
  /// Parhelion's addition.
  ///
  /// It is the SHA-512 over the names and version hashes of the entities in the order of their
  /// names, in base 64.
  public var versionHashesDigest: String {
    Self.versionHashesDigest(of: entityVersionHashesByName)
  }

  /// The digest of any selection of version hashes, such as those of one configuration.
  package static func versionHashesDigest(of hashes: [String: Data]) -> String {
    var digest = Digest(.sha512)
    for (name, hash) in hashes.sorted(by: { VersionHash.utf8Precedes($0.key, $1.key) }) {
      digest.update(name)
      digest.update(hash)
    }
    return Data(digest.finish()).base64EncodedString()
  }

  /// The checksum of any selection of version hashes, such as those of one configuration.
  package static func versionChecksum(of hashes: [String: Data]) -> String {
    var digest = Digest(.sha256)
    for (_, hash) in hashes.sorted(by: { VersionHash.utf8Precedes($0.key, $1.key) }) {
      digest.update(hash)
    }
    return Data(digest.finish()).base64EncodedString()
  }
}
