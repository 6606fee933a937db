/// What the source of one model version says beyond the model itself: how to generate code, and
/// where things stand.
///
/// None of it is part of `NSManagedObjectModel`, whose compiled form does not hold it either.
package struct ModelSourceInfo: Sendable {
  /// The programming language that code is to be generated in.
  package enum Language: String, Sendable {
    case swift = "Swift"
    case objectiveC = "Objective-C"
  }

  /// The `contents` file that was read.
  package internal(set) var file = ""
  /// The language of generated code, or nil where the model does not name it.
  package internal(set) var language: Language?
  /// Whether the model was marked for use with CloudKit.
  package internal(set) var usedWithCloudKit = false
  /// Whether the model was marked for use with SwiftData.
  package internal(set) var usedWithSwiftData = false
  /// The configurations that were marked for use with CloudKit.
  package internal(set) var cloudKitConfigurations: [String] = []
  /// What tools wrote about themselves: version numbers and the like, by the names of the XML
  /// attributes.
  package internal(set) var toolAttributes: [String: String] = [:]
  /// What the source says of each entity, by its name.
  package internal(set) var entities: [String: EntitySourceInfo] = [:]
}
