import CloudEncryption
import CloudRecords
import Cryptography
import EncryptionTestSupport
import Foundation
import TestSupport
import Testing

@Suite struct `Key stores` {
  static let account = EncryptionAccount(container: ContainerAddress.test, userRecordName: "_ada")

  private static func person(_ name: String) -> KnownPerson {
    KnownPerson(
      UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: name).identity,
      pinned: KnownPerson.Moment(time: Timestamp(milliseconds: 1), device: "laptop"))
  }

  private func withStores(_ body: (any KeyStore) throws -> Void) throws {
    try body(MemoryKeyStore())
    try withTemporaryDirectory { folder in
      try body(FolderKeyStore(path: folder.appendingPathComponent("a/b/keys").path))
    }
  }

  // MARK: Every store

  @Test func `A store keeps values for each account`() throws {
    try withStores { store in
      let bob = Self.person("_bob")
      #expect(try store.keys(of: Self.account).people.isEmpty)
      try store.update(Self.account) { $0.people["_bob"] = bob }
      #expect(try store.keys(of: Self.account).people == ["_bob": bob])
      for other in [
        EncryptionAccount(container: ContainerAddress.test, userRecordName: "_eve"),
        EncryptionAccount(
          container: ContainerAddress(container: "iCloud.test", environment: .production),
          userRecordName: "_ada"),
        EncryptionAccount(
          container: ContainerAddress(container: "iCloud.other", environment: .development),
          userRecordName: "_ada"),
      ] {
        #expect(try store.keys(of: other).people.isEmpty)
      }
    }
  }

  @Test func `A failed change stores nothing`() throws {
    try withStores { store in
      try store.update(Self.account) { $0.people["_bob"] = Self.person("_bob") }
      #expect(
        refusal {
          try store.update(Self.account) { (keys) throws(EncryptionError) in
            keys.people = [:]
            throw EncryptionError(.busy, "as the test wants it")
          }
        } == "busy")
      #expect(try store.keys(of: Self.account).people.count == 1)
    }
  }

  // MARK: Folders

  /// A folder with the keys of one account.
  private func withFolder(_ body: (_ folder: String, _ file: String) throws -> Void) throws {
    try withTemporaryDirectory { parent in
      let folder = parent.appendingPathComponent("keys").path
      try FolderKeyStore(path: folder).update(Self.account) {
        $0.people["_bob"] = Self.person("_bob")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.hasSuffix(".keys")
      }
      try body(folder, "\(folder)/\(try #require(names.first))")
    }
  }

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
      & 0o777
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func use(_ folder: String) -> String? {
    refusal { _ = try FolderKeyStore(path: folder).keys(of: Self.account) }
  }

  @Test func `Only the owner can read a store`() throws {
    try withFolder { folder, file in
      let modes = try [folder, file, folder + "/lock"].map(mode)
      #expect(modes == [0o700, 0o600, 0o600])
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count == 2)
    }
  }

  @Test(arguments: [0o710, 0o701, 0o740, 0o704, 0o720, 0o702, 0o755, 0o777])
  func `A folder that others can read is rejected`(wrong: Int) throws {
    try withFolder { folder, _ in
      try setMode(wrong, folder)
      #expect(use(folder) == "storeNotPrivate")
      let error = #expect(throws: EncryptionError.self) { try FolderKeyStore(path: folder) }
      #expect(error?.message.contains("chmod 700 \(folder)") == true)
    }
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666])
  func `A file that others can read is rejected`(wrong: Int) throws {
    try withFolder { folder, file in
      try setMode(wrong, file)
      #expect(use(folder) == "storeNotPrivate")
      #expect(
        refusal { try FolderKeyStore(path: folder).update(Self.account) { _ in } }
          == "storeNotPrivate")
    }
  }

  @Test func `Links and pipes are rejected`() throws {
    let files = FileManager.default
    try withFolder { folder, file in
      let linked = folder + "-linked"
      try files.createSymbolicLink(atPath: linked, withDestinationPath: folder)
      #expect(use(linked) == "storeNotPrivate")
      // A second name of the file, through which other users could reach it.
      try files.linkItem(atPath: file, toPath: folder + "-second")
      #expect(use(folder) == "storeNotPrivate")
      try files.removeItem(atPath: folder + "-second")
      #expect(use(folder) == nil)
      try files.moveItem(atPath: file, toPath: file + "-moved")
      try files.createSymbolicLink(atPath: file, withDestinationPath: file + "-moved")
      #expect(use(folder) == "storeNotPrivate")
      try files.removeItem(atPath: file)
      #expect(mkfifo(file, 0o600) == 0)
      #expect(use(folder) == "storeNotPrivate")
    }
  }

  @Test(arguments: [2, 3] as [UInt8]) func `Another version's store is rejected`(
    version: UInt8
  ) throws {
    try withFolder { folder, file in
      var bytes = Array([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))).dropLast(32))
      bytes[1] = version
      var digest = Digest(.sha256)
      digest.update(bytes)
      try Data(bytes + digest.finish()).write(to: URL(fileURLWithPath: file))
      let error = #expect(throws: EncryptionError.self) {
        try FolderKeyStore(path: folder).keys(of: Self.account)
      }
      #expect(error?.code == .storeOfLaterVersion)
      #expect(error?.message.contains("form \(version), and this version reads form 1") == true)
    }
  }

  @Test func `A planted link is not written through`() throws {
    let files = FileManager.default
    try withFolder { folder, file in
      let victim = folder + "-victim"
      try "unharmed".write(toFile: victim, atomically: false, encoding: .utf8)
      try files.createSymbolicLink(atPath: file + ".unfinished", withDestinationPath: victim)
      try FolderKeyStore(path: folder).update(Self.account) { $0.people = [:] }
      try files.removeItem(atPath: folder + "/lock")
      try files.createSymbolicLink(atPath: folder + "/lock", withDestinationPath: victim)
      #expect(
        refusal { try FolderKeyStore(path: folder).update(Self.account) { _ in } }
          == "storeNotPrivate")
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == "unharmed")
    }
  }

  /// Only root can give a file to another user.
  @Test(.enabled(if: geteuid() == 0), arguments: [true, false])
  func `Another user's store is rejected`(isFolder: Bool) throws {
    try withFolder { folder, file in
      try FileManager.default.setAttributes(
        [.ownerAccountID: 65_534], ofItemAtPath: isFolder ? folder : file)
      #expect(use(folder) == "storeNotPrivate")
    }
  }

  @Test func `A store that is not a folder or cannot be created is rejected`() throws {
    try withFolder { _, file in
      #expect(use(file) == "storeNotPrivate")
      #expect(use(file + "/keys") == "storeUnavailable")
    }
  }

  @Test func `A store survives a process that ended while it wrote`() throws {
    try withFolder { folder, file in
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file + ".unfinished"))
      let store = try FolderKeyStore(path: folder)
      #expect(try store.keys(of: Self.account).people.count == 1)
      try store.update(Self.account) { $0.people["_eve"] = Self.person("_eve") }
      #expect(try store.keys(of: Self.account).people.count == 2)
      #expect(!FileManager.default.fileExists(atPath: file + ".unfinished"))
    }
  }

  @Test func `A damaged store gives an error and no keys`() throws {
    var generator = SeededGenerator.forTest()
    try withFolder { folder, file in
      let whole = try Data(contentsOf: URL(fileURLWithPath: file))
      let store = try FolderKeyStore(path: folder)
      func write(_ data: Data) throws {
        let handle = try #require(FileHandle(forWritingAtPath: file))
        defer { try? handle.close() }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
      }
      for place in whole.indices {
        var changed = whole
        changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        try write(changed)
        #expect(
          refusal { _ = try store.keys(of: Self.account) } == "storeDamaged",
          "\(generator) \(place)")
        try write(whole.prefix(place))
        #expect(refusal { _ = try store.keys(of: Self.account) } == "storeDamaged", "\(place)")
      }
      #expect(refusal { try store.update(Self.account) { _ in } } == "storeDamaged")
      try write(whole)
      #expect(try store.keys(of: Self.account).people.count == 1)
    }
  }

  @Test func `The store of another account is rejected`() throws {
    try withFolder { folder, file in
      let eve = EncryptionAccount(container: ContainerAddress.test, userRecordName: "_eve")
      try FolderKeyStore(path: folder).update(eve) { _ in }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.hasSuffix(".keys")
      }
      let other = try #require(names.map { "\(folder)/\($0)" }.first { $0 != file })
      try FileManager.default.removeItem(atPath: other)
      try FileManager.default.moveItem(atPath: file, toPath: other)
      #expect(refusal { _ = try FolderKeyStore(path: folder).keys(of: eve) } == "storeDamaged")
    }
  }

  @Test(.blockingThreads) func `Concurrent changes of a key store lose nothing`() async throws {
    try await withTemporaryDirectory { parent in
      let folder = parent.appendingPathComponent("keys").path
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            // A separate store, like another process's.
            let store = try FolderKeyStore(path: folder)
            for number in 0..<10 {
              let name = "_\(writer)-\(number)"
              try store.update(Self.account) { $0.people[name] = Self.person(name) }
              for _ in 0..<5 { #expect(try store.keys(of: Self.account).people[name] != nil) }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try FolderKeyStore(path: folder).keys(of: Self.account).people.count == 40)
    }
  }
}
