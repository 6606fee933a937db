import CloudKit
import CloudKitTesting
import ContactBook
import Testing

struct ContactBookTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Contacts")

  @Test func `Two devices of one person agree`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let phone = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    let laptop = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    try await phone.prepare()
    try await phone.add("Alan")
    try await laptop.refresh()
    try await laptop.add("Barbara")
    try await phone.refresh()
    #expect(await phone.names == ["Alan", "Barbara"])
    #expect(await laptop.names == ["Alan", "Barbara"])
  }

  @Test func `Changes of different fields on two devices are merged`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let phone = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    let laptop = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    try await phone.prepare()
    let alan = try await phone.add("Alan")
    try await laptop.refresh()
    let theirs = try #require(await laptop.contact(named: "Alan"))
    theirs.record["city"] = "London"
    try await laptop.save(theirs)
    alan.name = "Alan Turing"
    let merged = try await phone.save(alan)
    #expect(merged.name == "Alan Turing" && merged.record["city"] == "London")
  }

  @Test func `Contacts that another device deleted disappear at each fetch`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let phone = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    let laptop = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    try await phone.prepare()
    for name in ["Alan", "Barbara"] {
      try await phone.add(name)
      try await laptop.refresh()
      try await laptop.remove(try #require(await laptop.contact(named: name)))
      #expect(try await phone.refresh().deleted == 1)
      #expect(await phone.names.isEmpty)
    }
  }

  @Test func `Engines merge the changes of two devices`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let (phone, desk) = (SyncedBook(zoneID: zoneID), SyncedBook(zoneID: zoneID))
    for book in [phone, desk] {
      await book.start(with: ada.container.privateCloudDatabase, automatically: false)
    }
    await phone.add("Ida")
    for book in [phone, desk] { try await book.sync() }
    await phone.set("city", to: "Paris", ofContactNamed: "Ida")
    await desk.set("street", to: "Main Street", ofContactNamed: "Ida")
    for book in [phone, desk, phone] { try await book.sync() }
    for book in [phone, desk] {
      #expect(await book.text("city", ofContactNamed: "Ida") == "Paris")
      #expect(await book.text("street", ofContactNamed: "Ida") == "Main Street")
    }
  }

  @Test
  func
    `A contact that was changed here and deleted elsewhere is gone, and syncing comes to an end`()
    async throws
  {
    let ada = try await TestCloud().signIn("ada")
    let (phone, desk) = (SyncedBook(zoneID: zoneID), SyncedBook(zoneID: zoneID))
    for book in [phone, desk] {
      await book.start(with: ada.container.privateCloudDatabase, automatically: false)
    }
    await phone.add("Ida")
    for book in [phone, desk] { try await book.sync() }
    await phone.set("city", to: "Paris", ofContactNamed: "Ida")
    await desk.remove(contactNamed: "Ida")
    for book in [desk, phone] { try await book.sync() }
    #expect(await phone.names.isEmpty)
  }

  @Test func `Contacts survive a reset of encryption`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let (phone, desk) = (SyncedBook(zoneID: zoneID), SyncedBook(zoneID: zoneID))
    for book in [phone, desk] {
      await book.start(with: ada.container.privateCloudDatabase, automatically: false)
    }
    await phone.add("Ida")
    for book in [phone, desk] { try await book.sync() }
    try await ada.container.encryption.reset(zoneID)
    for book in [phone, desk, phone] { try await book.sync() }
    for book in [phone, desk] { #expect(await book.names == ["Ida"]) }
    let laptop = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    try await laptop.refresh()
    #expect(await laptop.names == ["Ida"])
  }

  @Test func `A recreated zone is fetched from the beginning`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let database = ada.container.privateCloudDatabase
    let (phone, laptop) = (
      ContactBook(database: database, zoneID: zoneID),
      ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    )
    try await phone.prepare()
    try await phone.add("Alan")
    try await laptop.refresh()
    _ = try await database.deleteRecordZone(withID: zoneID)
    try await phone.prepare()
    try await phone.add("Barbara")
    try await laptop.refresh()
    #expect(await laptop.names == ["Barbara"])
  }

  @Test func `An encrypted number is merged with another device's change`()
    async throws
  {
    let ada = try await TestCloud().signIn("ada")
    let phone = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    let laptop = ContactBook(database: ada.container.privateCloudDatabase, zoneID: zoneID)
    try await phone.prepare()
    let alan = try await phone.add("Alan")
    try await laptop.refresh()
    let theirs = try #require(await laptop.contact(named: "Alan"))
    theirs.record["city"] = "London"
    try await laptop.save(theirs)
    alan.phoneNumber = "555"
    let merged = try await phone.save(alan)
    #expect(merged.phoneNumber == "555" && merged.record["city"] == "London")
  }

  @Test func `An engine that syncs by itself fetches changes of another device`() async throws {
    let ada = try await TestCloud().signIn("ada")
    let (phone, desk) = (SyncedBook(zoneID: zoneID), SyncedBook(zoneID: zoneID))
    await desk.start(with: ada.container.privateCloudDatabase, automatically: true)
    await phone.start(with: ada.container.privateCloudDatabase, automatically: false)
    await phone.add("Ida")
    try await phone.sync()
    while await desk.names != ["Ida"] { await Task.yield() }
  }
}
