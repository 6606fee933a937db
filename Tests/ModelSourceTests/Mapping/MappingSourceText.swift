import Foundation
import ManagedObjectModel

/// Writes the source of a mapping model in Xcode's format.
struct MappingSourceText {
  private var objects: [String] = []
  private var mappings: [String] = []
  private var next = 102

  /// Adds an entity mapping.
  ///
  /// - Parameters:
  ///   - values: The values of the entity mapping.
  ///   - attributes: The values of each attribute mapping.
  ///   - relationships: The values of each relationship mapping.
  mutating func add(
    _ values: [String: String], attributes: [[String: String]] = [],
    relationships: [[String: String]] = []
  ) {
    let owner = identifier()
    let groups = [("attribute", attributes), ("relationship", relationships)].map { kind, all in
      let identifiers = all.map { values in
        let identifier = identifier()
        add("XDDEV\(kind.uppercased())MAPPING", identifier, values, ["entitymapping": [owner]])
        return identifier
      }
      return ("\(kind)mappings", identifiers)
    }
    add(
      "XDDEVENTITYMAPPING", owner, values,
      Dictionary(uniqueKeysWithValues: groups + [("mappingmodel", ["z101"])]))
    mappings.append(owner)
  }

  /// Adds an entity mapping that the mapping model does not reference.
  mutating func addUnreferenced(_ values: [String: String]) {
    add("XDDEVENTITYMAPPING", identifier(), values, ["mappingmodel": []])
  }

  private mutating func identifier() -> String {
    defer { next += 1 }
    return "z\(next)"
  }

  private mutating func add(
    _ kind: String, _ identifier: String, _ values: [String: String], _ related: [String: [String]]
  ) {
    var lines = ["    <object type=\"\(kind)\" id=\"\(identifier)\">"]
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      let type = name.hasSuffix("data") ? "binary" : "string"
      lines.append("        <attribute name=\"\(name)\" type=\"\(type)\">\(value)</attribute>")
    }
    for (name, identifiers) in related.sorted(by: { $0.key < $1.key }) {
      let references =
        identifiers.isEmpty ? "" : " idrefs=\"\(identifiers.joined(separator: " "))\""
      lines.append(
        "        <relationship name=\"\(name)\" type=\"0/0\"\(references)></relationship>"
      )
    }
    objects.append((lines + ["    </object>"]).joined(separator: "\n"))
  }

  var text: String {
    var all = self
    all.add(
      "XDDEVMAPPINGMODEL", "z101",
      [
        "sourcemodelpath": "App/Model.xcdatamodeld/Model 1.xcdatamodel",
        "destinationmodelpath": "App/Model.xcdatamodeld/Model 2.xcdatamodel",
        "sourcemodeldata": "YnBsaXN0MDDUAAEA",
      ], ["entitymappings": mappings])
    return """
      <?xml version="1.0" standalone="no"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo><version>134481920</version></databaseInfo>
      \(all.objects.joined(separator: "\n"))
      </database>
      """
  }

  /// Writes an `.xcmappingmodel` into a folder.
  func write(to folder: URL, named name: String = "Change", text other: String? = nil) throws -> URL
  {
    let url = folder.appendingPathComponent("\(name).xcmappingmodel")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Data((other ?? text).utf8).write(to: url.appendingPathComponent("xcmapping.xml"))
    return url
  }
}
