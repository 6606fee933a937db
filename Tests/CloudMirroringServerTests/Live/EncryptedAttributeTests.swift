import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import TestSupport
import Testing

/// Two devices of a user that mirror an encrypted attribute.
///
/// The second one has no keys at first.
@Suite("Encrypted attributes", .endsAtAll)
struct EncryptedAttributeTests {
  static func model() -> NSManagedObjectModel {
    let model = AddressBook.model()
    model.entitiesByName["Person"]?.attributesByName["email"]?.allowsCloudEncryption = true
    return model
  }

  private func blocker(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker?
  {
    do { try await device.sync() } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker
    }
    // Only the state reports unreadable values.
    return device.container.syncState.blocker
  }

  private func withDevices(_ body: (Device, Device) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await body(one, other)
      #expect(cloud.serverErrors.isEmpty)
      try one.close()
      try other.close()
    }
  }

  @Test func `Plain values sync without keys, and encrypted ones once the keys are there`()
    async throws
  {
    try await withDevices { one, other in
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await one.add("Town", ["name": "London"])
      try await one.sync()
      try await other.add("Person", ["name": "Bob"])
      try await other.add("Person", ["name": "Cyd", "email": "cyd@example.com"])
      let found = try #require(try await blocker(other))
      #expect(found.code == .keysMissing && found.code.rawValue == "keys-missing")
      #expect(found.remedy.contains("recover(with:)"))
      #expect(
        other.container.syncState.blocker?.code == .keysMissing
          && !other.container.syncState.isUpToDate)
      #expect(try await other.names() == ["Bob", "Cyd"])
      #expect(try await other.text().contains { $0.hasPrefix("Town") })
      try await one.sync()
      #expect(try await one.names() == ["Ada", "Bob"])
      // The first device made the keys itself, so its code is available.
      let code = try #require(try await one.encryption.recoveryCode())
      try await other.encryption.recover(with: code)
      try await other.sync()
      try await one.sync()
      #expect(try await one.names() == ["Ada", "Bob", "Cyd"])
      #expect(try await one.text() == other.text())
      #expect(other.container.syncState.isUpToDate && other.container.syncState.blocker == nil)
    }
  }

  @Test func `Records that cannot be sealed do not hold up others`() async throws {
    try await withDevices { one, other in
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await one.sync()
      for number in 0..<8 {
        try await other.add("Person", ["name": "Cyd \(number)", "email": "cyd@example.com"])
      }
      try await other.add("Person", ["name": "Dan"])
      #expect(try await blocker(other)?.code == .keysMissing)
      try await one.sync()
      #expect(try await one.names() == ["Ada", "Dan"])
      try await other.encryption.recover(
        with: try #require(try await one.encryption.recoveryCode()))
      for device in [other, one] { try await device.sync() }
      #expect(try await one.names().count == 10)
      #expect(try await one.text() == other.text())
    }
  }

  @Test func `Changes to an unreadable record are merged once it can be read`() async throws {
    try await withDevices { one, other in
      try await one.add("Person", ["name": "Ada"])
      try await one.sync()
      try await other.sync()
      try await one.change("Ada", ["email": "ada@example.com"])
      try await one.sync()
      try await other.change("Ada", ["age": 36])
      for _ in 0..<2 { #expect(try await blocker(other)?.code == .keysMissing) }
      #expect(try await other.value("Ada", "email") == "nil")
      try await other.encryption.recover(
        with: try #require(try await one.encryption.recoveryCode()))
      try await other.sync()
      try await one.sync()
      for device in [one, other] {
        #expect(try await device.value("Ada", "age") == "36")
        #expect(try await device.value("Ada", "email") == "ada@example.com")
        #expect(try device.container.conflicts().isEmpty)
      }
      #expect(try await one.text() == other.text())
    }
  }

  @Test func `A record that a full listing cannot read is not deleted`() async throws {
    try await withDevices { one, other in
      for name in ["Ada", "Bob"] { try await one.add("Person", ["name": name]) }
      try await one.sync()
      try await other.sync()
      try await one.change("Ada", ["email": "ada@example.com"])
      try await one.delete("Bob")
      try await one.sync()
      #expect(await other.engine.run(.reset(.tokens)).failure == nil)
      #expect(try await blocker(other)?.code == .keysMissing)
      #expect(try await other.names() == ["Ada"])
    }
  }

  /// A text of several pieces that does not occur by chance.
  private static let secret = "The secret of the " + String(repeating: "sesame", count: 400_000)

  /// The paths and bytes of all files on the server.
  private func files(of cloud: TestCloud) throws -> [(path: String, bytes: Data)] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: cloud.filesFolder).map {
      cloud.filesFolder + "/" + $0
    }
    return paths.compactMap { path in FileManager.default.contents(atPath: path).map { (path, $0) }
    }
  }

  @Test func `The file of a long value is sealed, and a device with the keys reads it`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada", "email": Self.secret])
      try await one.add(
        "Person", ["name": "Bob", "photo": Data("sesame".utf8) + Data(count: 800_000)])
      try await one.sync()
      let sealed = try files(of: cloud).filter { $0.bytes.count > 2_000_000 }
      #expect(sealed.count == 1)
      // A program that saves the record uploads the file sealed, too.
      let shown = try #require(one.container.record(for: try await one.person("Ada")))
      #expect((shown["CD_email_ckAsset"] as CKAsset?)?.isSealed == true)
      #expect(
        try files(of: cloud).filter { $0.bytes.range(of: Data("sesame".utf8)) != nil }.count == 1)
      #expect(try await blocker(other)?.code == .keysMissing)
      #expect(try await other.names() == ["Bob"])
      try await other.encryption.recover(
        with: try #require(try await one.encryption.recoveryCode()))
      try await other.sync()
      #expect(try await other.value("Ada", "email") == Self.secret)
      try await other.change("Ada", ["email": Self.secret + "!"])
      for device in [other, one, other] { try await device.sync() }
      #expect(try await one.value("Ada", "email") == Self.secret + "!")
      #expect(try await one.text() == other.text())
      #expect(cloud.serverErrors.isEmpty)
      try one.close()
      try other.close()
    }
  }

  @Test func `Plain files and values and truncated sealed files are not trusted`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada", "email": Self.secret])
      try await one.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
      let name = try #require(one.container.recordID(for: try await one.person("Ada")))
      let saved = try await database.record(for: name)
      let file = try #require((saved["CD_email_ckAsset"] as CKAsset?)?.fileURL)
      // The file is deleted with the record.
      let bytes = try withExtendedLifetime(saved) { try Data(contentsOf: file) }
      #expect(bytes.starts(with: Data("parhelion.file.1".utf8)))
      func save(_ bytes: Data, _ name: String) async throws {
        let file = folder.appendingPathComponent(UUID().uuidString)
        try bytes.write(to: file)
        let record = CKRecord(
          recordType: "CD_Person", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
        (record["CD_entityName"], record["CD_name"]) = ("Person", name)
        record["CD_email_ckAsset"] = CKAsset(fileURL: file)
        try await database.save(record)
      }
      try await save(Data(Self.secret.utf8), "Plain")
      let plainFile = try #require(try await blocker(one))
      #expect(
        plainFile.code == .unreadableValue && plainFile.message.contains("was not sealed"),
        "\(plainFile)")
      #expect(try await one.value("Plain", "email") == "nil")
      // Ada's record with another address in plain text.
      let forged = try await database.record(for: name)
      forged["CD_email_ckAsset"] = nil as CKAsset?
      forged["CD_email"] = "forged@example.com"
      try await database.save(forged)
      #expect(try await blocker(one)?.code == .unreadableValue)
      #expect(try await one.value("Ada", "email") == Self.secret)
      // Only the first chunk, another record's file, only the header, and a part of the header.
      let length = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
      for (name, part) in [
        ("Cut", bytes.prefix(36 + length)), ("Other", bytes), ("Empty", bytes.prefix(32)),
        ("Unnamed", bytes.prefix(20)),
      ] {
        try await save(Data(part), name)
        #expect(try await blocker(one)?.code == .unreadableRecord, "\(name)")
      }
      #expect(try await one.names() == ["Ada", "Plain"])
      try one.close()
    }
  }

  @Test func `A store with values sealed by devices does not leave encryption to the server`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await one.sync()
      try one.close()
      let again = try await Device(
        cloud.signIn("ada"), in: folder, model: Self.model(), file: one.file,
        encryptedValues: .server)
      try await again.add("Person", ["name": "Bob", "email": "bob@example.com"])
      let found = try #require(try await blocker(again))
      #expect(found.code == .notConfigured && found.message.contains("encryptedValues"), "\(found)")
      try again.close()
      // A new store may do so.
      let elsewhere = try await TestCloud()
      let other = try await Device(
        elsewhere.signIn("bob"), in: folder, model: Self.model(), encryptedValues: .server)
      try await other.add("Person", ["name": "Bob", "email": "bob@example.com"])
      #expect(try await blocker(other) == nil)
      try other.close()
    }
  }

  @Test func `A store in which no value was sealed may leave encryption to the server`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada"])
      try await one.sync()
      try one.close()
      func reopen(_ encryptedValues: CKContainer.Configuration.EncryptedValues) async throws
        -> Device
      {
        try await Device(
          cloud.signIn("ada"), in: folder, model: Self.model(), file: one.file,
          encryptedValues: encryptedValues)
      }
      let again = try await reopen(.server)
      try await again.change("Ada", ["email": "ada@example.com"])
      #expect(try await blocker(again) == nil)
      try again.close()
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: Self.model(), encryptedValues: .server)
      try await other.sync()
      #expect(try await other.value("Ada", "email") == "ada@example.com")
      try other.close()
    }
  }

  @Test func `A store that has received sealed values does not leave encryption to the server`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await one.sync()
      // One device reads the values, and the other one has no keys.
      let (reader, other) = (
        try await Device(cloud.signIn("ada"), in: folder, model: Self.model()),
        try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      )
      try await reader.encryption.recover(
        with: try #require(try await one.encryption.recoveryCode()))
      try await reader.sync()
      #expect(try await blocker(other)?.code == .keysMissing)
      for device in [one, reader, other] { try device.close() }
      for device in [reader, other] {
        let again = try await Device(
          cloud.signIn("ada"), in: folder, model: Self.model(), file: device.file,
          encryptedValues: .server)
        #expect(try await blocker(again)?.code == .notConfigured)
        try again.close()
      }
    }
  }

  /// Runs in its own process, in which no other test has bound a container.
  @Test func `A container that is bound after its stores reports whether values are sealed`() async
  {
    await #expect(processExitsWith: .success) {
      try await EncryptedAttributeTests().bindLate()
    }
  }

  private func bindLate() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      // A program with an earlier model writes the value in plain text, which devices that seal do
      // not trust.
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await other.sync()
      let container = NSPersistentCloudKitContainer(name: "Late", managedObjectModel: Self.model())
      let description = NSPersistentStoreDescription(
        url: folder.appendingPathComponent("Late.sqlite"))
      description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
        containerIdentifier: cloud.container)
      container.persistentStoreDescriptions = [description]
      try await container.loadPersistentStores()
      for await state in container.syncStates where state.blocker?.code == .notConfigured { break }
      let device = try await cloud.signIn("ada")
      ContainerRegistry.shared.bind(
        CKContainer.Configuration(
          containerIdentifier: cloud.container, server: try #require(URL(string: cloud.address)),
          credentials: .user(
            apiToken: device.apiToken, webAuthToken: try #require(device.webAuthToken)),
          encryptedValues: .server),
        transport: device.transport)
      try await container.sync()
      let email = try await container.performBackgroundTask { context in
        try context.person("Ada").value(forKey: "email") as? String
      }
      #expect(email == "ada@example.com")
      #expect(container.syncState.blocker == nil)
      try other.close()
    }
  }

  @Test func `A device that mirrors automatically continues as soon as it has the keys`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await one.sync()
      let other = try await Device(
        cloud.signIn("ada"), in: folder, isAutomatic: true, model: Self.model())
      for await state in other.container.syncStates where state.blocker?.code == .keysMissing {
        break
      }
      try await other.encryption.recover(
        with: try #require(try await one.encryption.recoveryCode()))
      for await state in other.container.syncStates where state.isUpToDate { break }
      #expect(try await other.value("Ada", "email") == "ada@example.com")
      try one.close()
      try other.close()
    }
  }
}

extension Device {
  /// The user's keys on this device.
  fileprivate var encryption: CKContainer.Encryption { engine.mirror.container.encryption }
}
