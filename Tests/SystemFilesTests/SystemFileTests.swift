import Foundation
import SystemFiles
import TestSupport
import Testing

struct SystemFileTests {
  /// The system failure of a file operation.
  private func failure<Value: ~Copyable>(_ body: () throws(SystemFailure) -> Value)
    -> SystemFailure?
  {
    do throws(SystemFailure) {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `Written bytes are read by path and by name in a folder`() throws {
    try withTemporaryDirectory { folder in
      let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let path = folder.path + "/file"
      do {
        let file = try FileDescriptor(path, for: .creating)
        try file.write(bytes)
        try file.sync()
      }
      #expect(try FileDescriptor(path, for: .reading).readAll() == bytes)
      let opened = try FileDescriptor(folder.path, for: .folderItself)
      #expect(try opened.open("file", for: .reading).readAll() == bytes)
      let attributes = try #require(try opened.attributes(of: "file"))
      #expect(
        attributes.kind == .file && attributes.size == 200_000 && attributes.permissions == 0o600)
      #expect(attributes.owner == FileAttributes.currentUser && attributes.linkCount == 1)
      #expect(try opened.attributes(of: "nothing") == nil)
      #expect(FileNames.size(of: path) == 200_000 && FileNames.size(of: folder.path) == nil)
    }
  }

  @Test func `An emptied file contains only the bytes that are written next`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.path + "/file"
      for text in ["a long text", "short"] {
        let file = try FileDescriptor(path, for: .locking)
        try file.empty()
        try file.write(Array(text.utf8))
      }
      #expect(try FileDescriptor(path, for: .reading).readAll() == Array("short".utf8))
    }
  }

  @Test func `Files are renamed and removed, and removing a missing file is allowed`() throws {
    try withTemporaryDirectory { folder in
      let opened = try FileDescriptor(folder.path, for: .folder)
      for name in ["a", "b"] { _ = try opened.open(name, for: .creating) }
      try opened.rename("a", to: "b")
      try FileNames.rename(folder.path + "/b", to: folder.path + "/c")
      #expect(try FileNames.names(in: folder.path) == ["c"] && opened.names() == ["c"])
      for _ in 0..<2 { try opened.remove("c") }
      try FileNames.remove(folder.path + "/c")
      #expect(try opened.names().isEmpty)
      #expect(try FileNames.names(in: folder.path + "/nowhere").isEmpty)
    }
  }

  @Test func `An error names the operation, the path and the reason`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.path + "/file"
      let missing = failure { () throws(SystemFailure) in try FileDescriptor(path, for: .reading) }
      #expect(
        missing?.isMissing == true && missing?.what == "open the file" && missing?.path == path)
      _ = try FileDescriptor(path, for: .creating)
      let twice = failure { () throws(SystemFailure) in try FileDescriptor(path, for: .creating) }
      #expect(twice?.isMissing == false && twice?.isMisplaced == false && twice?.isFull == false)
      let noFolder = failure { () throws(SystemFailure) in try FileDescriptor(path, for: .folder) }
      #expect(noFolder?.isMisplaced == true)
      let nowhere = failure { () throws(SystemFailure) in try FileNames.rename(path + "2", to: path)
      }
      #expect(nowhere?.isMissing == true && nowhere?.reason.isEmpty == false)
      let inFile = failure { () throws(SystemFailure) in try FileNames.makeFolder(path + "/folder")
      }
      #expect(inFile?.isMisplaced == true)
    }
  }

  @Test func `Links are followed only to folders that may be elsewhere and to inputs`() throws {
    try withTemporaryDirectory { folder in
      try FileNames.makeFolder(folder.path + "/real")
      _ = try FileDescriptor(folder.path + "/real/file", for: .creating)
      for name in ["folder", "file"] {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder.path)/\(name)",
          withDestinationPath: name == "file" ? "real/file" : "real")
      }
      #expect(try FileDescriptor(folder.path + "/folder", for: .folder).names() == ["file"])
      #expect(try FileDescriptor(folder.path + "/file", for: .input).readAll().isEmpty)
      for (name, use) in [
        ("folder", FileDescriptor.Use.folderItself), ("file", .reading), ("file", .locking),
      ] {
        let refused = failure { () throws(SystemFailure) in
          try FileDescriptor("\(folder.path)/\(name)", for: use)
        }
        #expect(refused?.isMisplaced == true, "\(name)")
      }
      let opened = try FileDescriptor(folder.path, for: .folder)
      #expect(try opened.attributes(of: "file")?.kind == .other)
      #expect(FileNames.size(of: folder.path + "/file") == nil)
      #expect(try FileNames.exists(folder.path + "/file"))
      #expect(try !FileNames.exists(folder.path + "/nothing"))
      #expect(try !FileNames.exists(folder.path + "/file/nothing"))
      let loop = folder.path + "/loop"
      try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
      let unknown = failure { () throws(SystemFailure) in try FileNames.exists(loop) }
      #expect(unknown?.what == "look for the file" && unknown?.isDenied == false)
    }
  }

  @Test func `A lock is held until it is released or its descriptor is closed`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.path + "/lock"
      let mine = try FileDescriptor(path, for: .locking)
      try mine.lock()
      let other = try FileDescriptor(path, for: .locking)
      #expect(try !other.tryLock())
      mine.unlock()
      #expect(try other.tryLock())
      do {
        let third = try FileDescriptor(path, for: .locking)
        #expect(try !third.tryLock())
        other.unlock()
        #expect(try third.tryLock())
      }
      #expect(try other.tryLock())
    }
  }
}
