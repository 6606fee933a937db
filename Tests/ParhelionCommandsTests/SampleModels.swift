import Foundation
import TestSupport

/// Two versions of a small model, written into a folder.
enum SampleModels {
  static let first = """
    <entity name="Folder" representedClassName=".Folder" codeGenerationType="class">
      <attribute name="name" attributeType="String" defaultValueString="New"/>
      <relationship name="notes" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Note" inverseName="folder" inverseEntity="Note"/>
    </entity>
    <entity name="Note">
      <attribute name="text" optional="YES" attributeType="String" maxValueString="9"/>
      <attribute name="rank" attributeType="Integer 16" defaultValueString="0"/>
      <relationship name="folder" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" inverseName="notes" inverseEntity="Folder"/>
    </entity>
    <fetchRequest name="Long" entity="Note" predicateString="text.length &gt; $N"/>
    <configuration name="Local"><memberEntity name="Note"/></configuration>
    """

  static let second =
    first.replacing(
      "name=\"rank\" attributeType=\"Integer 16\"", with: "name=\"rank\" attributeType=\"Double\""
    )
    .replacing("<entity name=\"Note\">", with: "<entity name=\"Note\" versionHashModifier=\"2\">")

  static let composite = """
    <entity name="Note"><attribute name="place" optional="YES" attributeType="Composite" composite="Place"/></entity>
    <composite name="Place"><attribute name="x" optional="YES" attributeType="Double"/></composite>
    """

  /// Writes `Notes.xcdatamodeld` with the given versions, the first of which is current.
  static func write(_ versions: [(name: String, body: String)], into folder: URL) throws -> String {
    let bundle = folder.appendingPathComponent("Notes.xcdatamodeld", isDirectory: true)
    for version in versions {
      let url = bundle.appendingPathComponent("\(version.name).xcdatamodel", isDirectory: true)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let text = "<model userDefinedModelVersionIdentifier=\"\">\n\(version.body)\n</model>\n"
      try Data(text.utf8).write(to: url.appendingPathComponent("contents"))
    }
    let current =
      "<plist><dict><key>_XCCurrentVersionName</key><string>\(versions[0].name).xcdatamodel</string></dict></plist>"
    try Data(current.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
    return bundle.path
  }

  /// Runs a test with both versions of the sample.
  static func withNotes(_ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      try body(write([("Notes", first), ("Notes 2", second)], into: folder))
    }
  }
}
