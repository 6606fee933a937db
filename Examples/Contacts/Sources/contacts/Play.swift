import CloudKit
import CloudKitTesting
import ContactBook

/// Runs all samples, one after another, for two users with a real server in memory.
func play() async throws {
  let cloud = try await TestCloud()
  let play = Play(
    ada: try await cloud.signIn("ada@example.com"),
    grace: try await cloud.signIn("grace@example.com"))
  try await play.run()
  await cloud.end()
}

/// The two people, and the state that several samples share.
private struct Play {
  /// Ada's sign-in; each access to `container` returns a new container, like another device.
  let ada: TestDevice
  let adasContainer: CKContainer
  let gracesContainer: CKContainer
  /// The contacts on Ada's phone.
  let book: ContactBook
  /// The encrypted contacts on Ada's phone.
  let secrets: ContactBook
  let zoneID = CKRecordZone.ID(zoneName: "Contacts")
  let secretsID = CKRecordZone.ID(zoneName: "Secrets")

  var database: CKDatabase { adasContainer.privateCloudDatabase }

  init(ada: TestDevice, grace: TestDevice) {
    self.ada = ada
    adasContainer = ada.container
    gracesContainer = grace.container
    book = ContactBook(database: adasContainer.privateCloudDatabase, zoneID: zoneID)
    secrets = ContactBook(database: adasContainer.privateCloudDatabase, zoneID: secretsID)
  }

  func run() async throws {
    try await saveARecord()
    try await followAZone()
    try await listen()
    try await query()
    try await shareAContact()
    try await shareAZone()
    let tablet = try await encrypt()
    try await approveADevice()
    try await replaceData(on: tablet)
    try await syncByAnEngine()
  }

  /// Prints the title of the next sample.
  private func chapter(_ title: String) { print("\n\(title)") }

  // MARK: One record in the private database

  private func saveARecord() async throws {
    chapter("A record")
    let lastPerson = CKRecord(recordType: "Person", recordID: CKRecord.ID(recordName: "lastPerson"))
    lastPerson["name"] = "Emmy Noether"
    try await database.save(lastPerson)
    print(
      "saved, and fetched again:",
      try await database.record(for: lastPerson.recordID)["name"] ?? "nothing")

    let elsewhere = try await database.record(for: lastPerson.recordID)
    elsewhere["name"] = "Sophie Germain"
    try await database.save(elsewhere)
    lastPerson["name"] = "Maryam Mirzakhani"
    do {
      try await database.save(lastPerson)
    } catch let error as CKError where error.code == .serverRecordChanged {
      print("somebody was faster, with", error.serverRecord?["name"] ?? "nothing")
    }
    let (saved, _) = try await database.modifyRecords(
      saving: [lastPerson], deleting: [], savePolicy: .changedKeys)
    for result in saved.values { _ = try result.get() }
    print(
      "saved all the same:",
      try await database.record(for: lastPerson.recordID)["name"] ?? "nothing")
  }

  // MARK: A zone that is followed

  private func followAZone() async throws {
    chapter("A zone that two devices follow")
    let laptop = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    try await book.prepare()
    for name in ["Alan", "Alonzo", "Barbara"] { try await book.add(name) }
    print(
      "the laptop gets", try await laptop.refresh().changed, "contacts:",
      await laptop.names.joined(separator: ", "))
    if let barbara = await laptop.contact(named: "Barbara") { try await laptop.remove(barbara) }
    print("one is removed there:", try await book.refresh().deleted, "is gone here")
  }

  // MARK: Listening

  private func listen() async throws {
    chapter("A device that listens")
    let listener = ada.container
    let onDesk = ContactBook(database: listener.privateCloudDatabase, zoneID: zoneID)
    let (told, tell) = AsyncStream<Void>.makeStream()
    let listening = Task { try await onDesk.follow(listener.notifications) { tell.yield() } }
    // The desktop may start to listen after a change, so changes continue until it reports one.
    let moving = Task {
      while !Task.isCancelled, let alonzo = await book.contact(named: "Alonzo") {
        alonzo.record["city"] = "Princeton"
        try await book.save(alonzo)
      }
    }
    for await _ in told { break }
    moving.cancel()
    _ = await moving.result
    listening.cancel()
    print("the desk was told, and has", await onDesk.names.joined(separator: ", "))
  }

  // MARK: Queries

  private func query() async throws {
    chapter("A query")
    print("begin with Al:", try await book.names(beginningWith: "Al").joined(separator: ", "))
  }

  // MARK: Sharing

  private func shareAContact() async throws {
    chapter("A contact that is shared")
    guard let alan = await book.contact(named: "Alan"), let address = try await book.share(alan).url
    else {
      fatalError("The share has no address.")
    }
    let invitation = try await gracesContainer.shareMetadata(for: address)
    print("Grace is invited to", invitation.share[CKShare.SystemFieldKey.title] ?? "something")
    try await gracesContainer.accept(invitation)
    let shared = ContactBook(
      database: gracesContainer.sharedCloudDatabase, zoneID: invitation.share.recordID.zoneID)
    try await shared.refresh()
    print("Grace sees", await shared.names.joined(separator: ", "))
    if let theirs = await shared.contact(named: "Alan") {
      theirs.name = "Alan Turing"
      try await shared.save(theirs)
    }
    try await book.refresh()
    print("Ada sees", await book.names.joined(separator: ", "))
  }

  // MARK: Sharing a zone

  private func shareAZone() async throws {
    chapter("A group that is shared as a whole")
    let group = ContactBook(database: database, zoneID: CKRecordZone.ID(zoneName: "Choir"))
    try await group.prepare()
    try await group.add("Hedy")
    let guest = try await adasContainer.shareParticipant(forEmailAddress: "grace@example.com")
    guard let groupAddress = try await group.shareAll(with: guest).url else {
      fatalError("The share has no address.")
    }
    try await gracesContainer.accept(try await gracesContainer.shareMetadata(for: groupAddress))
    for zone in try await gracesContainer.sharedCloudDatabase.allRecordZones()
    where zone.zoneID.zoneName == "Choir" {
      let choir = ContactBook(database: gracesContainer.sharedCloudDatabase, zoneID: zone.zoneID)
      try await choir.add("Dorothy")
    }
    try await group.refresh()
    print("the choir:", await group.names.joined(separator: ", "))
  }

  // MARK: Encryption

  private func encrypt() async throws -> CKContainer {
    chapter("A number that the server cannot read")
    try await secrets.prepare()
    guard case .readyWithNewKeys(let recoveryCode) = try await adasContainer.encryption.status()
    else {
      fatalError("The first device makes the keys.")
    }
    try await secrets.add("Joan", phoneNumber: "555-0100")
    let tablet = ada.container
    print("a new device has keys:", try await tablet.encryption.status() != .needsApproval)
    try await tablet.encryption.recover(with: recoveryCode)
    let onTablet = ContactBook(database: tablet.privateCloudDatabase, zoneID: secretsID)
    try await onTablet.refresh()
    print(
      "with the recovery code it reads",
      await onTablet.contact(named: "Joan")?.phoneNumber ?? "nothing")
    return tablet
  }

  // MARK: A second device that the first one approves

  private func approveADevice() async throws {
    chapter("A device that another one approves")
    let watch = ada.container
    try await watch.encryption.requestApproval(deviceName: "Watch")
    for device in try await adasContainer.encryption.waitingDevices() {
      try await adasContainer.encryption.beginApproval(of: device)
      guard case .compare(let shown) = try await watch.encryption.approvalProgress() else {
        continue
      }
      try await adasContainer.encryption.approve(device, code: shown)
      print("the digits that the watch shows were typed:", shown.count == 7)
    }
    print("the watch has the keys:", try await watch.encryption.confirmDigits())
    let onWatch = ContactBook(database: watch.privateCloudDatabase, zoneID: secretsID)
    try await onWatch.refresh()
    print("the watch reads", await onWatch.contact(named: "Joan")?.phoneNumber ?? "nothing")
  }

  // MARK: Starting over with encryption

  private func replaceData(on tablet: CKContainer) async throws {
    chapter("A user who starts over")
    try await tablet.encryption.reset(secretsID)
    do {
      try await secrets.refresh()
    } catch let error as CKError where error.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil {
      print("the zone is gone; the phone has its contacts, and sends them again")
      try await secrets.restore()
    }
    let afterwards = ContactBook(database: tablet.privateCloudDatabase, zoneID: secretsID)
    try await afterwards.refresh()
    print("the tablet reads", await afterwards.contact(named: "Joan")?.phoneNumber ?? "nothing")
  }

  // MARK: A sync engine

  private func syncByAnEngine() async throws {
    chapter("A book that a sync engine keeps the same")
    let clubID = CKRecordZone.ID(zoneName: "Club")
    let (phone, desk) = (SyncedBook(zoneID: clubID), SyncedBook(zoneID: clubID))
    await phone.start(with: ada.container.privateCloudDatabase, automatically: false)
    await desk.start(with: ada.container.privateCloudDatabase, automatically: false)
    for name in ["Ida", "Rosalind"] { await phone.add(name) }
    try await phone.sync()
    try await desk.sync()
    print("the desk gets", await desk.names.joined(separator: ", "))
    await phone.set("city", to: "Paris", ofContactNamed: "Ida")
    await desk.set("street", to: "Main Street", ofContactNamed: "Ida")
    await desk.remove(contactNamed: "Rosalind")
    for book in [phone, desk, phone] { try await book.sync() }
    let (street, city) = (
      await phone.text("street", ofContactNamed: "Ida"),
      await desk.text("city", ofContactNamed: "Ida")
    )
    print("both changed Ida, who lives in", street ?? "no street", "in", city ?? "no city")
    print("left is", await phone.names.joined(separator: ", "))
  }
}
