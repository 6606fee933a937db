/// The settings of a model version's source that are not part of the model: code generation and
/// positions.
///
/// Neither `NSManagedObjectModel` nor its compiled form contains them.
package struct ModelSourceInfo: Sendable {
  /// The programming language of generated code.
  package enum Language: String, Sendable {
    case swift = "Swift"
    case objectiveC = "Objective-C"
  }

  /// The `contents` file that was read.
  package internal(set) var file = ""
  /// The language of generated code, or nil if the model does not name it.
  package internal(set) var language: Language?
  /// Whether the model is marked for use with CloudKit.
  package internal(set) var usedWithCloudKit = false
  /// Whether the model is marked for use with SwiftData.
  package internal(set) var usedWithSwiftData = false
  /// The configurations that are marked for use with CloudKit.
  package internal(set) var cloudKitConfigurations: [String] = []
  /// Information about the tools that wrote the file, such as version numbers, by the names of the
  /// XML attributes.
  package internal(set) var toolAttributes: [String: String] = [:]
  /// The settings of each entity, by name.
  package internal(set) var entities: [String: EntitySourceInfo] = [:]
}
