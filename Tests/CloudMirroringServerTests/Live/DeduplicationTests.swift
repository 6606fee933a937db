import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Duplicates that several people created: marked first, deleted later.
@Suite struct DeduplicationTests {
  @Test(.endsAtAll)
  func `Case 7: Tags of one name are duplicates inside one zone only`() async throws {
    try await withAlbums { albums in
      let ada = albums.ada
      try await ada.addPhoto("Eclipse", tags: ["Sun": albums.late])
      try await ada.addPhoto("Sunrise", tags: ["Sun": albums.early])
      try await ada.sync()
      let (_, share, _) = try await ada.share(["Eclipse"], "Photo")
      try await ada.sync()
      #expect(try await ada.deduplicate().isEmpty)

      try await ada.share(["Sunrise"], "Photo", to: share)
      try await ada.sync()
      #expect(try await ada.tags(of: "Eclipse") == [albums.late])
      #expect(try await ada.tags(of: "Sunrise") == [albums.early])
      #expect(try await ada.deduplicate().marked.count == 1)
      #expect(try await ada.tags(of: "Eclipse") == [albums.early])
      #expect(try await ada.tags(of: "Sunrise") == [albums.early])
    }
  }

  @Test(.endsAtAll)
  func `Case 61: Owner and participant at once keep one winner, marked first and deleted later`()
    async throws
  {
    try await withAlbums { albums in
      let (ada, bob) = (albums.ada, albums.bob)
      let phone = try await SharingDevice(
        try await albums.cloud.signIn("ada"), in: albums.folder, model: Self.model())
      try await albums.shareEclipse()
      // Each one adds the same tag without knowing of the other's.
      try await ada.tag("Eclipse", "Moon", albums.late)
      try await bob.tag("Eclipse", "Moon", albums.early, isShared: true)
      try await albums.syncAll(phone)
      #expect(try await bob.tags(of: "Eclipse") == [albums.early, albums.late])

      // All run at once. Only the owner's devices do anything, and they agree.
      let outcomes = try await (ada.deduplicate(), phone.deduplicate(), bob.deduplicate())
      #expect(outcomes.0.marked.count == 1)
      #expect(outcomes.1.marked.count == 1)
      #expect(outcomes.2.isEmpty)
      try await albums.syncAll(phone)
      for device in [ada, phone, bob] {
        #expect(try await device.tags(of: "Eclipse") == [albums.early])
        #expect(try await device.allTags() == [albums.early, albums.late])
      }

      // The clock has not moved since the mark, so nothing is known to be later.
      let early = try await ada.deduplicate()
      #expect(early.isEmpty)
      #expect(early.waitingCount == 1)

      try await albums.cloud.advance(by: .seconds(60))
      try await ada.tag("Eclipse", "Star", UUID())
      try await albums.syncAll(phone)
      #expect(try await ada.deduplicate().removed.count == 1)
      try await albums.syncAll(phone)
      for device in [ada, phone, bob] {
        #expect(try await device.allTags().contains(albums.late) == false)
        #expect(try await device.tags(of: "Eclipse").contains(albums.early))
        #expect(try await device.deduplicate().isEmpty)
        #expect(device.container.syncState.pendingChangeCount == 0)
      }
    }
  }

  @Test(.endsAtAll)
  func `A marked object is never marked again, and never wins`() async throws {
    try await withAlbums { albums in
      let ada = albums.ada
      try await ada.addPhoto("Eclipse", tags: ["Sun": albums.early])
      try await ada.save { context in
        try context.object("Sun", "Tag").setValue(Date(timeIntervalSince1970: 1), forKey: "mark")
      }
      try await ada.tag("Eclipse", "Sun", albums.late)
      try await ada.sync()
      let outcome = try await ada.deduplicate()
      #expect(outcome.marked.isEmpty)
      #expect(outcome.moved.count == 1)
      #expect(try await ada.tags(of: "Eclipse") == [albums.late])
      #expect(try await ada.marks() == [Date(timeIntervalSince1970: 1)])
      let token = ada.historyToken
      #expect(try await ada.deduplicate().isEmpty)
      #expect(ada.historyToken == token)
    }
  }

  @Test(.endsAtAll)
  func `A photo to which a participant gave a marked tag gets the winner`() async throws {
    try await withAlbums { albums in
      let (ada, bob) = (albums.ada, albums.bob)
      try await albums.shareEclipse()
      try await ada.tag("Eclipse", "Moon", albums.early)
      try await ada.tag("Eclipse", "Moon", albums.late)
      try await albums.syncAll()
      // Bob has not received the mark.
      try await ada.deduplicate()
      try await bob.addPhoto("Comet", tags: [:], isShared: true)
      try await bob.relate("Comet", to: albums.late)
      try await albums.cloud.advance(by: .seconds(60))
      try await albums.syncAll()
      let outcome = try await ada.deduplicate()
      #expect(outcome.moved.count == 1)
      #expect(outcome.removed.isEmpty)
      try await albums.cloud.advance(by: .seconds(60))
      try await albums.syncAll()
      #expect(try await ada.deduplicate().removed.count == 1)
      try await albums.syncAll()
      for device in [ada, bob] {
        #expect(try await device.tags(of: "Comet") == [albums.early])
        #expect(try await device.allTags().contains(albums.late) == false)
      }
    }
  }

  @Test(.endsAtAll)
  func `A loser whose mark was not sent is kept`() async throws {
    try await withAlbums { albums in
      let ada = albums.ada
      try await ada.addPhoto("Eclipse", tags: ["Sun": albums.early])
      try await ada.tag("Eclipse", "Sun", albums.late)
      try await ada.sync()
      ada.network.isOnline = false
      try await ada.deduplicate()
      try await albums.cloud.advance(by: .seconds(60))
      await #expect(throws: (any Error).self) { try await ada.sync() }
      let outcome = try await ada.deduplicate()
      #expect(outcome.isEmpty)
      #expect(outcome.waitingCount == 1)
    }
  }

  @Test(.endsAtAll)
  func `A rule that does not fit the model says what is missing`() async throws {
    try await withAlbums { albums in
      typealias Rule = NSPersistentCloudKitContainer.Deduplicator.Rule
      let rules = [
        Rule(entityName: "Label", uniqueBy: ["name"]): "Label",
        Rule(entityName: "Tag", uniqueBy: []): "unique attribute",
        Rule(entityName: "Tag", uniqueBy: ["color"]): "color",
        Rule(entityName: "Tag", uniqueBy: ["name"], orderedBy: "mark"): "mark",
        Rule(entityName: "Tag", uniqueBy: ["name"], markedBy: "name"): "date",
      ]
      for (rule, word) in rules {
        let error = #expect(throws: NSError.self) {
          try NSPersistentCloudKitContainer.Deduplicator(albums.ada.container, rules: [rule])
        }
        #expect(error?.localizedDescription.contains(word) == true)
        let remedy = error?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
        #expect(remedy == "Correct the rule, or the model.")
      }
    }
  }

  // MARK: Decisions

  private typealias Plan = DeduplicationPlan<String>

  private static let mark = Date(timeIntervalSince1970: 10)

  private func member(
    _ name: String, isMarked: Bool = false, isRelated: Bool = false, isDurable: Bool = true
  ) -> Plan.Member {
    Plan.Member(
      id: name, order: name, mark: isMarked ? Self.mark : nil, isRelated: isRelated,
      isDurable: isDurable)
  }

  @Test func `The smallest unmarked object wins in any order of arrival`() {
    for members in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]] {
      let plan = Plan(members.map { member($0) }, settled: nil)
      #expect(plan.winner == "a")
      #expect(Set(plan.marked) == ["b", "c"])
    }
    let plan = Plan([member("a", isMarked: true), member("b")], settled: nil)
    #expect(plan.winner == "b")
    #expect(plan.marked.isEmpty)
  }

  @Test func `A loser is deleted when it is settled, durable and unrelated`() {
    let later = Self.mark.addingTimeInterval(1)
    func removed(_ loser: Plan.Member, _ settled: Date?) -> [String] {
      Plan([member("a"), loser], settled: settled).removed
    }
    #expect(removed(member("b", isMarked: true), later) == ["b"])
    #expect(removed(member("b", isMarked: true), Self.mark).isEmpty)
    #expect(removed(member("b", isMarked: true), nil).isEmpty)
    #expect(removed(member("b", isMarked: true, isDurable: false), later).isEmpty)
    #expect(removed(member("b", isMarked: true, isRelated: true), later).isEmpty)
    #expect(removed(member("b"), later).isEmpty)
  }

  @Test func `Without a winner, a loser that is still used comes back`() {
    let later = Self.mark.addingTimeInterval(1)
    let used = [
      member("a", isMarked: true), member("b", isMarked: true, isRelated: true),
      member("c", isMarked: true, isRelated: true),
    ]
    let plan = Plan(used, settled: later)
    #expect(plan.revived == "b")
    #expect(plan.moved == ["c"])
    #expect(plan.removed == ["a"])
    // The winner may still be arriving.
    #expect(Plan(used, settled: Self.mark).revived == nil)
    #expect(Plan([member("a", isMarked: true)], settled: later).removed == ["a"])
  }

  // MARK: Albums

  static func model() -> NSManagedObjectModel {
    var sketch = ModelSketch()
    let photo = sketch.entity("Photo", [ModelSketch.attribute("name", .stringAttributeType)])
    let tag = sketch.entity(
      "Tag",
      [
        ModelSketch.attribute("name", .stringAttributeType),
        ModelSketch.attribute("uuid", .UUIDAttributeType),
        ModelSketch.attribute("mark", .dateAttributeType),
      ])
    sketch.relate(photo, "tags", toMany: true, to: tag, "photos", backToMany: true)
    return sketch.model
  }

  private func withAlbums(_ body: (Albums) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let albums = Albums(
        cloud: cloud, folder: folder,
        ada: try await SharingDevice(
          try await cloud.signIn("ada"), in: folder, model: Self.model()),
        bob: try await SharingDevice(
          try await cloud.signIn("bob"), in: folder, model: Self.model()))
      try await body(albums)
      await cloud.end()
    }
  }
}

/// Two users with photos and tags.
private struct Albums {
  let cloud: TestCloud
  let folder: URL
  let ada: SharingDevice
  let bob: SharingDevice
  /// The UUID of a tag that wins.
  let early = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  /// The UUID of a tag that loses.
  let late = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))

  /// Ada shares the photo Eclipse with Bob.
  func shareEclipse() async throws {
    try await ada.addPhoto("Eclipse", tags: [:])
    try await ada.sync()
    let (_, share, _) = try await ada.share(["Eclipse"], "Photo")
    try await ada.sync()
    try await ada.invite(bob, to: share)
  }

  func syncAll(_ phone: SharingDevice? = nil) async throws {
    for _ in 0..<2 {
      for device in [ada, bob, phone] { try await device?.sync() }
    }
  }
}

extension SharingDevice {
  /// Runs a deduplicator of tags by name.
  @discardableResult
  fileprivate func deduplicate() async throws -> NSPersistentCloudKitContainer.Deduplicator.Outcome
  {
    let rule = NSPersistentCloudKitContainer.Deduplicator.Rule(
      entityName: "Tag", uniqueBy: ["name"], markedBy: "mark")
    return try await NSPersistentCloudKitContainer.Deduplicator(container, rules: [rule]).run()
  }

  fileprivate var historyToken: NSPersistentHistoryToken? {
    container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: [own])
  }

  fileprivate func addPhoto(_ name: String, tags: [String: UUID], isShared: Bool = false)
    async throws
  {
    try await save { context in
      let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      photo.setValue(name, forKey: "name")
      context.assign(photo, toShared: isShared)
    }
    for (tag, uuid) in tags { try await self.tag(name, tag, uuid, isShared: isShared) }
  }

  /// Gives a photo a new tag.
  fileprivate func tag(_ photo: String, _ name: String, _ uuid: UUID, isShared: Bool = false)
    async throws
  {
    try await save { context in
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(name, forKey: "name")
      tag.setValue(uuid, forKey: "uuid")
      context.assign(tag, toShared: isShared)
      tag.mutableSetValue(forKey: "photos").add(try context.object(photo, "Photo"))
    }
  }

  /// Gives a photo a tag that exists.
  fileprivate func relate(_ photo: String, to uuid: UUID) async throws {
    try await save { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.predicate = NSPredicate(format: "uuid == %@", uuid as NSUUID)
      let tag = try #require(try context.fetch(request).first)
      tag.mutableSetValue(forKey: "photos").add(try context.object(photo, "Photo"))
    }
  }

  /// The UUIDs of a photo's tags.
  fileprivate func tags(of photo: String) async throws -> Set<UUID> {
    try await container.performBackgroundTask { context in
      let tags = try context.object(photo, "Photo").value(forKey: "tags") as? Set<NSManagedObject>
      return Set((tags ?? []).compactMap { $0.value(forKey: "uuid") as? UUID })
    }
  }

  /// The UUIDs of all tags, marked ones included, apart from the tag Star.
  fileprivate func allTags() async throws -> Set<UUID> {
    try await container.performBackgroundTask { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.predicate = NSPredicate(format: "name != %@", "Star")
      return Set(try context.fetch(request).compactMap { $0.value(forKey: "uuid") as? UUID })
    }
  }

  /// The dates of marks.
  fileprivate func marks() async throws -> [Date] {
    try await container.performBackgroundTask { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      return try context.fetch(request).compactMap { $0.value(forKey: "mark") as? Date }
    }
  }
}
