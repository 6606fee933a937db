import Foundation
import OwnerOnlyFiles
import TestSupport
import Testing

@Suite("A folder for secrets", .endsAtAll)
struct OwnerOnlyFolderTests {
  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "key store", remedyIfRead: "make new keys")

  private func open(_ path: String) throws -> OwnerOnlyFolder {
    try OwnerOnlyFolder(path, for: Self.purpose)
  }

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The description of the error that a closure throws.
  private func message(_ code: OwnerOnlyError.Code, _ body: () throws -> Void) throws -> String {
    let error = try #require(#expect(throws: OwnerOnlyError.self) { try body() })
    #expect(error.code == code)
    return error.message
  }

  @Test func `A folder is created with its parents for its owner alone`() throws {
    try withTemporaryDirectory { place in
      let path = place.path + "/one/two"
      let folder = try open(path)
      let lock = try folder.lock()
      try folder.replace("secret", with: [1, 2, 3])
      lock.unlock()
      #expect(try folder.read("secret") == [1, 2, 3])
      #expect(try folder.read("other") == nil)
      for (name, expected) in [("", 0o700), ("/secret", 0o600), ("/lock", 0o600)] {
        #expect(try mode(path + name) == expected, "\(name)")
      }
      #expect(try mode(place.path + "/one") == 0o700)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["lock", "secret"])
    }
  }

  @Test func `A folder that is removed during use is created again`() throws {
    try withTemporaryDirectory { place in
      let path = place.path + "/one/two"
      let (folder, other) = (try open(path), try open(path))
      try folder.replace("secret", with: [1])
      try FileManager.default.removeItem(atPath: place.path + "/one")
      #expect(try folder.read("secret") == nil && folder.stamp(of: "secret") == nil)
      let lock = try folder.lock()
      try folder.replace("secret", with: [2])
      lock.unlock()
      #expect(try folder.read("secret") == [2] && mode(path) == 0o700)
      // A process that only reads finds the new folder, too.
      #expect(try other.read("secret") == [2])
    }
  }

  @Test(.blockingThreads)
  func `After a folder was replaced, a waiting process locks the new one`() async throws {
    try await withTemporaryDirectory { place in
      let path = place.path + "/one"
      let former = try open(path).lock()
      let number = try #require(
        try FileManager.default.attributesOfItem(atPath: path + "/lock")[.systemFileNumber] as? Int)
      let waiting = Task.detached { try OwnerOnlyFolder(path, for: Self.purpose).lock() }
      // The system reports which process waits for which file's lock.
      try await yields(
        while: try !String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
          .contains {
            $0.contains("-> FLOCK") && $0.contains(":\(number) ")
          })
      try FileManager.default.removeItem(atPath: path)
      former.unlock()
      let lock = try await waiting.value
      #expect(FileManager.default.fileExists(atPath: path + "/lock"))
      lock.unlock()
    }
  }

  @Test(arguments: [0o750, 0o701, 0o770, 0o777])
  func `A folder that others can read is refused`(_ mode: Int) throws {
    try withTemporaryDirectory { place in
      let path = place.path + "/keys"
      _ = try open(path)
      try setMode(mode, path)
      let output = try message(.notPrivate) { _ = try open(path) }
      #expect(
        output.contains("mode \(String(mode, radix: 8))") && output.contains("chmod 700 \(path)"))
      #expect(output.contains("make new keys"))
      #expect(try self.mode(path) == mode, "A mode that is too wide is not corrected.")
    }
  }

  @Test(arguments: [0o640, 0o604, 0o620])
  func `A file that others can read or write is refused`(_ mode: Int) throws {
    try withTemporaryDirectory { place in
      let folder = try open(place.path + "/keys")
      try folder.replace("secret", with: [1])
      try setMode(mode, folder.path(of: "secret"))
      #expect(try message(.notPrivate) { _ = try folder.read("secret") }.contains("chmod 600"))
    }
  }

  @Test func `Symbolic links and files with a second name are refused`() throws {
    try withTemporaryDirectory { place in
      let (real, link) = (place.path + "/real", place.path + "/link")
      let folder = try open(real)
      try folder.replace("secret", with: [1])
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
      #expect(try message(.notPrivate) { _ = try open(link) }.contains("symbolic link"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(of: "other"), withDestinationPath: folder.path(of: "secret"))
      #expect(try message(.notPrivate) { _ = try folder.read("other") }.contains("symbolic link"))
      try FileManager.default.linkItem(
        atPath: folder.path(of: "secret"), toPath: place.path + "/second")
      #expect(
        try message(.notPrivate) { _ = try folder.read("secret") }
          .contains("not a regular file with a single name"))
    }
  }

  @Test func `A system error is reported`() throws {
    try withTemporaryDirectory { place in
      let file = place.path + "/file"
      #expect(FileManager.default.createFile(atPath: file, contents: nil))
      let wrongKind = try message(.notPrivate) { _ = try open(file) }
      #expect(wrongKind.contains("not a folder"))
      let below = try message(.unavailable) { _ = try open(file + "/below") }
      #expect(below.contains("key store could not make the folder"))
    }
  }

  @Test func `A new version of a file has another stamp`() throws {
    try withTemporaryDirectory { place in
      let folder = try open(place.path + "/keys")
      let none = try OwnerOnlyFolder(ifThere: place.path + "/none", for: Self.purpose)
      #expect(none == nil)
      #expect(try folder.stamp(of: "secret") == nil)
      try folder.replace("secret", with: [1])
      let first = try folder.stamp(of: "secret")
      #expect(first != nil)
      #expect(try folder.stamp(of: "secret") == first)
      try folder.replace("secret", with: [2])
      #expect(try folder.stamp(of: "secret") != first)
    }
  }

  @Test func `Files are listed, and removing a missing file is allowed`() throws {
    try withTemporaryDirectory { place in
      let folder = try open(place.path + "/one")
      #expect(try folder.names().isEmpty)
      let lock = try folder.lock()
      for name in ["first", "second"] { try folder.replace(name, with: [1]) }
      #expect(try folder.names().sorted() == ["first", "lock", "second"])
      try folder.remove("first")
      try folder.remove("first")
      lock.unlock()
      #expect(try folder.names().sorted() == ["lock", "second"])
      #expect(
        try folder.names().sorted() == ["lock", "second"],
        "A listing starts at the beginning, not where the previous one ended.")
    }
  }

  @Test func `An unfinished file is replaced, and files that were set aside are kept`() throws {
    try withTemporaryDirectory { place in
      let folder = try open(place.path + "/keys")
      #expect(
        FileManager.default.createFile(
          atPath: folder.path(of: "secret.unfinished"), contents: Data([9])))
      for byte in UInt8(1)...2 {
        try folder.replace("secret", with: [byte])
        #expect(try folder.setAside("secret") == folder.path(of: "secret.damaged-\(byte)"))
        #expect(try folder.read("secret") == nil)
        #expect(try folder.read("secret.damaged-\(byte)") == [byte])
      }
    }
  }
}
