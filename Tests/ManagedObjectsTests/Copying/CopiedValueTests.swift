import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

/// Values and relationships that only SQLite stores have.
@Suite struct `Copied values` {
  /// Galleries with pictures in files, a derived count, and visitors without an inverse.
  private static func model() -> NSManagedObjectModel {
    func relationship(_ name: String, _ maxCount: Int) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.maxCount = maxCount
      relationship.isOptional = true
      return relationship
    }
    let image = ShelfModel.attribute("image", .binaryDataAttributeType)
    image.allowsExternalBinaryDataStorage = true
    let label = ShelfModel.attribute("label", .transformableAttributeType)
    let count = NSDerivedAttributeDescription()
    count.name = "count"
    count.attributeType = .integer64AttributeType
    count.isOptional = true
    count.derivationExpression = PredicateLanguage.NSExpression(format: "pictures.@count")
    let gallery = ShelfModel.entity(
      "Gallery", [ShelfModel.attribute("name", .stringAttributeType), count])
    let picture = ShelfModel.entity(
      "Picture", [ShelfModel.attribute("title", .stringAttributeType), image, label])
    let visitor = ShelfModel.entity("Visitor", [ShelfModel.attribute("name", .stringAttributeType)])
    let (pictures, back) = (relationship("pictures", 0), relationship("gallery", 1))
    (pictures.destinationEntity, back.destinationEntity) = (picture, gallery)
    (pictures.inverseRelationship, back.inverseRelationship) = (back, pictures)
    let (visitors, favourite) = (relationship("visitors", 0), relationship("favourite", 1))
    (visitors.destinationEntity, favourite.destinationEntity) = (visitor, picture)
    gallery.properties += [pictures, visitors]
    picture.properties += [back]
    visitor.properties += [favourite]
    let model = NSManagedObjectModel()
    model.entities = [gallery, picture, visitor]
    return model
  }

  private static func fill(_ context: NSManagedObjectContext) throws {
    let gallery = context.add("Gallery", ["name": "Tate"])
    let pictures = (0..<5).map { number in
      context.add(
        "Picture",
        [
          "title": "p\(number)", "gallery": gallery,
          "image": Data(repeating: UInt8(number), count: number * 100_000),
          "label": ["n": number] as NSDictionary,
        ])
    }
    let visitors = pictures.map { context.add("Visitor", ["name": "v", "favourite": $0]) }
    gallery.setValue(Set(visitors) as NSSet, forKey: "visitors")
    try context.save()
  }

  @Test(arguments: [1, 2, 500])
  func `Files, derived values, and relationships without an inverse arrive`(batchSize: Int) throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder, model: Self.model())
      try Self.fill(pair.source.context)
      try pair.copy(batchSize: batchSize)
      // The source is not needed any longer.
      try pair.source.coordinator.remove(pair.source.store)
      try FileManager.default.removeItem(at: folder.appendingPathComponent(".source_SUPPORT"))
      let context = pair.destination.newContext()
      let gallery = try #require(try context.one("Gallery"))
      #expect(gallery.number("count") == 5)
      #expect(gallery.related("visitors").count == 5)
      for number in 0..<5 {
        let picture = try #require(try context.one("Picture", "title == %@", "p\(number)"))
        #expect(
          picture.value(forKey: "image") as? Data
            == Data(repeating: UInt8(number), count: number * 100_000))
        #expect((picture.value(forKey: "label") as? NSDictionary)?["n"] as? Int == number)
        #expect(picture.related("gallery") == [gallery])
      }
      #expect(
        try context.all("Visitor").compactMap { $0.related("favourite").first?.text("title") }
          .sorted() == (0..<5).map { "p\($0)" })
    }
  }

  @Test func `A moved store leaves no files behind`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder, model: Self.model())
      try Self.fill(pair.source.context)
      pair.source.context.reset()
      try pair.move(batchSize: 2)
      let files = folder.appendingPathComponent(".source_SUPPORT/_EXTERNAL_DATA")
      #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == [])
      #expect(try pair.destination.context.all("Picture").count == 5)
    }
  }
}
