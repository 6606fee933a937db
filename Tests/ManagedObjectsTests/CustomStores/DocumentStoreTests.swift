import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Synchronization
import TestSupport
import Testing

@Suite struct `Binary and XML stores` {
  static let types = [NSBinaryStoreType, NSXMLStoreType]

  private func file(_ folder: URL) -> URL { folder.appendingPathComponent("shelf.store") }

  // MARK: Contents

  @Test(arguments: types) func `Every kind of value survives`(_ type: String) throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      var expected: [NSDictionary] = []
      for _ in 0..<5 {
        let stack = try ShelfStack(type, at: file(folder))
        for _ in 0..<20 {
          let book = stack.context.add("Book", Self.values(&random))
          expected.append(Self.values(of: book))
        }
        try stack.context.save()
        let read = try ShelfStack(type, at: file(folder)).newContext()
        let found = try read.all("Book").map(Self.values)
        #expect(Self.byPages(found) == Self.byPages(expected), "\(random)")
      }
    }
  }

  /// Books by pages: a set of dictionaries is slow, since all of one size have the same hash.
  private static func byPages(_ books: [NSDictionary]) -> [Int32?: [NSDictionary]] {
    Dictionary(grouping: books) { ($0["pages"] as? NSNumber)?.int32Value }
  }

  private static func values(_ random: inout SeededGenerator) -> [String: Any] {
    let texts = [
      "", "plain", "<b>&amp;\"'", "\\u3c00", "\\", "a\r\nb\tc", "\u{1}\u{1F}", "über 🌍", "\u{FFFF}",
      "  padded  ", "]]>",
    ]
    let numbers = [0, 1, -1, Int.max, Int.min]
    let doubles = [
      0, -0.5, 1e300, .leastNonzeroMagnitude, .infinity,
      Double.random(in: -1...1, using: &random),
    ]
    var values: [String: Any] = [
      "title": texts.randomElement(using: &random) ?? "",
      "pages": Int32.random(in: .min ... .max, using: &random),
      "shelf": Int16.random(in: .min ... .max, using: &random),
      "sold": numbers.randomElement(using: &random) ?? 0,
      "price": NSDecimalNumber(string: "\(numbers[1]).\(Int.random(in: 0...99, using: &random))"),
      "rating": doubles.randomElement(using: &random) ?? 0,
      "weight": Float.random(in: -1...1, using: &random),
      "lent": Bool.random(using: &random),
      "added": Date(timeIntervalSinceReferenceDate: doubles[5] * 1e9),
      "cover": Data(
        (0..<Int.random(in: 0...200, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 37) }),
      "code": UUID(
        uuid: (
          1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
          UInt8.random(in: 0...255, using: &random)
        )),
      "page": URL(fileURLWithPath: "/a b/\(Int.random(in: 0...9, using: &random))"),
    ]
    for name in values.keys.sorted() where Int.random(in: 0..<4, using: &random) == 0 {
      values[name] = nil
    }
    return values
  }

  private static func values(of book: NSManagedObject) -> NSDictionary {
    let names = book.entity.attributesByName.filter { !$0.value.isTransient }.keys
    return NSDictionary(dictionary: book.dictionaryWithValues(forKeys: Array(names)))
  }

  @Test(arguments: types) func `Every kind of relationship survives`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      do {
        let context = try ShelfStack(type, at: file(folder)).context
        let author = context.add("Author", ["name": "Ann"])
        let books = ["a", "b", "c"].map { context.add("Book", ["title": $0, "author": author]) }
        let novel = context.add("Novel", ["title": "n", "genre": "crime", "prequel": books[0]])
        for heading in ["2", "0", "1"] {
          context.add("Chapter", ["heading": heading, "book": books[0]])
        }
        let chapters = try context.all("Chapter")
        books[0].setValue(
          NSOrderedSet(
            array: chapters.sorted { ($0.text("heading") ?? "") > ($1.text("heading") ?? "") }),
          forKey: "chapters")
        author.setValue(NSOrderedSet(array: [novel, books[2], books[0]]), forKey: "favourites")
        let tags = ["x", "y"].map { context.add("Tag", ["word": $0]) }
        books[1].setValue(Set(tags), forKey: "tags")
        try context.save()
      }
      let context = try ShelfStack(type, at: file(folder)).context
      let author = try #require(try context.one("Author"))
      #expect(author.related("favourites").map { $0.text("title") } == ["n", "c", "a"])
      #expect(Set(author.related("books").compactMap { $0.text("title") }) == ["a", "b", "c"])
      let first = try #require(try context.one("Book", "title == 'a'"))
      #expect(first.related("chapters").map { $0.text("heading") } == ["2", "1", "0"])
      #expect(first.related("sequel").first?.text("genre") == "crime")
      #expect(try context.all("Book", "ANY tags.word == 'y'").map { $0.text("title") } == ["b"])
      #expect(try context.all("Tag").allSatisfy { $0.related("books").count == 1 })
    }
  }

  @Test(arguments: types) func `Changes and deletions are saved`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      do {
        let context = try ShelfStack(type, at: file(folder)).context
        let author = context.add("Author", ["name": "Ann"])
        for title in ["a", "b"] { context.add("Book", ["title": title, "author": author]) }
        try context.save()
        let book = try #require(try context.one("Book", "title == 'a'"))
        context.delete(book)
        author.setValue("Eve", forKey: "name")
        try context.save()
      }
      let context = try ShelfStack(type, at: file(folder)).context
      let author = try #require(try context.one("Author"))
      #expect(author.text("name") == "Eve")
      #expect(author.related("books").map { $0.text("title") } == ["b"])
    }
  }

  @Test(arguments: types) func `Identifiers stay the same, and are not used again`(_ type: String)
    throws
  {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(type, at: file(folder))
      let tags = ["a", "b"].map { stack.context.add("Tag", ["word": $0]) }
      try stack.context.save()
      #expect(tags.map { $0.objectID.uriRepresentation().lastPathComponent } == ["p102", "p103"])
      stack.context.delete(tags[1])
      try stack.context.save()
      let again = try ShelfStack(type, at: file(folder))
      let uri = tags[0].objectID.uriRepresentation()
      let identifier = try #require(again.coordinator.managedObjectID(forURIRepresentation: uri))
      #expect(try again.context.existingObject(with: identifier).text("word") == "a")
      let new = again.context.add("Tag")
      try again.context.save()
      #expect(new.objectID.uriRepresentation().lastPathComponent == "p104")
    }
  }

  @Test(arguments: types) func `Transformable values survive`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      let model = CompanyModel().model
      do {
        let context = try ShelfStack(type, at: file(folder), model: model).context
        context.add("Person", ["name": "Ann", "tags": ["a", "b"] as NSArray])
        try context.save()
      }
      let context = try ShelfStack(type, at: file(folder), model: model).context
      let person = try #require(try context.one("Person"))
      #expect(person.value(forKey: "tags") as? NSArray == ["a", "b"])
    }
  }

  @Test(arguments: types) func `An unreadable transformable value stays as it is`(_ type: String)
    throws
  {
    try withTemporaryDirectory { folder in
      let plain = CompanyModel().model
      // The same attribute as plain bytes, to write and to read what no transformer decodes.
      let raw = CompanyModel().model
      raw.entitiesByName["Person"]?.attributesByName["tags"]?.valueTransformerName =
        "DocumentStoreTests.Raw"
      ValueTransformer.setValueTransformer(
        RawTransformer(), forName: NSValueTransformerName("DocumentStoreTests.Raw"))
      let options = [NSIgnorePersistentStoreVersioningOption: true]
      func open(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        try ShelfStack(type, at: file(folder), model: model, options: options).context
      }
      let bytes = Data([0, 0, 0])
      let writer = try open(raw)
      writer.add("Person", ["name": "Ann", "tags": bytes])
      try writer.save()
      let context = try open(plain)
      try #require(try context.one("Person")).setValue("Eve", forKey: "name")
      try context.save()
      let person = try #require(try open(raw).one("Person"))
      #expect(person.text("name") == "Eve")
      #expect(person.value(forKey: "tags") as? Data == bytes)
    }
  }

  /// A transformer of bytes to themselves.
  private final class RawTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { value }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
  }

  @Test(arguments: types) func `A save keeps permissions, and what a link leads to`(
    _ type: String
  ) throws {
    try withTemporaryDirectory { folder in
      let (files, link) = (FileManager.default, folder.appendingPathComponent("link"))
      let first = try ShelfStack(type, at: file(folder))
      first.context.add("Tag", ["word": "a"])
      try first.context.save()
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file(folder).path)
      try files.createSymbolicLink(at: link, withDestinationURL: file(folder))
      let second = try ShelfStack(type, at: link)
      try #require(try second.context.one("Tag")).setValue("b", forKey: "word")
      try second.context.save()
      let permissions = try files.attributesOfItem(atPath: file(folder).path)[.posixPermissions]
      #expect(permissions as? Int == 0o600)
      #expect(try files.destinationOfSymbolicLink(atPath: link.path) == file(folder).path)
      #expect(try ShelfStack(type, at: file(folder)).context.one("Tag")?.text("word") == "b")
    }
  }

  // MARK: Metadata

  @Test(arguments: types) func `Metadata are kept, and changed while the store is closed`(
    _ type: String
  ) throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(type, at: file(folder))
      let uuid = try #require(stack.store.identifier)
      var metadata = stack.coordinator.metadata(for: stack.store)
      metadata["list"] = ["a\nb", "<c>"]
      metadata["date"] = Date(timeIntervalSinceReferenceDate: 86400)
      metadata["number"] = 7
      stack.coordinator.setMetadata(metadata, for: stack.store)
      stack.context.add("Tag")
      try stack.context.save()
      try stack.coordinator.remove(stack.store)
      let storeType = NSPersistentStore.StoreType(rawValue: type)
      var read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: storeType, at: file(folder))
      #expect(read[NSStoreUUIDKey] as? String == uuid)
      #expect(read[NSStoreTypeKey] as? String == type)
      #expect(read["list"] as? [String] == ["a\nb", "<c>"])
      #expect(read["date"] as? Date == Date(timeIntervalSinceReferenceDate: 86400))
      #expect((read["number"] as? NSNumber)?.intValue == 7)
      read["list"] = nil
      try NSPersistentStoreCoordinator.setMetadata(read, type: storeType, at: file(folder))
      let again = try ShelfStack(type, at: file(folder))
      #expect(again.store.metadata["list"] == nil)
      #expect(try again.context.all("Tag").count == 1)
    }
  }

  @Test(arguments: types) func `Setting the program's metadata keeps the model's entries`(
    _ type: String
  ) throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(type, at: file(folder))
      stack.coordinator.setMetadata(["color": "red"], for: stack.store)
      stack.context.add("Tag")
      try stack.context.save()
      try stack.coordinator.remove(stack.store)
      let storeType = NSPersistentStore.StoreType(rawValue: type)
      for color in ["red", "blue"] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          type: storeType, at: file(folder))
        #expect(metadata["color"] as? String == color)
        #expect(metadata[NSStoreModelVersionHashesKey] != nil)
        #expect(
          ShelfModel().model.isConfiguration(
            withName: nil, compatibleWithStoreMetadata: metadata))
        try NSPersistentStoreCoordinator.setMetadata(
          ["color": "blue"], type: storeType, at: file(folder))
      }
    }
  }

  // MARK: Failures

  @Test(arguments: types) func `A failing file operation leaves the former store`(_ type: String)
    throws
  {
    for step in [WatchedFiles.Step.write, .synchronize, .move] {
      try withTemporaryDirectory { folder in
        let fails = Mutex(false)
        let stack = try ShelfStack(type, at: file(folder)) {
          $0.files = WatchedFiles(before: { now, _ in
            guard now == step, fails.withLock({ $0 }) else { return }
            throw NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
          })
        }
        stack.context.add("Tag", ["word": "a"])
        try stack.context.save()
        fails.withLock { $0 = true }
        let tag = try #require(try stack.context.one("Tag"))
        tag.setValue("b", forKey: "word")
        let error = try #require(throws: CocoaError.self) { try stack.context.save() }
        #expect(error.code == .fileWriteOutOfSpace)
        #expect(try ShelfStack(type, at: file(folder)).context.one("Tag")?.text("word") == "a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        fails.withLock { $0 = false }
        try stack.context.save()
        #expect(try ShelfStack(type, at: file(folder)).context.one("Tag")?.text("word") == "b")
      }
    }
  }

  @Test(arguments: types) func `A file that another coordinator changed is not overwritten`(
    _ type: String
  ) throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(type, at: file(folder))
      stack.context.add("Tag", ["word": "a"])
      try stack.context.save()
      let other = try ShelfStack(type, at: file(folder))
      other.context.add("Tag", ["word": "b"])
      try other.context.save()
      stack.context.add("Tag", ["word": "c"])
      let error = try #require(throws: CocoaError.self) { try stack.context.save() }
      #expect(error.code == .persistentStoreSave)
      let words = try ShelfStack(type, at: file(folder)).context.all("Tag").compactMap {
        $0.text("word")
      }
      #expect(Set(words) == ["a", "b"])
    }
  }

  @Test(arguments: types) func `Of two saves at the same time one fails and none is lost`(
    _ type: String
  ) throws {
    try withTemporaryDirectory { folder in
      let isUnderWay = DispatchSemaphore(value: 0)
      let otherSave = Mutex<(any Error)?>(nil)
      let isDone = DispatchSemaphore(value: 0)
      let other = try ShelfStack(type, at: file(folder)) {
        $0.files = WatchedFiles(before: { step, _ in if step == .lock { isUnderWay.signal() } })
      }
      other.context.add("Tag", ["word": "other"])
      let context = UncheckedContext(context: other.context)
      let starts = Mutex(true)
      let stack = try ShelfStack(type, at: file(folder)) {
        $0.files = WatchedFiles(before: { step, _ in
          guard step == .write,
            starts.withLock({ starts in
              defer { starts = false }
              return starts
            })
          else { return }
          // The file was found unchanged, and is not replaced yet.
          Thread.detachNewThread {
            do { try context.context.save() } catch { otherSave.withLock { $0 = error } }
            isUnderWay.signal()
            isDone.signal()
          }
          isUnderWay.wait()
        })
      }
      stack.context.add("Tag", ["word": "first"])
      try stack.context.save()
      isDone.wait()
      let error = try #require(otherSave.withLock { $0 } as? CocoaError)
      #expect(error.code == .persistentStoreSave)
      let words = try ShelfStack(type, at: file(folder)).context.all("Tag").map { $0.text("word") }
      #expect(words == ["first"])
      #expect(other.context.hasChanges)
    }
  }

  @Test(arguments: types) func `Files that a killed process left are removed`(_ type: String) throws
  {
    try withTemporaryDirectory { folder in
      let uuid = "00000000-0000-4000-8000-000000000001"
      for name in [".shelf.store.\(uuid)", ".shelf.store.backup", ".other.store.\(uuid)"] {
        try Data([1]).write(to: folder.appendingPathComponent(name))
      }
      _ = try ShelfStack(type, at: file(folder))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          == [".other.store.\(uuid)", ".shelf.store.backup"])
    }
  }

  @Test(arguments: types) func `A file of another form is an error`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      for text in ["no store", "<html></html>", "bplist00", "<database><object/></database>"] {
        try text.write(to: file(folder), atomically: true, encoding: .utf8)
        let error = try #require(throws: CocoaError.self) { try ShelfStack(type, at: file(folder)) }
        #expect(error.code == .fileReadCorruptFile)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == file(folder).path)
      }
    }
  }

  @Test(arguments: types) func `A file that is cut anywhere is an error`(_ type: String)
    throws
  {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(type, at: file(folder))
      stack.context.add("Tag", ["word": "a"])
      try stack.context.save()
      let bytes = try Data(contentsOf: file(folder))
      for length in stride(from: 1, to: bytes.count - 1, by: 7) {
        try bytes.prefix(length).write(to: file(folder))
        #expect(throws: CocoaError.self) { try ShelfStack(type, at: file(folder)) }
      }
    }
  }

  @Test(arguments: types) func `A store needs a file or /dev/null`(_ type: String) throws {
    for url in [nil, URL(string: "https://example.com/shelf")] {
      let error = try #require(throws: CocoaError.self) { try ShelfStack(type, at: url) }
      #expect(error.code == .persistentStoreOpen)
    }
    let stack = try ShelfStack(type, at: URL(fileURLWithPath: "/dev/null"))
    stack.context.add("Tag")
    try stack.context.save()
    #expect(try stack.newContext().all("Tag").count == 1)
  }

  @Test(arguments: types) func `A read-only store is read and not saved`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      let options = [NSReadOnlyPersistentStoreOption: true]
      #expect(throws: CocoaError.self) { try ShelfStack(type, at: file(folder), options: options) }
      do {
        let stack = try ShelfStack(type, at: file(folder))
        stack.context.add("Tag", ["word": "a"])
        try stack.context.save()
      }
      let stack = try ShelfStack(type, at: file(folder), options: options)
      #expect(try stack.context.all("Tag").count == 1)
      stack.context.add("Tag")
      #expect(throws: CocoaError.self) { try stack.context.save() }
    }
  }

  // MARK: Migration

  private static func note(_ change: (NSEntityDescription) -> Void = { _ in })
    -> NSManagedObjectModel
  {
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = [
      ShelfModel.attribute("text", .stringAttributeType),
      ShelfModel.attribute("old", .integer32AttributeType),
    ]
    change(note)
    let model = NSManagedObjectModel()
    model.entities = [note]
    return model
  }

  private static var newNote: NSManagedObjectModel {
    note { note in
      note.name = "Memo"
      note.renamingIdentifier = "Note"
      let text = ShelfModel.attribute("body", .stringAttributeType)
      text.renamingIdentifier = "text"
      let rank = ShelfModel.attribute("rank", .integer16AttributeType)
      rank.isOptional = false
      rank.defaultValue = 5
      note.properties = [text, rank]
    }
  }

  private static var migrating: [AnyHashable: Any] {
    [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
  }

  private func makeNotes(_ type: String, in folder: URL) throws {
    let stack = try ShelfStack(type, at: file(folder), model: Self.note())
    stack.context.add("Note", ["text": "Milk", "old": 1])
    try stack.context.save()
  }

  @Test(arguments: types) func `A store of an older version is migrated and saved`(_ type: String)
    throws
  {
    try withTemporaryDirectory { folder in
      try makeNotes(type, in: folder)
      let stack = try ShelfStack(
        type, at: file(folder), model: Self.newNote, options: Self.migrating
      ) { $0.modelVersions = { [Self.note()] } }
      let memo = try #require(try stack.context.one("Memo"))
      #expect(memo.text("body") == "Milk")
      #expect(memo.number("rank") == 5)
      let again = try ShelfStack(type, at: file(folder), model: Self.newNote)
      #expect(try again.context.one("Memo")?.text("body") == "Milk")
    }
  }

  @Test(arguments: types) func `Names that differ only in case are read back`(_ type: String)
    throws
  {
    func model() -> NSManagedObjectModel {
      let entities = ["Note", "NOTE", "note"].map { name in
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = ["title", "Title", "TITLE", "other"].map {
          ShelfModel.attribute($0, .stringAttributeType)
        }
        return entity
      }
      let next = NSRelationshipDescription()
      (next.name, next.destinationEntity) = ("Other", entities[1])
      (next.maxCount, next.isOptional) = (1, true)
      entities[0].properties.append(next)
      let model = NSManagedObjectModel()
      model.entities = entities
      return model
    }
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(type, at: file(folder), model: model())
      let note = stack.context.add("NOTE", ["Title": "b"])
      stack.context.add("Note", ["title": "a", "TITLE": "A", "Other": note])
      stack.context.add("note", ["other": "c"])
      try stack.context.save()
      // Also if another program has changed the metadata.
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type, at: file(folder), options: nil)
      try NSPersistentStoreCoordinator.setMetadata(
        metadata, forPersistentStoreOfType: type, at: file(folder), options: nil)
      let context = try ShelfStack(type, at: file(folder), model: model()).context
      let found = try #require(try context.one("Note"))
      #expect(["title", "Title", "TITLE"].map { found.text($0) } == ["a", nil, "A"])
      #expect(found.related("Other").first?.text("Title") == "b")
      #expect(found.related("Other").first?.text("title") == nil)
      #expect(try context.all("note").map { $0.text("other") } == ["c"])
      #expect(try context.all("NOTE").count == 1)
    }
  }

  @Test(arguments: types) func `A read-only store is not migrated`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      try makeNotes(type, in: folder)
      let before = try Data(contentsOf: file(folder))
      var options = Self.migrating
      options[NSReadOnlyPersistentStoreOption] = true
      let error = try #require(throws: CocoaError.self) {
        try ShelfStack(type, at: file(folder), model: Self.newNote, options: options) {
          $0.modelVersions = { [Self.note()] }
        }
      }
      #expect((error as NSError).code == NSMigrationError)
      #expect(try Data(contentsOf: file(folder)) == before)
    }
  }

  @Test(arguments: types) func `A store that must not or cannot be migrated is refused`(
    _ type: String
  ) throws {
    try withTemporaryDirectory { folder in
      try makeNotes(type, in: folder)
      let before = try Data(contentsOf: file(folder))
      func code(_ options: [AnyHashable: Any]?, _ versions: [NSManagedObjectModel]) throws
        -> CocoaError.Code
      {
        let known = UncheckedVersions(versions)
        return try #require(throws: CocoaError.self) {
          try ShelfStack(type, at: file(folder), model: Self.newNote, options: options) {
            $0.modelVersions = { known.versions }
          }
        }.code
      }
      #expect(try code(nil, [Self.note()]) == .persistentStoreIncompatibleVersionHash)
      #expect(try code(Self.migrating, []) == .migrationMissingSourceModel)
      let option = [NSMigratePersistentStoresAutomaticallyOption: true]
      #expect(try code(option, [Self.note()]) == .migrationMissingMappingModel)
      #expect(try Data(contentsOf: file(folder)) == before)
    }
  }
}

/// Models that one thread uses.
private struct UncheckedVersions: @unchecked Sendable {
  let versions: [NSManagedObjectModel]

  init(_ versions: [NSManagedObjectModel]) { self.versions = versions }
}

/// A context that one thread at a time uses.
private struct UncheckedContext: @unchecked Sendable {
  let context: NSManagedObjectContext
}
