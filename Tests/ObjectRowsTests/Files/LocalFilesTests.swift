import Foundation
import ObjectRows
import TestSupport
import Testing

@Suite struct `Local files` {
  private let files = LocalFiles()

  @Test func `Replacing a file leaves one file with the new contents`() throws {
    try withTemporaryDirectory { folder in
      let (old, new) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
      try files.write(Data("old".utf8), to: old)
      try files.write(Data("new".utf8), to: new)
      try files.replaceItem(at: old, withItemAt: new)
      #expect(try files.contents(of: old) == Data("new".utf8))
      #expect(!files.itemExists(at: new))
      try files.write(Data("first".utf8), to: new)
      try files.replaceItem(at: folder.appendingPathComponent("c"), withItemAt: new)
      #expect(files.itemExists(at: folder.appendingPathComponent("c")))
    }
  }

  @Test func `A failed replacement changes nothing and reports the reason`() throws {
    try withTemporaryDirectory { folder in
      let old = folder.appendingPathComponent("a")
      try files.write(Data("old".utf8), to: old)
      let error = #expect(throws: NSError.self) {
        try files.replaceItem(at: old, withItemAt: folder.appendingPathComponent("missing"))
      }
      #expect(error?.code == Int(ENOENT))
      #expect(error?.userInfo[NSFilePathErrorKey] as? String == old.path)
      #expect(try files.contents(of: old) == Data("old".utf8))
    }
  }
}
