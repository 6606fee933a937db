import Cryptography
public import Foundation

extension NSManagedObjectModel {
  /// The version hash of every entity, by the entity's name.
  public var entityVersionHashesByName: [String: Data] {
    entitiesByName.mapValues(\.versionHash)
  }

  /// A checksum of the model's version, which migration stages and compiled models refer to.
  ///
  /// It is the SHA-256 of the version hashes of the entities in the order of their names, in base
  /// 64.
  public var versionChecksum: String {
    Self.versionChecksum(of: entityVersionHashesByName)
  }

  /// The digest that a store's metadata contains in addition to the version hashes.
  ///
  /// Parhelion's addition.
  ///
  /// It is the SHA-512 of the names and version hashes of the entities in the order of their names,
  /// in base 64.
  public var versionHashesDigest: String {
    Self.versionHashesDigest(of: entityVersionHashesByName)
  }

  /// The digest of a selection of version hashes, such as those of one configuration.
  package static func versionHashesDigest(of hashes: [String: Data]) -> String {
    var digest = Digest(.sha512)
    for (name, hash) in hashes.sorted(by: { VersionHash.utf8Precedes($0.key, $1.key) }) {
      digest.update(name)
      digest.update(hash)
    }
    return Data(digest.finish()).base64EncodedString()
  }

  /// The checksum of a selection of version hashes, such as those of one configuration.
  package static func versionChecksum(of hashes: [String: Data]) -> String {
    var digest = Digest(.sha256)
    for (_, hash) in hashes.sorted(by: { VersionHash.utf8Precedes($0.key, $1.key) }) {
      digest.update(hash)
    }
    return Data(digest.finish()).base64EncodedString()
  }
}
