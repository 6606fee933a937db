import CloudKitTesting
import Foundation
import Testing

extension TestCloud {
  /// Deletes the server's files of all assets.
  func loseFiles() throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: filesFolder)
    var count = 0
    for name in names {
      let path = filesFolder + "/" + name
      var isFolder: ObjCBool = false
      guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue
      else {
        continue
      }
      try FileManager.default.removeItem(atPath: path)
      count += 1
    }
    #expect(count > 0)
  }
}
