import ManagedObjectModel
import ModelSource
import TestSupport
import Testing

@Suite struct `Damaged models` {
  /// A valid model that uses every element, so that damage reaches every reader.
  private static let intact = SourceText(
    """
    <entity name="Person" representedClassName=".Person" isAbstract="NO" elementID="Human" codeGenerationType="class">
      <attribute name="name" optional="YES" attributeType="String" minValueString="1" maxValueString="9" regularExpressionString="[a-z]+"/>
      <attribute name="age" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="YES" minValueString="0"/>
      <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="12.5"/>
      <attribute name="folded" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
      <attribute name="home" optional="YES" attributeType="Composite" composite="Place"/>
      <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" inverseName="friends" inverseEntity="Person"/>
      <fetchedProperty name="peers" optional="YES"><fetchRequest name="f" entity="Person" predicateString="age == $FETCH_SOURCE.age"/></fetchedProperty>
      <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
      <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
      <userInfo><entry key="a" value="b"/></userInfo>
    </entity>
    <entity name="Worker" parentEntity="Person" syncable="YES"/>
    <fetchRequest name="Old" entity="Person" predicateString="age &gt; 60 AND name BEGINSWITH[c] $X" resultType="1" fetchLimit="2"/>
    <configuration name="Main"><memberEntity name="Person"/></configuration>
    <composite name="Place"><attribute name="x" optional="YES" attributeType="Double" defaultValueString="0.5"/></composite>
    <elements><element name="Person" positionX="0" positionY="0" width="1" height="1"/></elements>
    """)

  @Test func `The model to damage is valid`() throws {
    #expect(try Self.intact.read().warnings.isEmpty)
  }

  /// Reading succeeds or throws.
  ///
  /// A trap would end the test process.
  @Test func `A damaged model is read or is an error, but never traps`() {
    var generator = SeededGenerator.forTest()
    let original = Array(Self.intact.contents.utf8)
    for round in 0..<600 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) { damage(&bytes, using: &generator) }
      do throws(ModelSourceError) {
        let bundle = try ModelBundle(name: "x", contents: bytes)
        _ = bundle.currentVersion.model.versionChecksum
      } catch {
        #expect(!error.message.isEmpty, "\(generator) round \(round)")
      }
    }
  }

  private func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard let place = bytes.indices.randomElement(using: &generator) else { return }
    let end = min(place + Int.random(in: 1...60, using: &generator), bytes.count)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
    case 1: bytes.removeSubrange(place..<end)
    case 2:
      bytes.insert(
        contentsOf: bytes[place..<end], at: bytes.indices.randomElement(using: &generator) ?? 0)
    case 3: bytes.removeSubrange(place...)
    case 4:
      bytes.insert(
        contentsOf: Array(Self.words.randomElement(using: &generator) ?? "").map(\.utf8).flatMap(
          Array.init), at: place)
    default: replaceValue(in: &bytes, after: place, using: &generator)
    }
  }

  /// Replaces the text between two quotation marks, which keeps the XML well-formed.
  private func replaceValue(
    in bytes: inout [UInt8], after place: Int, using generator: inout SeededGenerator
  ) {
    let quote = UInt8(ascii: "\"")
    guard let open = bytes[place...].firstIndex(of: quote),
      let close = bytes[(open + 1)...].firstIndex(of: quote)
    else { return }
    bytes.replaceSubrange(
      (open + 1)..<close, with: Array((Self.words.randomElement(using: &generator) ?? "").utf8))
  }

  private static let words = [
    "", "YES", "NO", "Person", "Worker", "Place", "home", "friends", "name", "-1", "0",
    "99999999999999999999", "1e400",
    "nan",
    "Composite", "Integer 16", "Date", "Transformable", "Undefined", "&#0;", "&amp;", "((", "SELF",
    "$X", "name.length",
    "<entity name=\"Z\"/>", "</entity>", "RTree", "Cascade", "2", "4", "é😀",
  ]
}
