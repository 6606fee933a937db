import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import Testing

/// The results of generated accessors of to-many relationships, and their use.
@Suite struct MemberSetTests {
  private let kitchen: Kitchen

  /// Three bookcases with three volumes, one and none, whose members are also in a row.
  init() throws {
    kitchen = try Kitchen(model: #require(BookcaseModel.linked()))
    try kitchen.inContext { context in
      for (label, names) in [("A", ["a", "b", "c"]), ("B", ["d"]), ("C", [])] {
        let bookcase = Bookcase(context: context)
        bookcase.label = label
        let volumes = names.map { Self.volume($0, context) }
        bookcase.volumes = NSSet(array: volumes)
        bookcase.row = NSOrderedSet(array: volumes.reversed())
      }
      try context.save()
    }
  }

  private static func volume(_ name: String, _ context: NSManagedObjectContext) -> Volume {
    let volume = Volume(context: context)
    volume.name = name
    return volume
  }

  private static func bookcases(
    _ context: NSManagedObjectContext, ascending: Bool = true, prefetching: [String]? = nil
  ) throws -> [Bookcase] {
    let request = NSFetchRequest<Bookcase>(entityName: "Bookcase")
    request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: ascending)]
    request.relationshipKeyPathsForPrefetching = prefetching
    return try context.fetch(request)
  }

  /// Runs a body with the bookcase of three volumes.
  private func withBookcase<Result>(_ body: (Bookcase) throws -> Result) throws -> Result {
    try kitchen.inContext { context in try body(try #require(try Self.bookcases(context).first)) }
  }

  private static func names(_ volumes: some Sequence<Volume>) -> [String] {
    volumes.compactMap(\.name)
  }

  @Test func `A to-one relationship is set and read without loading the members`() throws {
    try kitchen.inContext { context in
      let cases = try Self.bookcases(context)
      let volume = try #require(cases[1].volumeSet.first)
      let new = Self.volume("new", context)
      #expect(volume.bookcase === cases[1] && new.bookcase == nil)
      volume.bookcase = cases[0]
      new.bookcase = cases[0]
      #expect(volume.bookcase === cases[0] && new.bookcase === cases[0])
      #expect(cases[0].hasFault(forRelationshipNamed: "volumes"))
      #expect(cases[1].volumeSet.isEmpty && cases[1].hasChanges && cases[0].hasChanges)
      try context.save()
      #expect(Self.names(cases[0].volumeSet).sorted() == ["a", "b", "c", "d", "new"])
      new.bookcase = nil
      #expect(new.bookcase == nil && cases[0].volumeSet.count == 4)
      new.bookcase = cases[2]
      context.rollback()
      #expect(new.bookcase === cases[0] && cases[2].volumeSet.isEmpty)
    }
  }

  @Test func `A change of a to-one relationship is undone on both sides`() throws {
    try kitchen.inContext { context in
      context.undoManager = ManagedObjects.UndoManager()
      let cases = try Self.bookcases(context)
      let volume = try #require(cases[1].volumeSet.first)
      context.processPendingChanges()
      volume.bookcase = cases[2]
      #expect(volume.changedValues().keys.sorted() == ["bookcase"])
      context.processPendingChanges()
      context.undo()
      #expect(volume.bookcase === cases[1])
      #expect(cases[2].volumeSet.isEmpty && cases[1].volumeSet == [volume])
    }
  }

  @Test func `A property of every type gives the members`() throws {
    try withBookcase { bookcase in
      #expect(Self.names(bookcase.rowList) == ["c", "b", "a"])
      #expect((bookcase.row?.array as? [Volume]).map(Self.names) == ["c", "b", "a"])
      #expect(Self.names(bookcase.volumeSet).sorted() == ["a", "b", "c"])
      #expect(bookcase.optionalVolumeSet == bookcase.volumeSet)
      #expect(bookcase.rowSet == bookcase.volumeSet)
      #expect(bookcase.volumes == NSSet(array: bookcase.rowList))
    }
  }

  @Test func `An accessor returns what its key returns`() throws {
    try withBookcase { bookcase in
      #expect(bookcase.volumes == bookcase.value(forKey: "volumes") as? NSSet)
      #expect(bookcase.row == bookcase.value(forKey: "row") as? NSOrderedSet)
      #expect(bookcase.volumes == bookcase.mutableSetValue(forKey: "volumes"))
    }
  }

  @Test func `A set casts to sets of its members' types only`() throws {
    try withBookcase { bookcase in
      #expect(
        (bookcase.volumes as? Set<Volume>).map { Self.names($0).sorted() } == ["a", "b", "c"])
      #expect((bookcase.volumes as? Set<NSManagedObject>)?.count == 3)
      #expect((bookcase.volumes as? Set<AnyHashable>)?.count == 3)
      #expect(bookcase.volumes as? Set<Bookcase> == nil)
      #expect((bookcase.volumes?.allObjects as? [Volume])?.count == 3)
    }
  }

  @Test func `A set that was read does not change`() throws {
    try withBookcase { bookcase in
      let context = try #require(bookcase.managedObjectContext)
      let before = try #require(bookcase.volumes)
      bookcase._add(Self.volume("new", context), to: "volumes")
      #expect(before.count == 3)
      #expect(bookcase.volumes?.count == 4)
      bookcase.volumes = nil
      #expect(bookcase.volumes?.count == 0)
      #expect(before.count == 3)
    }
  }

  @Test func `Sets of the same members are equal, and so are their copies`() throws {
    try withBookcase { bookcase in
      let (one, other) = (try #require(bookcase.volumes), try #require(bookcase.volumes))
      #expect(one.isEqual(other) && one.hash == other.hash)
      #expect(one.copy() as? NSSet == one)
      let copy = try #require(one.mutableCopy() as? NSMutableSet)
      copy.remove(try #require(one.anyObject()))
      #expect(copy.count == 2 && one.count == 3)
      #expect(!one.isEqual(copy))
      #expect(try one.contains(#require(bookcase.rowList.first)) && !one.contains(bookcase))
    }
  }

  @Test func `Reading a relationship loads a fault once`() throws {
    try withBookcase { bookcase in
      #expect(bookcase.isFault && bookcase.fetches == 0)
      #expect(bookcase.volumes?.count == 3)
      #expect(!bookcase.isFault && bookcase.fetches == 1)
      #expect(bookcase.label == "A" && bookcase.rowList.count == 3)
      #expect(bookcase.fetches == 1)
    }
  }

  @Test func `Reading an attribute loads a fault once`() throws {
    try withBookcase { bookcase in
      #expect(bookcase.isFault && bookcase.fetches == 0)
      #expect(bookcase.label == "A" && bookcase.label == "A")
      #expect(!bookcase.isFault && bookcase.fetches == 1)
    }
  }

  @Test func `A fault whose row is gone reads as one without values`() throws {
    try withBookcase { bookcase in
      try kitchen.inContext { context in
        for bookcase in try Self.bookcases(context) { context.delete(bookcase) }
        try context.save()
      }
      let context = try #require(bookcase.managedObjectContext)
      context.refresh(bookcase, mergeChanges: false)
      #expect(bookcase.volumes?.count == 0 && bookcase.label == nil)
    }
  }

  @Test(arguments: [true, false])
  func `Prefetched members belong to their owners in any order of owners`(
    _ ascending: Bool
  ) throws {
    try kitchen.inContext { context in
      let bookcases = try Self.bookcases(
        context, ascending: ascending, prefetching: ["volumes", "row"])
      let expected = [["a", "b", "c"], ["d"], []]
      #expect(
        bookcases.map { Self.names($0.volumeSet).sorted() }
          == (ascending ? expected : expected.reversed()))
      #expect(
        bookcases.map { Self.names($0.rowList).sorted() }
          == (ascending ? expected : expected.reversed()))
    }
  }

  @Test func `Prefetched members leave the context with their owners`() throws {
    try kitchen.inContext { context in
      do {
        let bookcases = try Self.bookcases(context, prefetching: ["volumes"])
        #expect(context.registeredObjects.count == 7)
        #expect(
          bookcases[0].volumeSet.allSatisfy { $0.managedObjectContext === context && $0.isFault })
        #expect(
          bookcases[0].volumeSet.allSatisfy {
            $0.entity.name == "Volume" && $0.description.contains("Volume")
          })
      }
      #expect(context.registeredObjects.isEmpty)
    }
  }

  @Test func `Prefetched members include unsaved changes`() throws {
    try withBookcase { bookcase in
      let context = try #require(bookcase.managedObjectContext)
      let known = bookcase.rowList
      context.delete(known[0])
      Self.volume("new", context).bookcase = bookcase
      context.processPendingChanges()
      context.refresh(try #require(try Self.bookcases(context).last), mergeChanges: false)
      let bookcases = try Self.bookcases(context, prefetching: ["volumes"])
      #expect(Self.names(bookcases[0].volumeSet).sorted() == ["a", "b", "new"])
      #expect((bookcases[0].volumes as? Set<Volume>)?.count == 3)
      #expect(bookcases[2].volumes?.count == 0)
    }
  }

  @Test func `The set that changes a relationship describes its members`() throws {
    try withBookcase { bookcase in
      let description = bookcase.mutableSetValue(forKey: "volumes").description
      #expect(description.components(separatedBy: "<Volume:").count == 4)
    }
  }

  @Test func `Members of another class than the property's stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try MemberSetTests().withBookcase { _ = $0.volumesAsBookcases }
    }
    let message = standardError(of: result)
    #expect(
      message.contains("Bookcase.volumes holds a NSSet, but its Swift type is Set<Bookcase>."))
  }
}

/// The equality of objects.
@Suite struct ObjectEqualityTests {
  @Test func `An object equals itself and nothing else`() throws {
    let library = LibraryModel()
    let object = NSManagedObject(entity: library.book, insertInto: nil)
    let twin = NSManagedObject(entity: library.book, insertInto: nil)
    let bookcase = Bookcase(entity: library.author, insertInto: nil)
    #expect(object.isEqual(object) && object == object)
    #expect(
      object.isEqual(object as NSObject) && object.isEqual(AnyHashable(object))
        && object.isEqual(object as Any?))
    #expect(!object.isEqual(twin) && !object.isEqual(bookcase) && !bookcase.isEqual(object))
    #expect(!object.isEqual(nil) && !object.isEqual("text") && !object.isEqual(NSNull()))
    #expect(!object.isEqual(NSManagedObject.self))
  }

  @Test func `Large sets find each of their members`() {
    let library = LibraryModel()
    let objects = (0..<3000).map { _ in NSManagedObject(entity: library.book, insertInto: nil) }
    let set = Set(objects.dropLast(1000))
    #expect(set.count == 2000)
    #expect(objects.count(where: set.contains) == 2000)
    let bridged = NSSet(array: Array(set))
    #expect(objects.count(where: bridged.contains) == 2000)
  }
}
