import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Merging by field")
struct FieldMergeTests {
  private static func person(_ name: String?, boss: String? = nil) -> ObjectContent {
    var person = ObjectContent(
      entity: "Person", recordName: "ADA", values: name.map { ["name": .string($0)] } ?? [:])
    person.references["boss"] = boss
    return person
  }

  private static func server(_ content: ObjectContent) throws -> DecodedObject {
    try EveryFeatureModel.object(try EveryFeatureModel.record(of: content))
  }

  @Test func `Changes of two devices to different fields are both kept`() throws {
    let local = Self.person("Ada Lovelace", boss: "BOB")
    let outcome = try FieldMerge.merge(
      local: local, changed: ["name"], server: try Self.server(Self.person("Ada", boss: "CLEO")))
    #expect(outcome.send == ["name"] && outcome.write == ["boss"])
    #expect(outcome.content == Self.person("Ada Lovelace", boss: "CLEO"))
  }

  @Test func `The last sender of a field wins, and the journal has the other value`() throws {
    var server = try Self.server(Self.person("Theirs"))
    (server.modifiedBy, server.modified) = ("_bob", Date(timeIntervalSince1970: 7))
    let outcome = try FieldMerge.merge(
      local: Self.person("Ours"), changed: ["name"], server: server)
    #expect(
      outcome.send == ["name"] && outcome.write.isEmpty && outcome.content == Self.person("Ours"))
    #expect(
      outcome.journal == [
        MergeJournalEntry(
          entity: "Person", recordName: "ADA", property: "name", kept: Self.person("Ours"),
          overwritten: Self.person("Theirs"), winner: .local, serverUser: "_bob",
          serverDate: Date(timeIntervalSince1970: 7))
      ])
  }

  @Test func `Equal changes are no conflict`() throws {
    let outcome = try FieldMerge.merge(
      local: Self.person("Same", boss: "BOB"), changed: ["name", "boss"],
      server: try Self.server(Self.person("Same", boss: "BOB")))
    #expect(outcome.send.isEmpty && outcome.write.isEmpty && outcome.journal.isEmpty)
  }

  @Test func `A new object's local values win over an existing record's`() throws {
    let outcome = try FieldMerge.merge(
      local: Self.person("Ours"), changed: nil,
      server: try Self.server(Self.person("Theirs", boss: "BOB")))
    #expect(outcome.send == ["name", "boss"] && outcome.content == Self.person("Ours"))
    #expect(outcome.journal.map(\.property) == ["boss", "name"])
  }

  @Test
  func `Fields that a recreated record lacks are sent, and replaced values are kept`() throws {
    let (local, server) = (Self.person("Ada", boss: "BOB"), try Self.server(Self.person("Old")))
    let outcome = try FieldMerge.merge(local: local, changed: [], isLost: true, server: server)
    #expect(outcome.send == ["boss"] && outcome.write == ["name"])
    #expect(outcome.content == Self.person("Old", boss: "BOB"))
    #expect(
      outcome.journal.map(\.property) == ["name"] && outcome.journal.map(\.winner) == [.server])
    #expect(outcome.journal.first?.overwritten.values == ["name": .string("Ada")])
    // A later local change wins as usual.
    let ours = try FieldMerge.merge(
      local: local, changed: ["boss", "name"], isLost: true, server: server)
    #expect(
      ours.send == ["boss", "name"] && ours.write.isEmpty
        && ours.journal.map(\.property) == ["name"])
    let same = try FieldMerge.merge(
      local: local, changed: [], isLost: true, server: Self.server(local))
    #expect(same.send.isEmpty && same.write.isEmpty && same.journal.isEmpty)
  }

  /// The properties in two unanswered requests, and the server's current values.
  static let unanswered:
    [(earlier: Set<String>?, server: ObjectContent, sent: Set<String>, written: Set<String>)] = [
      // One request, which has arrived; another device restored the boss since.
      (nil, person("Ours", boss: "OLD"), [], ["boss"]),
      (nil, person("Old", boss: "OLD"), ["boss", "name"], []),
      // The earlier request had only the name, and it has arrived.
      (["name"], person("Ours", boss: "OLD"), ["boss"], []),
      // A property of the later request has arrived, and another device restored the name since.
      (["name"], person("Old", boss: "OURS"), [], ["name"]),
      // Both were set again since the earlier request.
      ([], person("Ours", boss: "OLD"), [], ["boss"]),
      ([], person("Old", boss: "OLD"), ["boss", "name"], []),
      // Both requests had both.
      (["boss", "name"], person("Ours", boss: "OLD"), [], ["boss"]),
    ]

  @Test(arguments: unanswered)
  func `Of several unanswered requests exactly one counts as arrived`(
    earlier: Set<String>?, server: ObjectContent, sent: Set<String>, written: Set<String>
  ) throws {
    let entity = try #require(EveryFeatureModel.schema["Person"])
    let outcome = try FieldMerge.merge(
      local: Self.person("Ours", boss: "OURS"), changed: ["boss", "name"],
      unanswered: ["boss", "name"],
      earlier: earlier,
      former: entity.digests(of: ["boss", "name"], in: Self.person("Old", boss: "OLD")),
      server: try Self.server(server))
    #expect(outcome.send == sent && outcome.write == written)
  }

  /// The properties in two unanswered requests that may have made a record, and the server's
  /// current values.
  static let unansweredInsertions:
    [(earlier: Set<String>?, server: ObjectContent, sent: Set<String>, written: Set<String>)] = [
      // One request: it made the record, and other devices have changed it since.
      (nil, person("Theirs", boss: "BOB"), [], ["boss", "name"]),
      (nil, person(nil, boss: "OURS"), [], ["name"]),
      // Both requests had both.
      (["boss", "name"], person("Theirs", boss: "BOB"), [], ["boss", "name"]),
      // The boss was set for the later request, which made the record.
      (["name"], person("Theirs", boss: "OURS"), [], ["name"]),
      // Perhaps the earlier request made it, with the name alone.
      (["name"], person("Theirs"), ["boss"], ["name"]),
      // The later request made it, since the earlier one had another name.
      ([], person("Ours", boss: "BOB"), [], ["boss"]),
      ([], person("Theirs", boss: "BOB"), ["boss", "name"], []),
    ]

  @Test(arguments: unansweredInsertions)
  func `A new record proves that one of the unanswered insertions arrived`(
    earlier: Set<String>?, server: ObjectContent, sent: Set<String>, written: Set<String>
  ) throws {
    let outcome = try FieldMerge.merge(
      local: Self.person("Ours", boss: "OURS"), changed: ["boss", "name"],
      unanswered: ["boss", "name"], earlier: earlier, isNew: true,
      server: try Self.server(server))
    #expect(outcome.send == sent && outcome.write == written)
  }

  @Test
  func `A cleared field does not prove that an unanswered request arrived`() throws {
    let entity = try #require(EveryFeatureModel.schema["Person"])
    let former = entity.digests(of: ["boss", "name"], in: Self.person("Old", boss: "OLD"))
    for local in [Self.person("Ours"), Self.person(nil, boss: "OURS")] {
      let server = Self.person(
        local["name"] == .null ? nil : "Old", boss: local.references["boss"] == nil ? nil : "OLD")
      let outcome = try FieldMerge.merge(
        local: local, changed: ["boss", "name"], unanswered: ["boss", "name"], former: former,
        server: try Self.server(server))
      #expect(
        outcome.send == [local.has("name") ? "name" : "boss"] && outcome.write.isEmpty, "\(local)")
    }
  }

  @Test func `An unanswered value is sent if the server's former value is unknown`() throws {
    let entity = try #require(EveryFeatureModel.schema["Person"])
    let server = try Self.server(Self.person("Theirs", boss: "BOB"))
    for former in [[:], entity.digests(of: ["boss"], in: Self.person(nil, boss: "BOB"))] {
      let outcome = try FieldMerge.merge(
        local: Self.person("Ours", boss: "BOB"), changed: ["name"], unanswered: ["name"],
        former: former,
        server: server)
      #expect(outcome.send == ["name"] && outcome.write.isEmpty)
    }
  }

  @Test func `Clearing a field is a change like any other`() throws {
    let outcome = try FieldMerge.merge(
      local: Self.person("Ada"), changed: ["boss"],
      server: try Self.server(Self.person("Ada", boss: "BOB")))
    #expect(outcome.send == ["boss"] && outcome.content.references.isEmpty)
    let theirs = try FieldMerge.merge(
      local: Self.person("Ada", boss: "BOB"), changed: [],
      server: try Self.server(Self.person("Ada")))
    #expect(theirs.write == ["boss"] && theirs.content.references.isEmpty)
  }

  @Test func `An unusable field leaves the local value`() throws {
    let record = try EveryFeatureModel.record(of: Self.person("Theirs"))
    record["CD_name"] = 7
    record["CD_boss"] = 8
    let outcome = try FieldMerge.merge(
      local: Self.person("Ours", boss: "BOB"), changed: ["name"],
      server: try EveryFeatureModel.object(record))
    #expect(outcome.send == ["name"] && outcome.write.isEmpty && outcome.journal.isEmpty)
    #expect(outcome.content == Self.person("Ours", boss: "BOB"))
  }

  @Test func `An asset without its bytes is fetched before it can be written locally`() throws {
    let record = try ServerRecords.empty(
      type: "CD_Person", name: "ADA", assets: ["CD_name_ckAsset"])
    let server = try EveryFeatureModel.object(record)
    #expect(server.unfetched == ["name"] && server.issues.isEmpty)
    #expect(try server.differences(from: Self.person("Local")).isEmpty)
    let theirs = try FieldMerge.merge(local: Self.person("Local"), changed: [], server: server)
    #expect(
      theirs.unfetched == ["name"] && theirs.write.isEmpty && theirs.content == Self.person("Local")
    )
    let ours = try FieldMerge.merge(local: Self.person("Local"), changed: ["name"], server: server)
    #expect(ours.send == ["name"] && ours.unfetched.isEmpty)
  }

  @Test func `Orders that both sides changed are merged`() throws {
    func shelf(_ works: [String]) -> ObjectContent {
      ObjectContent(entity: "Shelf", recordName: "SHELF", orders: ["works": works])
    }
    let added = try FieldMerge.merge(
      local: shelf(["A", "B", "L"]), changed: ["works"],
      server: try Self.server(shelf(["A", "S", "B"])))
    #expect(added.content.orders["works"] == ["A", "S", "B", "L"])
    #expect(added.send == ["works"] && added.write == ["works"] && added.journal.isEmpty)
    let turned = try FieldMerge.merge(
      local: shelf(["B", "A"]), changed: ["works"], server: try Self.server(shelf(["A", "B"])))
    #expect(
      turned.content.orders["works"] == ["B", "A"] && turned.journal.map(\.property) == ["works"])
    let theirs = try FieldMerge.merge(
      local: shelf(["B", "A"]), changed: [], server: try Self.server(shelf(["A", "B"])))
    #expect(theirs.write == ["works"] && theirs.content == shelf(["A", "B"]))
    let fewer = try FieldMerge.merge(
      local: shelf(["A"]), changed: ["works"], server: try Self.server(shelf(["A", "B"])))
    #expect(fewer.send.isEmpty && fewer.write == ["works"])
  }

  @Test func `A deletion wins in both directions, and the journal has the removed values`() throws {
    let here = FieldMerge.deletedHere(server: try Self.server(Self.person("Theirs")))
    #expect(here.winner == .local && here.overwritten == Self.person("Theirs") && here.kept == nil)
    let ours = Self.person("Ours", boss: "BOB")
    let there = FieldMerge.deletedThere(local: ours)
    #expect(
      there.winner == .server && there.overwritten == ours && there.property == nil
        && there.kept == nil)
  }

  /// After a merge is written to both sides, they are equal as far as records can express it.
  @Test func `Both sides are equal after a merge, whatever changed`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<200 {
      var contents = RandomContents(schema: EveryFeatureModel.schema, random: random)
      let (local, theirs) = (contents.content("Book", "BOOK"), contents.content("Book", "BOOK"))
      let changed = contents.properties("Book")
      random = contents.random
      let record = try ServerRecords.copy(of: try EveryFeatureModel.record(of: theirs))
      let outcome = try FieldMerge.merge(
        local: local, changed: changed, server: try EveryFeatureModel.object(record))
      let sent = try EveryFeatureModel.record(
        of: outcome.content, changed: outcome.send, into: record)
      #expect(
        try EveryFeatureModel.object(sent).differences(from: outcome.content).isEmpty, "\(random)")
      let again = try FieldMerge.merge(
        local: outcome.content, changed: changed, server: try EveryFeatureModel.object(sent))
      #expect(again.send.isEmpty && again.write.isEmpty && again.journal.isEmpty, "\(random)")
      for property in try #require(EveryFeatureModel.schema["Book"]).sentProperties.subtracting(
        outcome.write)
      {
        #expect(outcome.content.part([property]) == local.part([property]), "\(random)")
      }
      #expect(
        outcome.send.isSubset(of: changed) && outcome.write.isDisjoint(with: changed), "\(random)")
    }
  }
}
