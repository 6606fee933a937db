import Simulation
import Testing

/// The checkers of worlds with sharing find their violations.
@Suite struct SharingCheckerTests {
  private static let zone = AccessTable.Zone(owner: "ada", name: "share")

  @Test func `A user may receive what was in a zone while they took part`() {
    var table = AccessTable()
    table.observe(["share": ["bob": true]], of: "ada")
    table.observe(["one"], in: Self.zone)
    table.observe([:], of: "ada")
    table.observe(["one", "two"], in: Self.zone)
    table.write("three", by: "bob")
    #expect(table.unknown(["one", "two", "three"], to: "bob") == ["two"])
    #expect(table.unknown(["one", "two"], to: "ada").isEmpty)
    #expect(table.unknown(["one"], to: "carl") == ["one"])
  }

  @Test func `A removed participant may receive nothing new, whatever the server says`() {
    var table = AccessTable()
    table.observe(["share": ["bob": false]], of: "ada")
    #expect(table.readers(of: Self.zone) == ["bob"])
    #expect(!table.mayWrite("bob", in: Self.zone) && table.mayWrite("ada", in: Self.zone))
    table.remove("bob", from: Self.zone)
    table.observe(["one"], in: Self.zone)
    #expect(table.unknown(["one"], to: "bob") == ["one"])
    table.admit("bob", to: Self.zone)
    table.observe(["one"], in: Self.zone)
    #expect(table.unknown(["one"], to: "bob").isEmpty)
    table.leave(Self.zone, by: "bob")
    #expect(table.zones(of: "bob").isEmpty)
    table.join(Self.zone, by: "bob")
    #expect(table.zones(of: "bob") == [Self.zone])
  }

  @Test func `An object in two zones, or in none, is found`() {
    let twice = ZoneCheck(
      records: [.init(name: "1", zone: "home", key: "A"), .init(name: "1", zone: "s", key: "A")],
      homeZone: "home")
    #expect(twice.violations.map(\.invariant) == [.zones])
    var absent = ZoneCheck(records: [], homeZone: "home")
    absent.stores = [("Device1", ["A": "home"])]
    #expect(absent.violations.map(\.message) == ["A of Device1 is in no zone."])
  }

  @Test func `A pair or a child that stays behind is found`() {
    let objects = [
      ZoneCheck.Record(name: "1", zone: "s", key: "A"),
      ZoneCheck.Record(name: "2", zone: "s", key: "B"),
      ZoneCheck.Record(name: "3", zone: "home", key: "C"),
    ]
    let pair = ZoneCheck.Record(name: "4", zone: "home", members: ["1", "2"])
    #expect(ZoneCheck(records: objects + [pair], homeZone: "home").violations.count == 1)
    var related = ZoneCheck(records: objects, homeZone: "home")
    related.relations = [("A", "B"), ("C", "A")]
    #expect(
      related.violations.map(\.message) == ["C and A are related, and in different zones."])
    related.relations = []
    related.stores = [("Device1", ["A": "home"])]
    #expect(related.violations.count == 1)
  }

  @Test func `An owner's lost objects are found, deleted or purged ones are not`() {
    var objects = OwnersObjects()
    for key in ["A", "B", "C", "D"] { objects.insert(key, by: "ada") }
    objects.delete("B", by: "bob")
    objects.purge(["C"])
    #expect(
      objects.lost(["ada": ["D"]]).map(\.message) == [
        "A is missing, although ada did not delete it."
      ])
  }

  @Test func `A participant's value is certain unless a permission was lowered or it moved`() {
    var objects = OwnersObjects()
    objects.insert("A", by: "ada")
    let isCertain = { (objects: OwnersObjects) in
      objects.isCertain("A", texts: ["x"], writers: ["ada", "bob"], owner: "ada")
    }
    #expect(isCertain(objects))
    objects.lower(["carl"])
    #expect(isCertain(objects))
    var lowered = objects
    lowered.lower(["bob"])
    #expect(!isCertain(lowered))
    #expect(lowered.isCertain("A", texts: ["x"], writers: ["ada"], owner: "ada"))
    objects.observe("A", in: "home")
    objects.observe("A", in: "s")
    #expect(!isCertain(objects) && objects.moved == ["A"])
  }
}
