import Compression
import Foundation
import ManagedObjectModel
import SQLiteDriver
import TestSupport
import Testing

/// An archive of a model that Apple's tools wrote, with its version hashes.
struct AppleArchive: CustomTestStringConvertible {
  let name: String
  let bytes: Data
  let isCache: Bool
  let hashes: [String: String]

  var testDescription: String { name }

  /// Every compiled version of the fixtures.
  static func compiled() throws -> [AppleArchive] {
    let golden = try GoldenHashes.read().compiled
    var archives: [AppleArchive] = []
    for (bundle, versions) in golden.sorted(by: { $0.key < $1.key }) {
      for (version, hashes) in versions.sorted(by: { $0.key < $1.key }) {
        let folder = try compiledFolder(named: bundle)
        let bytes = try Data(contentsOf: folder.appendingPathComponent("\(version).mom"))
        archives.append(
          AppleArchive(name: "\(bundle)/\(version)", bytes: bytes, isCache: false, hashes: hashes))
      }
    }
    return archives
  }

  /// The model cache of every store of the fixtures that has one.
  static func caches() throws -> [AppleArchive] {
    var archives: [AppleArchive] = []
    for (store, golden) in try GoldenHashes.read().stores.sorted(by: { $0.key < $1.key }) {
      guard let deflated = try cache(ofStore: store) else { continue }
      let bytes = try RawDeflate.inflate(deflated, maximumOutputBytes: 1 << 24)
      archives.append(
        AppleArchive(name: store, bytes: bytes, isCache: true, hashes: golden.entityHashes))
    }
    return archives
  }

  static func inflated(_ cache: Data) throws -> Data {
    try RawDeflate.inflate(cache, maximumOutputBytes: 1 << 24)
  }

  static func compiledFolder(named bundle: String) throws -> URL {
    let folder = try Fixtures.url("compiled")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return folder.appendingPathComponent(try #require(names.first { $0.hasSuffix(bundle) }))
  }

  /// The model cache of a copy of the store, with its log.
  static func cache(ofStore name: String) throws -> Data? {
    try withTemporaryDirectory { folder in
      for suffix in ["", "-wal", "-shm"] {
        let source = try Fixtures.url("stores").appendingPathComponent(name + suffix)
        guard FileManager.default.fileExists(atPath: source.path) else { continue }
        try FileManager.default.copyItem(
          at: source, to: folder.appendingPathComponent("store\(suffix)"))
      }
      let connection = try Connection(.file(folder.appendingPathComponent("store").path))
      let tables = try connection.rows("SELECT name FROM sqlite_master WHERE name = 'Z_MODELCACHE'")
      guard !tables.isEmpty,
        case .blob(let bytes)? = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE")
      else { return nil }
      return Data(bytes)
    }
  }
}

/// The hashes that Apple's tools wrote, from `version-hashes.json`.
struct GoldenHashes: Decodable {
  struct Store: Decodable {
    let entityHashes: [String: String]
    let NSStoreModelVersionHashesDigest: String?
    let NSStoreModelVersionChecksumKey: String?

    /// The version hashes, decoded from hexadecimal.
    var hashes: [String: Data] {
      entityHashes.mapValues { text in
        let digits = Array(text)
        return Data(
          stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
          })
      }
    }
  }

  let stores: [String: Store]
  let compiled: [String: [String: [String: String]]]

  static func read() throws -> GoldenHashes {
    try JSONDecoder().decode(
      GoldenHashes.self, from: Data(contentsOf: Fixtures.url("version-hashes.json")))
  }
}

extension NSManagedObjectModel {
  /// The version hashes in hexadecimal, without those of entities in `namesWithoutKnownHash`.
  func hexHashes(of names: some Collection<String>) -> [String: String] {
    entityVersionHashesByName.filter {
      names.contains($0.key) && !namesWithoutKnownHash.contains($0.key)
    }
    .mapValues { hash in hash.map { String(format: "%02x", $0) }.joined() }
  }

  /// The names of the entities that have or inherit derived attributes.
  var namesWithoutKnownHash: Set<String> {
    Set(
      entities.filter { entity in entity.properties.contains { $0 is NSDerivedAttributeDescription }
      }
      .compactMap(\.name))
  }
}
