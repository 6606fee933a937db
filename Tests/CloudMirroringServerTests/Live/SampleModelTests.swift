import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirroringTestSupport
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// The models of Apple's samples: posts with tags and attachments, and two stores linked by a
/// fetched property.
@Suite("Sample models", .endsAtAll)
struct SampleModelTests {
  private static func posts() -> NSManagedObjectModel {
    var sketch = ModelSketch()
    let attribute = ModelSketch.attribute
    let thumbnail = attribute("thumbnail", .transformableAttributeType, nil, false)
    thumbnail.isTransient = true
    let bytes = attribute("data", .binaryDataAttributeType, nil, false)
    bytes.allowsExternalBinaryDataStorage = true
    let count = NSDerivedAttributeDescription()
    (count.name, count.attributeType, count.isOptional) = (
      "postCount", .integer64AttributeType, true
    )
    count.derivationExpression = PredicateLanguage.NSExpression(format: "posts.@count")
    let post = sketch.entity(
      "Post", ["title", "content"].map { attribute($0, .stringAttributeType, nil, false) })
    let tag = sketch.entity(
      "Tag",
      [
        attribute("name", .stringAttributeType, nil, false),
        attribute("uuid", .UUIDAttributeType, nil, false),
        attribute("color", .transformableAttributeType, nil, false), count,
      ])
    let attachment = sketch.entity(
      "Attachment", [attribute("uuid", .UUIDAttributeType, nil, false), thumbnail])
    let image = sketch.entity("ImageData", [bytes])
    sketch.relate(post, "tags", toMany: true, to: tag, "posts", backToMany: true)
    let (attachments, _) = sketch.relate(post, "attachments", toMany: true, to: attachment, "post")
    let (imageData, owner) = sketch.relate(attachment, "imageData", to: image, "attachment")
    for relationship in [attachments, imageData, owner] {
      relationship.deleteRule = .cascadeDeleteRule
    }
    return sketch.model
  }

  private func tags(_ device: Device) async throws -> [String] {
    try await device.container.performBackgroundTask { context in
      let tags: [NSManagedObject] = try context.fetch(
        NSFetchRequest<NSManagedObject>(entityName: "Tag"))
      let lines: [String] = tags.map { tag in
        let values: [Any?] = ["name", "postCount", "color"].map { (key: String) -> Any? in
          tag.value(forKey: key)
        }
        return values.map { (value: Any?) -> String in value.map { "\($0)" } ?? "nil" }.joined(
          separator: " ")
      }
      return lines.sorted()
    }
  }

  private func addPost(_ device: Device, _ title: String, tag name: String) async throws {
    try await device.save { context in
      func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
      }
      let tag = make("Tag", ["name": name, "uuid": UUID(), "color": NSString("red")])
      let image = make("ImageData", ["data": Data(repeating: 7, count: 300_000)])
      let attachment = make(
        "Attachment", ["uuid": UUID(), "thumbnail": NSString("small"), "imageData": image])
      _ = make(
        "Post",
        ["title": title, "tags": NSSet(object: tag), "attachments": NSSet(object: attachment)])
    }
  }

  /// Merges tags with equal names like the sample: of the tags that the history reports as inserted
  /// remotely, the one with the smallest UUID stays.
  private func removeDuplicates(_ device: Device, tokenFile: URL) async throws {
    try await device.save { context in
      context.transactionAuthor = "app"
      let former = try (try? Data(contentsOf: tokenFile)).map {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: $0)
      }
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: former ?? nil)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      for transaction in transactions where transaction.author != "app" {
        for change in transaction.changes ?? [] where change.changeType == .insert {
          guard change.changedObjectID.entity.name == "Tag" else { continue }
          // An earlier tag with its name has replaced it by now.
          guard let tag = try? context.existingObject(with: change.changedObjectID) else {
            continue
          }
          try Self.unite(tag.value(forKey: "name") as? String ?? "", context)
        }
      }
      if let token = transactions.last?.token {
        try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true).write(
          to: tokenFile)
      }
    }
  }

  /// Keeps the tag with a name and the smallest UUID, and gives it the posts of the others.
  private static func unite(_ name: String, _ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.predicate = NSPredicate(format: "name == %@", name)
    let found: [NSManagedObject] = try context.fetch(request)
    let tags = found.sorted { (one: NSManagedObject, other: NSManagedObject) -> Bool in
      uuid(one) < uuid(other)
    }
    for loser in tags.dropFirst() {
      let posts = (loser.value(forKey: "posts") as? NSSet)?.allObjects as? [NSManagedObject]
      for post in posts ?? [] {
        let own = post.mutableSetValue(forKey: "tags")
        own.remove(loser)
        own.add(tags[0])
      }
      context.delete(loser)
    }
  }

  private static func uuid(_ tag: NSManagedObject) -> String {
    (tag.value(forKey: "uuid") as? UUID)?.uuidString ?? ""
  }

  @Test
  func `Posts, tags and attachments sync, and equal tags merge on both devices`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.posts())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.posts())
      try await addPost(one, "First", tag: "news")
      try await addPost(other, "Second", tag: "news")
      for (number, device) in [one, other, one, other].enumerated() {
        try await device.sync()
        let token = folder.appendingPathComponent("token\(number % 2).data")
        try await removeDuplicates(device, tokenFile: token)
        try await device.sync()
      }
      try await one.sync()
      for device in [one, other] {
        #expect(try await tags(device) == ["news 2 red"])
        let images = try await device.container.performBackgroundTask { context in
          let found: [NSManagedObject] = try context.fetch(
            NSFetchRequest<NSManagedObject>(entityName: "Attachment"))
          return found.map { (one: NSManagedObject) -> Int in
            (one.value(forKeyPath: "imageData.data") as? Data)?.count ?? 0
          }
        }
        #expect(images == [300_000, 300_000])
      }
      #expect(one.container.syncState.isUpToDate && cloud.serverErrors.isEmpty)
      try one.close()
      try other.close()
    }
  }

  // MARK: Two stores

  private static func books() -> NSManagedObjectModel {
    var sketch = ModelSketch()
    let attribute = ModelSketch.attribute
    let book = sketch.entity(
      "Book",
      [
        attribute("title", .stringAttributeType, nil, false),
        attribute("uuid", .UUIDAttributeType, nil, false),
      ])
    let feedback = sketch.entity(
      "Feedback",
      [
        attribute("text", .stringAttributeType, nil, false),
        attribute("bookUUID", .UUIDAttributeType, nil, false),
      ])
    let list = NSFetchedPropertyDescription()
    list.name = "feedbackList"
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Feedback")
    request.predicate = NSPredicate(format: "bookUUID == $FETCH_SOURCE.uuid")
    request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
    list.fetchRequest = request
    book.properties.append(list)
    let model = sketch.model
    model.setEntities([book], forConfigurationName: "Local")
    model.setEntities([feedback], forConfigurationName: "Cloud")
    return model
  }

  private func container(_ device: TestDevice, _ folder: URL) async throws
    -> NSPersistentCloudKitContainer
  {
    let container = NSPersistentCloudKitContainer(name: "Books", managedObjectModel: Self.books())
    container.persistentStoreDescriptions = ["Local", "Cloud"].map { name in
      let description = NSPersistentStoreDescription(
        url: folder.appendingPathComponent("\(name) \(UUID().uuidString).sqlite"))
      description.configuration = name
      guard name == "Cloud" else { return description }
      let options = NSPersistentCloudKitContainerOptions(container: device.container)
      options.isAutomatic = false
      description.cloudKitContainerOptions = options
      return description
    }
    try await container.loadPersistentStores()
    return container
  }

  @Test func `A fetched property leads from a local store to a mirrored one`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await container(cloud.signIn("ada"), folder)
      let other = try await container(cloud.signIn("ada"), folder)
      let uuid = UUID()
      for container in [one, other] {
        try await container.performBackgroundTask { context in
          let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
          book.setValue("Emma", forKey: "title")
          book.setValue(uuid, forKey: "uuid")
          try context.save()
        }
      }
      try await one.performBackgroundTask { context in
        for (text, book) in [("Good", uuid), ("Fine", uuid), ("Of another book", UUID())] {
          let feedback = NSEntityDescription.insertNewObject(
            forEntityName: "Feedback", into: context)
          feedback.setValue(text, forKey: "text")
          feedback.setValue(book, forKey: "bookUUID")
        }
        try context.save()
      }
      try await one.sync()
      let before = try await feedback(other)
      try await other.sync()
      let after = try await feedback(other)
      #expect(before.isEmpty && after == ["Fine", "Good"])
      #expect(other.syncState.stores.count == 1 && other.syncState.isUpToDate)
    }
  }

  private func feedback(_ container: NSPersistentCloudKitContainer) async throws -> [String] {
    try await container.performBackgroundTask { context in
      let book = try #require(
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
      let list = book.value(forKey: "feedbackList") as? [NSManagedObject] ?? []
      return list.compactMap { $0.value(forKey: "text") as? String }
    }
  }
}
