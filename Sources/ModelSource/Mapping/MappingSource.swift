package import Foundation

/// The parsed source of a mapping model, an `.xcmappingmodel`.
///
/// Its file `xcmapping.xml` is a store in Core Data's XML form, of Xcode's own objects:
///
/// | object | attributes |
/// |---|---|
/// | `XDDEVMAPPINGMODEL` | `sourcemodelpath`, `destinationmodelpath`, `entitymappings` |
/// | `XDDEVENTITYMAPPING` | `name`, `sourcename`, `destinationname`, `mappingtypename` |
/// | its order and policy | `mappingnumber`, `migrationpolicyclassname` |
/// | its objects | `sourcefilterpredicatestring`, `sourceexpressiondata` |
/// | its properties | `attributemappings`, `relationshipmappings` |
/// | `XDDEVATTRIBUTEMAPPING` | `name`, `valueexpressiondata`, `sourcekeypath` |
/// | `XDDEVRELATIONSHIPMAPPING` | the same, and `sourcemappingname` |
///
/// Mappings also have `autogenerateexpression` and `userinfodata`. Attributes whose names end in
/// `data` contain keyed archives. The archives of the two models are Xcode's own, and are not read.
///
/// Objects that the mapping model does not refer to are remains of edits, and are skipped.
package struct MappingSource: Sendable {
  /// A mapping of an entity, before it is compiled.
  struct Entity: Sendable {
    let values: MappingSourceObject
    let attributes: [MappingSourceObject]
    let relationships: [MappingSourceObject]
  }

  /// The name of the source without the extension, which the compiled file gets.
  package let name: String
  /// The path of the source model's version in Xcode's project, such as
  /// `App/Model.xcdatamodeld/Model 1.xcdatamodel`.
  package let sourceModelPath: String
  /// The path of the destination model's version.
  package let destinationModelPath: String
  let file: String
  /// The mappings of entities in their order.
  let entities: [Entity]

  /// Reads an `.xcmappingmodel`.
  package init(contentsOf url: URL) throws(ModelSourceError) {
    let folder = url.lastPathComponent == "xcmapping.xml" ? url.deletingLastPathComponent() : url
    let file = folder.appendingPathComponent("xcmapping.xml")
    let log = IssueLog()
    let path = file.resolvingSymlinksInPath().path
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    try Self.checkSize(size ?? 0, of: file.path)
    guard let data = try? Data(contentsOf: file) else {
      throw Self.failure(
        file.path, .unreadable, "The file cannot be read.",
        "Name an .xcmappingmodel folder, which contains an xcmapping.xml.")
    }
    // The size may have been unknown.
    try Self.checkSize(data.count, of: file.path)
    let source = SourceFile(path: file.path, bytes: [UInt8](data), log: log)
    let objects = MappingSourceObjects(source)
    try log.throwIfFailed(file: file.path)
    self.file = file.path
    name = folder.deletingPathExtension().lastPathComponent
    guard let root = objects.first(ofKind: "XDDEVMAPPINGMODEL") else {
      throw Self.failure(
        file.path, .notAModel, "The file contains no mapping model.", "Save it again with Xcode.")
    }
    sourceModelPath = root["sourcemodelpath"] ?? ""
    destinationModelPath = root["destinationmodelpath"] ?? ""
    entities = objects.related(root, "entitymappings")
      .sorted { ($0.order, $0["sourcename"] ?? "") < ($1.order, $1["sourcename"] ?? "") }
      .map {
        Entity(
          values: $0, attributes: objects.related($0, "attributemappings"),
          relationships: objects.related($0, "relationshipmappings"))
      }
  }

  /// The name of the source model's version; nil if the source names none.
  package var sourceVersionName: String? { Self.versionName(sourceModelPath) }

  /// The name of the destination model's version; nil if the source names none.
  package var destinationVersionName: String? { Self.versionName(destinationModelPath) }

  private static func versionName(_ path: String) -> String? {
    path.isEmpty
      ? nil : URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  private static func checkSize(_ bytes: Int, of file: String) throws(ModelSourceError) {
    guard bytes > Limits.mappingBytes else { return }
    throw failure(
      file, .tooLarge, "The file has more than \(Limits.mappingBytes) bytes.",
      "Split the mapping model.")
  }

  static func failure(
    _ file: String, _ code: ModelSourceError.Code, _ problem: String, _ remedy: String
  ) -> ModelSourceError {
    ModelSourceError(
      code: code,
      issues: [
        ModelSourceIssue(
          severity: .error, code: code, file: file, position: nil, element: nil, attribute: nil,
          problem: problem, remedy: remedy)
      ])
  }
}
