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
    <entity name="Zebra">
      <attribute name="label" optional="YES" attributeType="String"/>
      <attribute name="middle" optional="YES" attributeType="Integer 32"/>
      <attribute name="narrow" optional="YES" attributeType="Integer 16"/>
      <attribute name="own" optional="YES" attributeType="Transformable" valueTransformerName="SomebodyElses"/>
      <attribute name="single" optional="YES" attributeType="Float"/>
      <attribute name="value" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
      <attribute name="wide" optional="YES" attributeType="Integer 64"/>
      <attribute name="x" optional="YES" attributeType="Double"/>
      <attribute name="y" optional="YES" attributeType="Double"/>
      <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Zebra" inverseName="friends" inverseEntity="Zebra"/>
      <relationship name="zoos" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Zoo" inverseName="zebras" inverseEntity="Zoo"/>
      <fetchIndex name="byLabel">
        <fetchIndexElement property="label" type="Binary" order="ascending"/>
        <fetchIndexElement property="wide" type="Binary" order="descending"/>
      </fetchIndex>
      <fetchIndex name="byPlace">
        <fetchIndexElement property="x" type="RTree" order="ascending"/>
        <fetchIndexElement property="y" type="RTree" order="ascending"/>
      </fetchIndex>
    </entity>
    <entity name="Zoo">
      <relationship name="zebras" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Zebra" inverseName="zoos" inverseEntity="Zebra"/>
    </entity>
    <composite name="Place"><attribute name="latitude" optional="YES" attributeType="Double"/></composite>
    """

  /// The contents of the model's file.
  static let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(source)</model>
    """

  static let fileName = "0C2B5A60-5C3C-4F6B-9C33-1B6C6E2F8A11"

  /// Creates the store in a folder with some rows, and then runs the statements.
  static func make(in folder: URL, changedBy sql: String = "") throws -> String {
    let url = folder.appendingPathComponent("sample.sqlite")
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
    // The entities have the numbers Owner 1, Company 2 (its subentity), Tag 3, Thing 4, Vest 5,
    // Zebra 6 and Zoo 7.
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
    try fillZoos(connection)
    try fillHistory(connection)
  }

  private static func fillZoos(_ connection: Connection) throws {
    try connection.execute(
      """
      INSERT INTO ZZEBRA (Z_PK, Z_ENT, Z_OPT, ZLABEL, ZNARROW, ZMIDDLE, ZWIDE, ZSINGLE, ZX, ZY) VALUES
        (1, 6, 1, 'a', -32768, 2147483647, 9223372036854775807, 1.5, 1.1, 2.2), (2, 6, 3, 'b', 7, 8, 9, 0, 3, 4);
      INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (1, 7, 1);
      INSERT INTO Z_6ZOOS (Z_6ZEBRAS, Z_7ZOOS, Z_FOK_6ZEBRAS) VALUES (1, 1, 2048), (2, 1, 3072);
      INSERT INTO Z_6FRIENDS VALUES (1, 2), (2, 1);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT IN (6, 7)
      """)
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: "striped" as NSString, requiringSecureCoding: true)
    try connection.run("UPDATE ZZEBRA SET ZVALUE = ? WHERE Z_PK = 1", [.blob([UInt8](archive))])
  }

  private static func fillHistory(_ connection: Connection) throws {
    try connection.execute(
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (1, 16003, 'somebody'), (2, 16003, 'a process');
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS, ZPROCESSIDTS) VALUES
        (1, 16002, 1.5, 1, 2), (2, 16002, 2.5, NULL, 2);
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES
        (1, 16001, 0, 4, 1, 1, NULL), (2, 16001, 1, 4, 1, 2, x'80'), (3, 16001, 2, 3, 2, 2, NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT >= 16001
      """)
  }
}
