import CloudEncryption
import CloudRecords
import CloudWire
import EncryptionTestSupport
import RecordServer
import Synchronization
import TestSupport
import Testing

@Suite struct `Resetting encrypted data` {
  private let cloud = Cloud()

  @Test func `A reset deletes the zone with a reason, and the zone can be created again`()
    async throws
  {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let former = try await ada.sendAndFetch(try await ada.seal("former"))
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    #expect(await second.read(former) == "former")

    try await ada.engine.resetZone(ada.zone())
    let gone = try await ada.ask(
      .private, .recordsLookup, #"{"records":[{"recordName":"r"}],"zoneID":{"zoneName":"Z"}}"#)[
        "records"][0]
    #expect(gone["serverErrorCode"].text == "ZONE_NOT_FOUND")
    #expect(gone["extensionErrorCode"].text == "ENCRYPTED_DATA_RESET")
    #expect(
      await refusal { _ = try await ada.seal("text") } == "ZONE_NOT_FOUND ENCRYPTED_DATA_RESET")
    #expect(await ada.read(former) == "ZONE_NOT_FOUND ENCRYPTED_DATA_RESET")

    // A device that still has the records recreates the zone and sends them again.
    try await second.engine.forgetKeys(of: second.zone())
    try await second.makeZone()
    let present = try await second.sendAndFetch(try await second.seal("present"))
    #expect(await ada.read(present) == "present")
    #expect(await ada.read(former) == "unknownKey")
  }

  @Test func `A full reset removes former rings and marks from a device that gets the new keys`()
    async throws
  {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    _ = try await ada.seal("former")
    let scope = KeyScope(zone: ada.zone())
    try await ada.engine.markForResealing(scope)
    // Recovering the same keys removes nothing.
    try await ada.engine.recover(try #require(try await ada.engine.recoveryCode()))
    #expect(try await ada.engine.localRing(of: scope) != nil)
    let code = try await cloud.device("_ada").engine.resetEverything(zones: [scope.zone])
    try await ada.engine.recover(code)
    #expect(try await ada.engine.localRing(of: scope) == nil)
    #expect(try await ada.engine.scopesToReseal().isEmpty)
  }

  @Test func `A full reset shows the new code once and gives the default zone another ring`()
    async throws
  {
    let ada = try await cloud.started("_ada")
    let zone = RecordZoneIdentifier(zoneName: "_defaultZone", ownerName: "_ada")
    let record = RecordIdentifier(recordName: "r", zone: zone)
    let fields: RecordFields = ["secret": Field(.string("text"), isEncrypted: true)]
    let former = Device.note(
      record, try await ada.seal(fields, of: record).fields)
    #expect(await ada.read(former) == "text")
    let new = try await cloud.device("_ada")
    _ = try await new.engine.resetEverything(zones: [zone])
    #expect(try await new.engine.unseenCode() == nil)
    let present = Device.note(
      record, try await new.seal(fields, of: record).fields)
    #expect(await new.read(present) == "text")
    #expect(await new.read(former) == "unknownKey")
  }

  @Test func `A full reset deletes no zone before the server has the new keys`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let former = try #require(await ada.engine.keyGeneration)
    let new = try await cloud.device("_ada")
    _ = try await new.engine.start()
    // A zone that cannot be reset interrupts it there.
    let others = RecordZoneIdentifier(zoneName: "Z", ownerName: "_eve")
    #expect(await refusal { _ = try await new.engine.resetEverything(zones: [others]) } != nil)
    #expect(try #require(await new.engine.keyGeneration) > former)
  }

  @Test func `A full reset makes new keys and leaves no former ones`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let former = try await ada.sendAndFetch(try await ada.seal("former"))
    let formerCode = try #require(try await ada.engine.recoveryCode())

    // All devices are lost, and so is the code.
    let store = MemoryKeyStore()
    let new = try await cloud.device("_ada", keeping: store)
    _ = try await new.engine.start()
    #expect(await new.read(former) == "deviceNotApproved")
    let code = try await new.engine.resetEverything(zones: [new.zone()])
    #expect(code.text != formerCode.text)
    guard case .ready = try await new.engine.start() else { return #expect(Bool(false)) }
    try await new.makeZone()
    let present = try await new.sendAndFetch(try await new.seal("present"))
    #expect(await new.read(present) == "present")
    #expect(await new.read(former) == "unknownKey")

    // The device that was thought to be lost is notified and can return.
    #expect(await refusal { _ = try await ada.engine.start() } == "keysReplaced")
    #expect(await refusal { _ = try await ada.engine.renewRecoveryCode() } == "keysReplaced")
    #expect(await refusal { try await ada.engine.recover(formerCode) } == "wrongRecoveryCode")
    try await ada.engine.recover(code)
    #expect(await ada.read(present) == "present")
  }

  @Test
  func `A device with keys of a zone that was recreated notices a full reset`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    _ = try await ada.sendAndFetch(try await ada.seal("former"))
    let new = try await cloud.device("_ada")
    let code = try await new.engine.resetEverything(zones: [new.zone()])
    try await new.makeZone()
    let present = try await new.sendAndFetch(try await new.seal("present"))
    let place = KeyScope(zone: new.zone()).place
    let bag = try await new.exchange.data(place)

    // The former keys neither replace the present ones nor seal anything any more.
    #expect(await ada.read(present) == "keysReplaced")
    #expect(await refusal { _ = try await ada.seal("late") } == "keysReplaced")
    #expect(
      await refusal { try await ada.engine.refreshKeys(of: KeyScope(zone: ada.zone())) }
        == "keysReplaced")
    #expect(try await new.exchange.data(place) == bag)
    let third = try await cloud.device("_ada")
    try await third.engine.recover(code)
    #expect(await third.read(present) == "present")
    try await ada.engine.recover(code)
    #expect(await ada.read(try await new.sendAndFetch(try await ada.seal("now"))) == "now")
  }

  @Test func `A device that read the keys just before does not undo a full reset`() async throws {
    let ada = try await cloud.started("_ada")
    let former = try #require(try await ada.exchange.data(.privateUser))
    let new = try await cloud.device("_ada")
    _ = try await new.engine.resetEverything(zones: [])
    let published = try await new.exchange.data(.publicUser(nil))
    let isLate = Mutex(true)
    ada.exchange.forgedAnswer { place, result in
      guard place == .privateUser,
        isLate.withLock({ late in
          defer { late = false }; return late
        })
      else { return result }
      return altered(result) { $0 = former }
    }
    #expect(await refusal { _ = try await ada.engine.start() } == "keysReplaced")
    #expect(try await new.exchange.data(.publicUser(nil)) == published)
  }

  @Test
  func `A full reset is not reported if another process updated the keys`() async throws {
    let store = MemoryKeyStore()
    let ada = try await cloud.device("_ada", keeping: store)
    _ = try await ada.engine.start()
    try await ada.makeZone()
    _ = try await ada.seal("former")
    let new = try await cloud.device("_ada")
    let code = try await new.engine.resetEverything(zones: [new.zone()])
    try await new.makeZone()
    let present = try await new.sendAndFetch(try await new.seal("present"))
    try await cloud.device("_ada", keeping: store).engine.recover(code)
    #expect(await ada.read(present) == "present")
    let later = try await ada.sendAndFetch(try await ada.seal("later"))
    #expect(await new.read(later) == "later")
  }

  @Test func `A full reset can be repeated after an interruption`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    _ = try await ada.seal("text")
    let store = MemoryKeyStore()
    let new = try await cloud.device("_ada", keeping: store)
    for saves in 0..<3 {
      new.exchange.failSaves(after: saves)
      #expect(
        await refusal { _ = try await new.engine.resetEverything(zones: [new.zone()]) } != nil)
    }
    new.exchange.failSaves(after: nil)
    let code = try await new.engine.resetEverything(zones: [new.zone()])
    guard case .ready = try await cloud.device("_ada", keeping: store).engine.start() else {
      return #expect(Bool(false))
    }
    try await cloud.device("_ada").engine.recover(code)
  }
}
