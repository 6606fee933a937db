import ManagedObjectModel
import ModelSource
import Testing

/// Model source for tests, given as the text between `<model>` and `</model>`.
struct SourceText {
  var rootAttributes = ""
  let body: String

  init(_ body: String, root rootAttributes: String = "") {
    self.body = body
    self.rootAttributes = rootAttributes
  }

  /// The text of the `contents` file.
  var contents: String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \(rootAttributes)>
    \(body)
    </model>
    """
  }

  func read(module: String? = nil) throws(ModelSourceError) -> ModelBundle {
    try ModelBundle(name: "Test", contents: Array(contents.utf8), module: module)
  }

  func model() throws(ModelSourceError) -> NSManagedObjectModel {
    try read().currentVersion.model
  }

  /// The errors of reading; empty if it succeeds.
  var errors: [ModelSourceIssue] {
    do {
      _ = try read()
      return []
    } catch {
      return error.errors
    }
  }
}

/// One entity, `E`, with the given content.
func entity(_ content: String, _ attributes: String = "") -> SourceText {
  SourceText("<entity name=\"E\" \(attributes)>\(content)</entity>")
}

/// The attribute `a` of a model with one entity.
func attribute(_ attributes: String) throws -> NSAttributeDescription {
  let model = try entity("<attribute name=\"a\" optional=\"YES\" \(attributes)/>").model()
  return try #require(model.entitiesByName["E"]?.attributesByName["a"])
}
