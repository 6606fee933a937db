import Foundation
import ManagedObjectModel

extension ModelCommands {
  /// The command `parhelion model hash`.
  package static let hash = Command(
    "model hash", "Print the version hashes of a model's entities.", operands: ["M"],
    options: [versionOption, .json],
    discussion: """
      \(forms) Without a version, all versions are printed. A store that was made from a version \
      contains the same hashes. With --json: {"Version name": {"Entity": "hash in hexadecimal"}}.
      """
  ) { invocation, console in
    let reference = ModelReference(invocation.operands[0])
    let file = try ModelFile.read(reference.path, console: console)
    let wanted = invocation.value(of: "--version") ?? reference.version
    let versions = try wanted.map { [try file.version(named: $0)] } ?? file.versions
    if invocation.has("--json") {
      let document = versions.map { ($0.name, $0.model.hexHashes) }
      try console.writeJSON(Dictionary(document, uniquingKeysWith: { first, _ in first }))
    } else {
      for version in versions {
        try print(version, isCurrent: version.name == file.currentVersionName, console)
      }
    }
    for version in versions { noteUncertainHashes(of: version, console) }
    return .success
  }

  private static func print(_ version: ModelFile.Version, isCurrent: Bool, _ console: any Console)
    throws
  {
    try console.writeLine("\(version.name)\(isCurrent ? " (current)" : "")")
    let hashes = version.model.hexHashes.sorted {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    for (entity, hash) in hashes { try console.writeLine("  \(hash)  \(entity)") }
    try console.writeLine("  checksum \(version.model.versionChecksum)")
  }

  private static func noteUncertainHashes(of version: ModelFile.Version, _ console: any Console) {
    for entity in version.model.sortedEntities {
      let reasons = entity.versionHashUncertainties
      guard !reasons.isEmpty else { continue }
      console.report(
        "note: \(version.name): the hash of \(entity.name ?? "") may differ from the one of Apple's frameworks: \(reasons.joined(separator: "; "))."
      )
    }
  }
}

extension NSManagedObjectModel {
  /// The version hashes of the entities in hexadecimal.
  fileprivate var hexHashes: [String: String] {
    entityVersionHashesByName.mapValues { hash in
      hash.map { byte in String(hexByte: byte) }.joined()
    }
  }
}

extension String {
  init(hexByte byte: UInt8) {
    let digits = Array("0123456789abcdef")
    self = String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
  }
}
