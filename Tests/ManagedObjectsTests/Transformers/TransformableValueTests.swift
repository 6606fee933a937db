import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

private typealias ValueTransformer = ManagedObjects.ValueTransformer

/// A sketch in a handwritten class.
final class Sketch: NSManagedObject {
  var title: String? {
    get { value(forKey: "title") as? String }
    set { setValue(newValue, forKey: "title") }
  }
}

/// A transformer that allows the classes of the archives.
private final class WideTransformer: NSSecureUnarchiveFromDataTransformer {}

/// A transformer that knows none of the archives' classes, as on a platform without them.
private final class NarrowTransformer: NSSecureUnarchiveFromDataTransformer {
  override class var allowedTopLevelClasses: [AnyClass] { [NSUUID.self] }
}

@Suite struct TransformableValueTests {
  private let kitchen: Kitchen
  /// A unique transformer name for each test, since all share one registry.
  private let transformer = NSValueTransformerName("sketch-\(UUID().uuidString)")

  init() throws {
    ValueTransformer.setValueTransformer(WideTransformer(), forName: transformer)
    kitchen = try Kitchen(model: Self.model(transformer))
  }

  private static func model(_ transformer: NSValueTransformerName) -> NSManagedObjectModel {
    let sketch = NSEntityDescription()
    sketch.name = "Sketch"
    sketch.managedObjectClassName = NSStringFromClass(Sketch.self)
    let strokes = KitchenModel.attribute("strokes", .transformableAttributeType)
    strokes.allowsExternalBinaryDataStorage = true
    let colours = KitchenModel.attribute("colours", .transformableAttributeType)
    colours.valueTransformerName = transformer.rawValue
    sketch.properties = [KitchenModel.attribute("title", .stringAttributeType), strokes, colours]
    let model = NSManagedObjectModel()
    model.entities = [sketch]
    return model
  }

  private func draw(_ values: [String: Any]) throws {
    try kitchen.inContext { (context) throws in
      Sketch(context: context).setValuesForKeys(values.merging(["title": "Boat"]) { $1 })
      try context.save()
    }
  }

  private func sketch(in context: NSManagedObjectContext) throws -> Sketch {
    try #require(try context.fetch(NSFetchRequest<Sketch>(entityName: "Sketch")).first)
  }

  @Test func `A value in an external file is transformed too`() throws {
    let strokes = [String(repeating: "~", count: 300_000), "|"]
    try draw(["strokes": strokes])
    let folder = kitchen.folder.appendingPathComponent(".Kitchen_SUPPORT/_EXTERNAL_DATA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    try kitchen.inContext { (context) throws in
      #expect(try sketch(in: context).value(forKey: "strokes") as? [String] == strokes)
      let request = NSFetchRequest<NSDictionary>(entityName: "Sketch")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["strokes"]
      #expect(try context.fetch(request).first?["strokes"] as? [String] == strokes)
    }
  }

  @Test
  func `An object with an unreadable value has a description, and its other values are saved`()
    throws
  {
    try draw(["colours": ["red", "blue"]])
    ValueTransformer.setValueTransformer(NarrowTransformer(), forName: transformer)
    try kitchen.inContext { (context) throws in
      let sketch = try sketch(in: context)
      sketch.title = "Ship"
      #expect(sketch.description.contains("colours = <cannot be read>"))
      #expect(try sketch.binaryData(forKey: "colours")?.isEmpty == false)
      try context.save()
    }
    ValueTransformer.setValueTransformer(WideTransformer(), forName: transformer)
    try kitchen.inContext { (context) throws in
      let sketch = try sketch(in: context)
      #expect(
        sketch.title == "Ship" && sketch.value(forKey: "colours") as? [String] == ["red", "blue"])
    }
  }

  @Test(arguments: [
    NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType,
    .overwriteMergePolicyType, .rollbackMergePolicyType,
  ])
  func `A conflict keeps an unreadable value`(
    _ policy: NSMergePolicyType
  ) throws {
    try draw(["colours": ["red"]])
    ValueTransformer.setValueTransformer(NarrowTransformer(), forName: transformer)
    try kitchen.inContext { (mine) throws in
      mine.mergePolicy = NSMergePolicy(merge: policy)
      try sketch(in: mine).title = "Ship"
      try kitchen.inContext { (theirs) throws in
        try sketch(in: theirs).title = "Raft"
        try theirs.save()
      }
      try mine.save()
    }
    ValueTransformer.setValueTransformer(WideTransformer(), forName: transformer)
    try kitchen.inContext { (context) throws in
      #expect(try sketch(in: context).value(forKey: "colours") as? [String] == ["red"])
    }
  }
}
