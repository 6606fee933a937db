import ManagedObjectModel
import ModelSource

/// The XML of a data model's version: every model that can be read has version hashes.
enum ModelSourceTarget: FuzzTarget {
  static let name = "model-source"

  static func run(_ bytes: [UInt8]) {
    guard let bundle = try? ModelBundle(contents: bytes, name: "contents", module: "Module") else {
      return
    }
    for version in bundle.versions {
      require(
        version.model.entityVersionHashesByName.count == version.model.entities.count,
        "a hash is missing")
    }
  }
}
