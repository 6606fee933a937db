import CloudKitClient
import CloudRecords
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Credential stores")
struct CredentialStoreTests {
  static let place = address("iCloud.com.example.notes")

  static func address(_ container: String, _ environment: CloudEnvironment = .production)
    -> CloudAddress
  {
    CloudAddress(
      server: "https://cloud.example.com",
      container: ContainerAddress(container: container, environment: environment))
  }

  static func account(_ name: String, _ token: String) -> StoredAccounts.Account {
    StoredAccounts.Account(userRecordName: name, name: "Name of \(name)", webAuthToken: token)
  }

  enum Kind: CaseIterable { case memory, folder }

  /// Passes a function that opens the store.
  ///
  /// In memory it is always the same store.
  private func withStore(_ kind: Kind, _ body: (() -> any CredentialStore) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let memory = MemoryCredentialStore()
      try body {
        switch kind {
        case .memory: memory
        case .folder: FolderCredentialStore(path: folder.path + "/accounts")
        }
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `A store keeps the accounts of each container and the current one`(_ kind: Kind) throws {
    try withStore(kind) { open in
      let store = open()
      #expect(try store.accounts(at: Self.place) == StoredAccounts())
      try store.update(Self.place) { accounts in
        accounts.signIn(Self.account("_a", "1"))
        accounts.signIn(Self.account("_b", "2"))
        accounts.signIn(Self.account("_a", "3"))
      }
      let kept = try open().accounts(at: Self.place)
      #expect(kept.accounts == [Self.account("_a", "3"), Self.account("_b", "2")])
      #expect(kept.currentAccount == Self.account("_a", "3"))
      for other in [
        Self.address("iCloud.other"), Self.address("iCloud.com.example.notes", .development),
      ] {
        #expect(try open().accounts(at: other) == StoredAccounts())
      }
      try store.update(Self.place) { $0.signOut("_a") }
      let rest = try open().accounts(at: Self.place)
      #expect(rest.accounts.map(\.userRecordName) == ["_b"] && rest.current == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func `Changes are atomic and have a new version stamp`(_ kind: Kind) throws {
    try withStore(kind) { open in
      let (store, other) = (open(), open())
      let first = try store.stamp(of: Self.place)
      try other.update(Self.place) { $0.signIn(Self.account("_a", "1")) }
      let second = try store.stamp(of: Self.place)
      #expect(first != second)
      let failure = CKError(.unknownItem, "No.")
      #expect(throws: failure) {
        try store.update(Self.place) { accounts throws(CKError) in
          accounts.signOut("_a")
          throw failure
        }
      }
      try store.update(Self.place) { $0.signIn(Self.account("_a", "1")) }
      #expect(try store.stamp(of: Self.place) == second, "An unchanged account is not written.")
      #expect(try store.accounts(at: Self.place).accounts.count == 1)
    }
  }

  @Test(arguments: Kind.allCases)
  func `A renewed token is kept unless another process changed the account`(_ kind: Kind) throws {
    try withStore(kind) { open in
      let store = open()
      func token() throws -> String? {
        try store.accounts(at: Self.place).account("_a")?.webAuthToken
      }
      try store.update(Self.place) { $0.signIn(Self.account("_a", "1")) }
      try store.update(Self.place) { $0.renew(.account("_a"), ["1", "2"]) }
      #expect(try token() == "2")
      try store.update(Self.place) { $0.renew(.account("_a"), ["1", "2", "3", "4"]) }
      #expect(try token() == "4")
      // The user signed in again, and later out.
      try store.update(Self.place) { $0.signIn(Self.account("_a", "new")) }
      try store.update(Self.place) { $0.renew(.account("_a"), ["3", "4", "5"]) }
      #expect(try token() == "new")
      try store.update(Self.place) { $0.signOut("_a") }
      try store.update(Self.place) { $0.renew(.account("_a"), ["new", "6"]) }
      #expect(try token() == nil)
    }
  }

  @Test func `Only the newest eight successors of configured tokens are kept`() {
    func accounts(_ tokens: ClosedRange<Int>) -> StoredAccounts {
      var accounts = StoredAccounts()
      for number in tokens { accounts.renew(.configured("\(number)"), ["old", "new"]) }
      return accounts
    }
    #expect(accounts(1...10) == accounts(3...10))
    #expect(accounts(3...10) != accounts(4...10))
  }

  @Test func `Requests use the successor of a configured token`() {
    var accounts = StoredAccounts()
    let given = CloudCredentials.user(apiToken: "t", webAuthToken: "first")
    let digest = CallerResolution(given, StoredAccounts()).key
    #expect(CallerResolution(given, StoredAccounts()).credentials.webAuthToken == "first")
    if let digest { accounts.renew(digest, ["first", "second"]) }
    #expect(
      CallerResolution(given, accounts).credentials == .user(apiToken: "t", webAuthToken: "second"))
    let other = CloudCredentials.user(apiToken: "t", webAuthToken: "other")
    #expect(CallerResolution(other, accounts).credentials == other)
  }

  @Test func `A store decides which account makes requests`() {
    var accounts = StoredAccounts()
    accounts.signIn(Self.account("_a", "1"))
    let program = CloudCredentials.program(apiToken: "t")
    #expect(
      CallerResolution(program, accounts).credentials == .user(apiToken: "t", webAuthToken: "1"))
    #expect(CallerResolution(program, accounts).userRecordName == "_a")
    #expect(CallerResolution(program, StoredAccounts()).credentials == program)
    let key = CloudCredentials.serverKey(identifier: "k", privateKey: "pem")
    for alone in [CloudCredentials.none, key] {
      let choice = CallerResolution(alone, accounts)
      #expect(choice.credentials == alone && choice.key == nil)
    }
  }
}

@Suite("Account folders")
struct FolderCredentialStoreTests {
  private static let place = CredentialStoreTests.place

  /// The only file with accounts.
  private func file(_ folder: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasSuffix(".json")
    }
    #expect(names.count == 1)
    return folder + "/" + (names.first ?? "")
  }

  private func signedIn(_ folder: String) throws -> FolderCredentialStore {
    let store = FolderCredentialStore(path: folder)
    try store.update(Self.place) { $0.signIn(CredentialStoreTests.account("_a", "secret")) }
    return store
  }

  @Test func `The first sign-in makes a folder for its owner alone`() throws {
    try withTemporaryDirectory { place in
      let folder = place.path + "/data/accounts"
      let store = FolderCredentialStore(path: folder)
      #expect(try store.accounts(at: Self.place) == StoredAccounts())
      #expect(try store.stamp(of: Self.place) == .nothing)
      #expect(!FileManager.default.fileExists(atPath: place.path + "/data"))
      _ = try signedIn(folder)
      for (path, mode) in [(folder, 0o700), (try file(folder), 0o600)] {
        let found =
          try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(found == mode, "\(path)")
      }
      #expect(try store.accounts(at: Self.place).current == "_a")
    }
  }

  @Test func `A folder that other users can read is rejected`() throws {
    try withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      _ = try signedIn(folder)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: try file(folder))
      let one = #expect(throws: CKError.self) {
        try FolderCredentialStore(path: folder).accounts(at: Self.place)
      }
      #expect(
        one?.code == .permissionFailure && one?.localizedDescription.contains("chmod 600") == true)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
      let all = #expect(throws: CKError.self) {
        try FolderCredentialStore(path: folder).accounts(at: Self.place)
      }
      #expect(
        all?.code == .permissionFailure && all?.localizedDescription.contains("chmod 700") == true)
    }
  }

  @Test(arguments: [
    "", "{", "{}", "[1]", "\u{0}\u{0}", #"{"version":1,"accounts":[{"userRecordName":"_a"}]}"#,
  ])
  func `Damage is reported for as long as it lasts, and damaged files are kept`(_ text: String)
    throws
  {
    try withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      let store = try signedIn(folder)
      let file = try file(folder)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      for _ in 0..<2 {
        let error = #expect(throws: CKError.self) { try store.accounts(at: Self.place) }
        #expect(error?.code == .internalError && error?.localizedDescription.contains(file) == true)
        // A program that has not read the file cannot change it either.
        #expect(throws: CKError.self) { try store.update(Self.place) { $0.signOut("_a") } }
      }
      #expect(FileManager.default.contents(atPath: file) == Data(text.utf8))
      let aside = file + ".damaged-1"
      #expect(try store.moveDamagedFileAside(at: Self.place) == aside)
      #expect(FileManager.default.contents(atPath: aside) == Data(text.utf8))
      #expect(try store.moveDamagedFileAside(at: Self.place) == nil)
      #expect(try store.accounts(at: Self.place) == StoredAccounts())
      try store.update(Self.place) { $0.signIn(CredentialStoreTests.account("_a", "2")) }
      #expect(try store.accounts(at: Self.place).current == "_a")
    }
  }

  @Test func `Files of later versions and of other containers stay unchanged`() throws {
    try withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      let store = try signedIn(folder)
      let file = try file(folder)
      let written = try #require(FileManager.default.contents(atPath: file))
      let later = String(decoding: written, as: UTF8.self).replacing(
        #""version":1"#, with: #""version":2"#)
      try Data(later.utf8).write(to: URL(fileURLWithPath: file))
      let error = #expect(throws: CKError.self) {
        try store.update(Self.place) { $0.signOut("_a") }
      }
      #expect(error?.code == .incompatibleVersion)
      #expect(FileManager.default.contents(atPath: file) == Data(later.utf8))
      let foreign = String(decoding: written, as: UTF8.self).replacing(
        "example.notes", with: "example.other")
      try Data(foreign.utf8).write(to: URL(fileURLWithPath: file))
      let other = #expect(throws: CKError.self) { try store.accounts(at: Self.place) }
      #expect(other?.localizedDescription.contains("another container") == true)
    }
  }

  @Test func `The former accounts remain if a process ends while it writes`() throws {
    try withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      let store = try signedIn(folder)
      let unfinished = try file(folder) + ".unfinished"
      #expect(FileManager.default.createFile(atPath: unfinished, contents: Data("{\"vers".utf8)))
      #expect(try FolderCredentialStore(path: folder).accounts(at: Self.place).current == "_a")
      try store.update(Self.place) { $0.signOut("_a") }
      #expect(try FolderCredentialStore(path: folder).accounts(at: Self.place).current == nil)
      #expect(!FileManager.default.fileExists(atPath: unfinished))
    }
  }

  @Test func `Concurrent changes are all kept`() async throws {
    try await withTemporaryDirectory { place in
      let folder = place.path + "/accounts"
      try await withThrowingTaskGroup { group in
        for writer in 0..<4 {
          group.addTask {
            // Each store has its own descriptors, like a process.
            let store = FolderCredentialStore(path: folder)
            for number in 0..<10 {
              try store.update(Self.place) {
                $0.signIn(CredentialStoreTests.account("_\(writer)-\(number)", "t"))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try FolderCredentialStore(path: folder).accounts(at: Self.place).accounts.count == 40)
    }
  }
}
