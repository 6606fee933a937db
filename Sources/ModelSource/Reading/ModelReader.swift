import Foundation
import ManagedObjectModel

/// Reads one `contents` file into a model.
///
/// It reads in several steps, since models contain forward references: composites and entities,
/// then parents, properties, and last the references to properties. Reading continues after an
/// error, so that one run finds all issues. The caller then checks the log for errors.
final class ModelReader {
  /// An entity's element and the description that is created from it.
  struct Declaration {
    let element: ElementReader
    let entity: NSEntityDescription
    let name: String
  }

  let file: SourceFile
  let module: String?
  let model = NSManagedObjectModel()
  var info = ModelSourceInfo()
  var composites = CompositeTable()
  var declarations: [Declaration] = []
  var entitiesByName: [String: NSEntityDescription] = [:]
  var properties = PropertyTable()
  var inverses = InverseTable()
  /// The positions of entities and properties, by `Entity` and `Entity.property`.
  var offsets: [String: Int] = [:]

  init(file: SourceFile, module: String?) {
    self.file = file
    self.module = module
    info.file = file.path
  }

  /// Reads the model, which is unusable if the log contains an error; nil if the file has no model.
  func read() -> NSManagedObjectModel? {
    guard let root = file.readXML() else { return nil }
    guard root.name == "model" else {
      file.record(
        .error, .notAModel, at: root.offset,
        "The root element is <\(root.name)>; that of a data model is <model>.",
        "Restore the file from version control.")
      return nil
    }
    let errorsBefore = file.log.errorCount
    readRootAttributes(of: root)
    readChildren(of: root)
    if file.log.errorCount == errorsBefore { validate() }
    return model
  }

  private func readChildren(of root: SourceElement) {
    let reader = ElementReader(root, in: file)
    composites.declare(root.children(named: "composite"), in: file)
    declareEntities(root.children(named: "entity"))
    resolveParents()
    model.entities = declarations.map(\.entity)
    for declaration in declarations { readProperties(of: declaration) }
    checkInheritedNames()
    inverses.resolve(among: entitiesByName, properties: properties)
    for declaration in declarations { readIndexes(of: declaration) }
    readFetchRequestTemplates(root.children(named: "fetchRequest"))
    readConfigurations(root.children(named: "configuration"))
    let known: Set = ["entity", "fetchRequest", "configuration", "composite", "elements"]
    for child in root.children where !known.contains(child.name) { reader.unknownChild(child) }
  }

  private func readRootAttributes(of root: SourceElement) {
    var reader = ElementReader(root, in: file)
    let type = reader.nonEmptyText("type")
    if let type, type != "com.apple.IDECoreDataModeler.DataModel" {
      reader.warning(
        .badValue, "type", "The file declares the type \"\(type)\".",
        "Check that it is a data model."
      )
    }
    if let identifier = reader.text("userDefinedModelVersionIdentifier") {
      model.versionIdentifiers = [identifier]
    }
    info.language = readLanguage(with: &reader)
    info.usedWithCloudKit = reader.flag("usedWithCloudKit") ?? false
    info.usedWithSwiftData = reader.flag("usedWithSwiftData") ?? false
    for name in Self.toolAttributes { info.toolAttributes[name] = reader.text(name) }
    reader.ignore("name")
    reader.finish()
  }

  private func readLanguage(with reader: inout ElementReader) -> ModelSourceInfo.Language? {
    guard let name = reader.nonEmptyText("sourceLanguage") else { return nil }
    if let language = ModelSourceInfo.Language(rawValue: name) { return language }
    reader.warning(
      .badValue, "sourceLanguage", "The language \"\(name)\" is not known.",
      "Write Swift or Objective-C.")
    return nil
  }

  private static let toolAttributes = [
    "documentVersion", "iOSVersion", "lastSavedToolsVersion", "macOSVersion", "minimumToolsVersion",
    "systemVersion",
    "tvOSVersion", "visionOSVersion", "watchOSVersion",
  ]
}
