import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct `Keys of zones` {
  private let cloud = Cloud()

  /// Two devices of one user, in a zone.
  private func devices() async throws -> (first: Device, second: Device) {
    let first = try await cloud.started("_ada")
    try await first.makeZone()
    return (first, try await another(first))
  }

  private func another(_ first: Device) async throws -> Device {
    let second = try await cloud.device(first.user)
    try await second.engine.recover(try #require(try await first.engine.recoveryCode()))
    return second
  }

  private func names(_ record: CloudRecord) throws -> [KeyIdentifier] {
    let place = RecordPlace(
      container: Cloud.container, record: record.identifier, recordType: record.recordType)
    return try SealedFields(record.fields, of: place).keys.map(\.key)
  }

  @Test func `The first encrypted value makes keys that other devices find`() async throws {
    let (first, second) = try await devices()
    #expect(try await first.exchange.data(KeyScope(zone: first.zone()).place) == nil)
    let one = try await first.sendAndFetch(try await first.seal("one"))
    #expect(try await first.exchange.data(KeyScope(zone: first.zone()).place) != nil)
    #expect(await second.read(one) == "one")
    let two = try await second.sendAndFetch(try await second.seal("two"))
    #expect(await first.read(two) == "two")
    #expect(try names(one) == names(two))
  }

  @Test func `A value without an owner's name belongs to the caller`() async throws {
    let (first, second) = try await devices()
    var note = try await first.sendAndFetch(try await first.seal("text"))
    note.identifier.zone.ownerName = RecordZoneIdentifier.currentOwnerName
    #expect(await second.read(note) == "text")
    #expect(try await !second.engine.needsResealing(note))
  }

  @Test(arguments: ["STRING", "INT64", "BYTES", "LIST"])
  func `Fields of every type of a schema can be sealed`(type: String) async throws {
    let (first, second) = try await devices()
    let datatype = type == "LIST" ? "LIST<ENCRYPTED STRING>" : "ENCRYPTED \(type)"
    let text = "DEFINE SCHEMA RECORD TYPE Note (secret \(datatype), plain INT64);"
    _ = try await cloud.server.importSchema(Array(text.utf8), into: Cloud.container.container)
    let note = try await first.sendAndFetch(try await first.seal("text"))
    #expect(await second.read(note) == "text")
  }

  @Test func `Making keys costs two requests, finding them one, and using them none`() async throws
  {
    let (first, second) = try await devices()
    let (lookUps, saves) = (first.exchange.lookUps, first.exchange.saves)
    for number in 0..<5 { _ = try await first.seal("\(number)", as: "r\(number)") }
    #expect(first.exchange.lookUps - lookUps == 1 && first.exchange.saves - saves == 1)
    let note = try await first.seal("text")
    let before = second.exchange.lookUps
    for _ in 0..<5 { #expect(await second.read(note) == "text") }
    #expect(second.exchange.lookUps - before == 1)
  }

  @Test func `A repeated request replaces keys once`() async throws {
    let (first, second) = try await devices()
    let former = try await first.seal("former")
    let saves = first.exchange.saves
    first.exchange.fail(.sentTwice)
    try await first.engine.rotateKeys(of: KeyScope(zone: first.zone()))
    #expect(first.exchange.saves == saves + 1)
    #expect(try await first.engine.needsResealing(former))
    #expect(await second.read(try await first.seal("present")) == "present")
  }

  @Test func `Keys that another process fetched are not requested again`() async throws {
    let (first, _) = try await devices()
    let store = MemoryKeyStore()
    let (one, other) = (
      try await cloud.device("_ada", keeping: store), try await cloud.device("_ada", keeping: store)
    )
    try await one.engine.recover(try #require(try await first.engine.recoveryCode()))
    _ = try await other.engine.start()
    let note = try await first.seal("text")
    #expect(await one.read(note) == "text")
    let lookUps = other.exchange.lookUps
    #expect(await other.read(note) == "text")
    #expect(other.exchange.lookUps == lookUps)
  }

  @Test
  func `Missing keys are requested once for many records, except after temporary failures`()
    async throws
  {
    let (first, second) = try await devices()
    let note = try await first.seal("text")
    let stranger = try await Cloud().started("_ada")
    try await stranger.makeZone()
    let foreign = try await stranger.seal("foreign")
    let place = KeyScope(zone: first.zone()).place
    await MissingKeys.$noted.withValue(MissingKeys()) {
      second.exchange.forgedAnswer { $0 == place ? altered($1) { $0[40] ^= 1 } : $1 }
      #expect(await second.read(note) == "forgedBag")
      second.exchange.forgedAnswer(nil)
      #expect(await second.read(note) == "text")
      #expect(await second.read(foreign) == "unknownKey")
      let lookUps = second.exchange.lookUps
      #expect(await second.read(foreign) == "unknownKey")
      #expect(second.exchange.lookUps == lookUps)
    }
  }

  @Test func `A former key in one of several fields marks the record for resealing`() async throws {
    let (first, _) = try await devices()
    let former = try await first.seal("former")
    try await first.engine.rotateKeys(of: KeyScope(zone: first.zone()))
    var mixed = try await first.seal("present")
    #expect(try await !first.engine.needsResealing(mixed))
    mixed.fields["other"] = former.fields["secret"]
    #expect(try await first.engine.needsResealing(mixed))
  }

  @Test func `Keys are written again only if they changed`() async throws {
    let (first, second) = try await devices()
    let scope = KeyScope(zone: first.zone())
    _ = try await first.seal("text")
    let (saves, bag) = (first.exchange.saves, try await first.exchange.data(scope.place))
    for _ in 0..<3 {
      try await first.engine.refreshKeys(of: scope)
      _ = try await first.deliver(scope, to: ["_ada"])
      _ = try await first.engine.start()
    }
    #expect(first.exchange.saves == saves)
    try await second.engine.refreshKeys(of: scope)
    #expect(try await first.exchange.data(scope.place) == bag)
  }

  @Test func `Refreshing the keys of a zone that has none makes none`() async throws {
    let (first, _) = try await devices()
    let scope = KeyScope(zone: first.zone())
    #expect(await refusal { try await first.engine.refreshKeys(of: scope) } == "keysNotDelivered")
    #expect(try await first.exchange.data(scope.place) == nil)
    #expect(try await first.engine.localRing(of: scope) == nil)
    _ = try await first.seal("text")
    #expect(try await first.engine.localRing(of: scope) != nil)
  }

  @Test
  func `A missing zone's keys and marks are removed, and other zones keep theirs`() async throws {
    let (first, _) = try await devices()
    try await first.makeZone("Y")
    let (gone, other) = (KeyScope(zone: first.zone()), KeyScope(zone: first.zone("Y")))
    for scope in [gone, KeyScope(zone: gone.zone, shareName: "S"), other] {
      try await first.engine.rotateKeys(of: KeyScope(zone: scope.zone))
      try await first.engine.markForResealing(scope)
    }
    try await first.engine.forgetKeys(of: gone.zone)
    #expect(try await first.engine.scopesToReseal() == [other])
    #expect(try await first.engine.localRing(of: gone) == nil)
    #expect(try await first.engine.localRing(of: other) != nil)
    try await first.engine.clearResealingMark(other)
    #expect(try await first.engine.scopesToReseal().isEmpty)
  }

  @Test func `A device seals under replaced keys only until it refreshes them`() async throws {
    let (first, second) = try await devices()
    let scope = KeyScope(zone: first.zone())
    let former = try await first.seal("former")
    try await second.engine.rotateKeys(of: scope)
    // The first device has compared its keys once and is not notified, so it continues with them.
    #expect(try names(await first.seal("text")) == names(former))
    try await first.engine.refreshKeys(of: scope)
    #expect(try names(await first.seal("text")) != names(former))
    #expect(try await first.engine.needsResealing(former))
  }

  @Test func `Devices that make the first keys at once get the same keys`() async throws {
    let (first, second) = try await devices()
    let third = try await another(first)
    try await withThrowingTaskGroup(of: CloudRecord.self) { group in
      for device in [first, second, third] {
        for _ in 0..<3 { group.addTask { try await device.seal("text") } }
      }
      for try await note in group {
        for device in [first, second, third] { #expect(await device.read(note) == "text") }
      }
    }
  }

  @Test func `Replaced keys still open values and seal none`() async throws {
    let (first, second) = try await devices()
    let former = try await first.seal("former")
    #expect(await second.read(former) == "former")
    try await first.engine.rotateKeys(of: KeyScope(zone: first.zone()))
    let present = try await first.seal("present")
    #expect(try names(former) != names(present))
    #expect(try await first.engine.needsResealing(former))
    #expect(try await !first.engine.needsResealing(present))
    #expect(await first.read(former) == "former")
    #expect(await second.read(present) == "present")
    try await second.engine.refreshKeys(of: KeyScope(zone: first.zone()))
    #expect(try names(await second.seal("later")) == names(present))
  }

  @Test func `Keys that several devices replace at once are all kept`() async throws {
    let (first, second) = try await devices()
    let scope = KeyScope(zone: first.zone())
    try await withThrowingTaskGroup(of: CloudRecord.self) { group in
      for device in [first, second] {
        group.addTask {
          try await device.engine.rotateKeys(of: scope)
          return try await device.seal("text")
        }
      }
      let third = try await another(first)
      for try await note in group { #expect(await third.read(note) == "text") }
    }
  }

  @Test func `An answer in flight does not drop keys that were replaced meanwhile`() async throws {
    let (first, second) = try await devices()
    let scope = KeyScope(zone: first.zone())
    _ = try await first.seal("text")
    first.exchange.afterSave { try await first.engine.rotateKeys(of: scope) }
    try await first.engine.rotateKeys(of: scope)
    // The second device knows only what the server has.
    let present = try names(await second.seal("text"))
    #expect(try names(await first.seal("text")) == present)
    #expect(try await !first.engine.needsResealing(try await second.seal("text")))
  }

  @Test func `A device that starts later finds the keys where the record says`() async throws {
    let (first, _) = try await devices()
    var notes: [CloudRecord] = []
    for number in 0..<5 {
      notes.append(try await first.seal("\(number)", as: "r\(number)"))
      try await first.engine.rotateKeys(of: KeyScope(zone: first.zone()))
    }
    let late = try await another(first)
    for (number, note) in notes.enumerated() { #expect(await late.read(note) == "\(number)") }
  }

  @Test func `Keys in a folder survive the process`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("keys").path
      let first = try await cloud.device("_ada", keeping: try FolderKeyStore(path: path))
      _ = try await first.engine.start()
      try await first.makeZone()
      let note = try await first.seal("text")
      let again = try await cloud.device("_ada", keeping: try FolderKeyStore(path: path))
      #expect(await again.read(note) == "text")
      #expect(again.exchange.lookUps == 0)
    }
  }

  // MARK: Missing keys

  @Test func `Missing keys give an error and nothing else`() async throws {
    let (first, second) = try await devices()
    let stranger = try await Cloud().started("_ada")
    try await stranger.makeZone()
    let foreign = try await stranger.seal("foreign")
    #expect(await first.read(foreign) == "unknownKey")
    _ = try await first.seal("text")
    for device in [first, second] { #expect(await device.read(foreign) == "unknownKey") }
  }

  @Test func `Keys that the server lost are restored`() async throws {
    let (first, _) = try await devices()
    let former = try await first.seal("former")
    try await first.deleteZone()
    try await first.makeZone()
    #expect(
      await refusal { try await first.engine.refreshKeys(of: KeyScope(zone: first.zone())) } == nil)
    #expect(await (try another(first)).read(former) == "former")
  }

  @Test func `A missing zone gets no keys, and a recreated one gets new keys`() async throws {
    let (first, second) = try await devices()
    let former = try await first.seal("former")
    #expect(await second.read(former) == "former")
    try await first.deleteZone()
    try await first.engine.forgetKeys(of: first.zone())
    let gone = await refusal { _ = try await first.seal("text") } ?? ""
    #expect(gone.hasPrefix("ZONE_NOT_FOUND"), "\(gone)")
    try await first.makeZone()
    let present = try await first.seal("present")
    #expect(try names(former) != names(present))
    // A device that does not know of it finds the new key and loses none.
    #expect(await second.read(present) == "present")
    #expect(await second.read(former) == "former")
  }

  // MARK: A server that lies

  @Test func `A device with the keys writes a damaged bag again`() async throws {
    let (first, second) = try await devices()
    let note = try await first.seal("text")
    let place = KeyScope(zone: first.zone()).place
    second.exchange.forgedAnswer { $0 == place ? altered($1) { $0[40] ^= 1 } : $1 }
    #expect(await second.read(note) == "forgedBag")
    second.exchange.forgedAnswer(nil)
    #expect(await second.read(note) == "text")
    first.exchange.forgedAnswer { _, result in altered(result) { $0 = [1, 2, 3] } }
    let saves = first.exchange.saves
    try await first.engine.refreshKeys(of: KeyScope(zone: first.zone()))
    #expect(first.exchange.saves == saves + 1)
    first.exchange.forgedAnswer(nil)
    #expect(await (try another(first)).read(note) == "text")
  }

  @Test func `Keys from before a change are not taken for the latest`() async throws {
    let (first, second) = try await devices()
    let scope = KeyScope(zone: first.zone())
    _ = try await first.seal("text")
    let former = try #require(try await first.exchange.data(scope.place))
    try await first.engine.rotateKeys(of: scope)
    try await second.engine.refreshKeys(of: scope)
    let present = try names(await second.seal("text"))
    second.exchange.forgedAnswer { place, result in
      place == scope.place ? altered(result) { $0 = former } : result
    }
    try await second.engine.refreshKeys(of: scope)
    #expect(try names(await second.seal("text")) == present)
  }
}
