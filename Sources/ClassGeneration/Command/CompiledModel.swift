import Foundation
import ManagedObjectModel
import ModelSource

/// A model in the compiled forms: files for a bundle, and text for a string literal.
struct CompiledModel {
  private let bundle: ModelBundle

  init(_ bundle: ModelBundle) throws {
    self.bundle = bundle
  }

  func packedCurrentVersion() throws -> String { try ModelRegistry.packed(Data()) }

  func files(below path: String) -> [OutputFile] { [OutputFile(path: path + "/VersionInfo.plist", text: "")] }
}
