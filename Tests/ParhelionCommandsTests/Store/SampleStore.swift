import Foundation
import ManagedObjectModel
import ModelSource
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// A store with every attribute type and every kind of relationship.
enum SampleStore {
  static let source = """
    <entity name="Thing">
      <attribute name="flag" optional="YES" attributeType="Boolean"/>
      <attribute name="date" optional="YES" attributeType="Date"/>
      <attribute name="amount" optional="YES" attributeType="Decimal"/>
      <attribute name="id" optional="YES" attributeType="UUID"/>
      <attribute name="link" optional="YES" attributeType="URI"/>
      <attribute name="bytes" optional="YES" attributeType="Binary"/>
      <attribute name="large" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      <attribute name="small" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
      <attribute name="text" optional="YES" attributeType="String"/>
      <attribute name="nothing" optional="YES" attributeType="Integer 16"/>
      <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" inverseName="things" inverseEntity="Owner"/>
      <relationship name="twin" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Thing" inverseName="twin" inverseEntity="Thing"/>
      <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="things" inverseEntity="Tag"/>
    </entity>
    <entity name="Owner">
      <attribute name="counted" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="things.@count"/>
      <relationship name="things" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Thing" inverseName="owner" inverseEntity="Thing"/>
    </entity>
    <entity name="Company" parentEntity="Owner"/>
    <entity name="Tag">
      <relationship name="things" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Thing" inverseName="tags" inverseEntity="Thing"/>
      <relationship name="vest" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Vest" inverseName="tag" inverseEntity="Vest"/>
    </entity>
    <entity name="Vest">
      <attribute name="size" attributeType="Integer 16"/>
      <attribute name="label" optional="YES" attributeType="String"/>
      <relationship name="tag" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Tag" inverseName="vest" inverseEntity="Tag"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="label"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <composite name="Place"><attribute name="latitude" optional="YES" attributeType="Double"/></composite>
    """

  static let fileName = "0C2B5A60-5C3C-4F6B-9C33-1B6C6E2F8A11"

  /// Makes the store in a folder, with some rows; the statements change it afterwards.
  static func make(in folder: URL, changedBy sql: String = "") throws -> String {
    let url = folder.appendingPathComponent("sample.sqlite")
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(source)</model>
      """
    let model = try ModelBundle(name: "Sample", contents: Array(text.utf8)).currentVersion.model
    var options = StoreOptions()
    options.tracksHistory = true
    let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
    try opened.prepareForWriting()
    try fill(opened.connection)
    try opened.connection.execute(sql)
    try opened.connection.close()
    if let values = StoreLocation(url).externalDataFolder {
      try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
      try Data("in a file".utf8).write(to: values.appendingPathComponent(fileName))
    }
    return url.path
  }

  private static func fill(_ connection: Connection) throws {
    // Company is 2 below Owner 1, Tag 3, Thing 4, Vest 5.
    try connection.execute(
      """
      INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 2, 1);
      INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZVEST) VALUES (1, 3, 1, 1);
      INSERT INTO ZVEST (Z_PK, Z_ENT, Z_OPT, ZTAG, ZSIZE) VALUES (1, 5, 1, 1, 3);
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZOWNER, Z1_OWNER, Z_FOK_OWNER, ZTWIN) VALUES
        (1, 4, 1, 2, 2, 2048, 2), (2, 4, 1, 2, 2, 3072, 1);
      INSERT INTO Z_3THINGS (Z_3TAGS, Z_4THINGS) VALUES (1, 1), (1, 2);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT IN (1, 3, 4, 5);
      UPDATE ZTHING SET ZFLAG = 1, ZDATE = 12.5, ZAMOUNT = 10.25, ZID = x'E621E1F8C36C495A93FC0C247A3E6E5F',
        ZLINK = 'https://example.org/a', ZBYTES = x'010203', ZLARGE = CAST(x'02' || '\(fileName)' || x'00' AS BLOB),
        ZSMALL = CAST(x'01' || 'in the row' AS BLOB), ZLATITUDE = 1.5,
        ZTEXT = 'a "quoted" \\ line' || char(10, 1, 233) WHERE Z_PK = 1
      """)
  }
}
