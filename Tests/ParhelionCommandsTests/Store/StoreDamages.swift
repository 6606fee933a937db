/// Damages of the sample store: a change in SQL, and the issues that the check reports.
enum StoreDamages {
  typealias Damage = (sql: String, kind: String, table: String?, row: Int64?, says: String)

  static let layout: [Damage] = [
    ("ALTER TABLE ZTAG RENAME TO ZOTHER", "layout", "ZTAG", nil, "no table ZTAG"),
    ("ALTER TABLE ZTHING DROP COLUMN ZTEXT", "layout", "ZTHING", nil, "no column ZTEXT"),
    (
      "DROP TABLE ZTAG; DROP INDEX ZTHING_ZTWIN_INDEX; ALTER TABLE ZTHING DROP COLUMN ZTWIN",
      "layout", "ZTHING", nil,
      "no column ZTWIN"
    ),
    ("DROP TABLE Z_3THINGS", "layout", "Z_3THINGS", nil, "no table Z_3THINGS"),
    (
      "ALTER TABLE Z_6ZOOS DROP COLUMN Z_FOK_6ZEBRAS", "layout", "Z_6ZOOS", nil,
      "no column Z_FOK_6ZEBRAS"
    ),
    ("DROP INDEX ZTHING_ZOWNER_INDEX", "layout", "ZTHING", nil, "no index over ZOWNER of ZTHING"),
    ("DROP INDEX ZOWNER_Z_ENT_INDEX", "layout", "ZOWNER", nil, "no index over Z_ENT of ZOWNER"),
    (
      "DROP INDEX Z_6ZOOS_Z_7ZOOS_INDEX", "layout", "Z_6ZOOS", nil,
      "no index over Z_7ZOOS, Z_6ZEBRAS"
    ),
    ("DROP INDEX Z_Vest_UNIQUE_label", "layout", "ZVEST", nil, "no unique index over ZLABEL"),
    (
      "DROP INDEX Z_Vest_UNIQUE_label; CREATE INDEX Z_Vest_UNIQUE_label ON ZVEST (ZLABEL)",
      "layout", "ZVEST", nil,
      "Z_Vest_UNIQUE_label is an index over ZLABEL"
    ),
    (
      "DROP INDEX Z_Vest_UNIQUE_label; CREATE UNIQUE INDEX Z_Vest_UNIQUE_label ON ZVEST (ZLABEL) WHERE Z_PK > 9",
      "layout",
      "ZVEST", nil, "no unique index over ZLABEL"
    ),
    (
      "DROP INDEX Z_Zebra_byLabel; CREATE INDEX Z_Zebra_byLabel ON ZZEBRA (ZLABEL, ZX)", "layout",
      "ZZEBRA", nil,
      "Z_Zebra_byLabel is an index over ZLABEL, ZX"
    ),
    (
      "DROP INDEX Z_Zebra_byLabel; CREATE INDEX Z_Zebra_byLabel ON ZZEBRA (ZLABEL, ZWIDE)",
      "layout", "ZZEBRA", nil,
      "no index over ZLABEL, ZWIDE"
    ),
    (
      """
      ALTER TABLE Z_6ZOOS RENAME TO OLD; DROP INDEX Z_6ZOOS_Z_7ZOOS_INDEX;
      CREATE TABLE Z_6ZOOS (Z_6ZEBRAS INTEGER, Z_7ZOOS INTEGER, Z_FOK_6ZEBRAS INTEGER);
      CREATE INDEX Z_6ZOOS_Z_7ZOOS_INDEX ON Z_6ZOOS (Z_7ZOOS, Z_6ZEBRAS)
      """, "layout", "Z_6ZOOS", nil, "no unique index over Z_6ZEBRAS, Z_7ZOOS"
    ),
    (
      "DROP TRIGGER Z_DA_ZTHING_Owner_counted_PARAMETER_INSERT", "layout", "ZTHING", nil,
      "which keeps ZOWNER.ZCOUNTED in step"
    ),
    (
      "DROP TRIGGER Z_RT_Zebra_byPlace_INSERT", "layout", "ZZEBRA", nil,
      "no trigger Z_RT_Zebra_byPlace_INSERT"
    ),
    ("DROP TABLE Z_RT_Zebra_byPlace", "layout", "ZZEBRA", nil, "no table Z_RT_Zebra_byPlace"),
    (
      """
      DROP TABLE Z_RT_Zebra_byPlace;
      CREATE VIRTUAL TABLE Z_RT_Zebra_byPlace USING RTREE (Z_PK INTEGER PRIMARY KEY, A, B, C, D)
      """, "layout", "Z_RT_Zebra_byPlace", nil, "no column ZX_MIN"
    ),
    ("DROP TABLE ACHANGE", "layout", "ACHANGE", nil, "no table ACHANGE, which the history needs"),
    ("DROP TABLE ATRANSACTION", "layout", "ATRANSACTION", nil, "no table ATRANSACTION"),
    (
      "DROP TABLE ATRANSACTIONSTRING", "layout", "ATRANSACTIONSTRING", nil,
      "no table ATRANSACTIONSTRING"
    ),
    ("ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS", "layout", "ACHANGE", nil, "no column ZCOLUMNS"),
    (
      "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX; ALTER TABLE ACHANGE DROP COLUMN ZTRANSACTIONID",
      "layout", "ACHANGE",
      nil,
      "no column ZTRANSACTIONID"
    ),
    (
      "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE1", "layout", "ACHANGE", nil,
      "no column ZTOMBSTONE0"
    ),
    (
      "DROP INDEX Z_Vest_UNIQUE_label; CREATE UNIQUE INDEX Z_Vest_UNIQUE_label ON ZVEST (ZLABEL COLLATE NOCASE)",
      "layout", "ZVEST", nil, "ZLABEL COLLATE NOCASE: it treats different texts as equal"
    ),
    (
      "DROP INDEX ZTHING_ZOWNER_INDEX; CREATE INDEX ZTHING_ZOWNER_INDEX ON ZTHING (ZOWNER) WHERE ZOWNER > 7",
      "layout", "ZTHING", nil, "ZTHING_ZOWNER_INDEX is a partial index over ZOWNER"
    ),
    (
      "CREATE TABLE OLD AS SELECT * FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE OLD RENAME TO ZTAG",
      "layout", "ZTAG", nil,
      "Z_PK is not an INTEGER PRIMARY KEY there"
    ),
    (
      "CREATE TABLE OLD AS SELECT * FROM ATRANSACTION; DROP TABLE ATRANSACTION; ALTER TABLE OLD RENAME TO ATRANSACTION",
      "layout", "ATRANSACTION", nil, "Z_PK is not an INTEGER PRIMARY KEY there"
    ),
    (
      """
      CREATE TABLE OLD AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY;
      ALTER TABLE OLD RENAME TO Z_PRIMARYKEY
      """, "layout", "Z_PRIMARYKEY", nil, "Z_ENT is not an INTEGER PRIMARY KEY there"
    ),
    (
      "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX", "layout", "ACHANGE", nil,
      "no index over ZTRANSACTIONID"
    ),
    (
      "DROP INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME", "layout", "ATRANSACTIONSTRING", nil,
      "no unique index over ZNAME"
    ),
    ("DROP TABLE Z_PRIMARYKEY", "layout", "Z_PRIMARYKEY", nil, "no table Z_PRIMARYKEY"),
    (
      "ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_MAX", "layout", "Z_PRIMARYKEY", nil, "no column Z_MAX"
    ),
    ("DROP TABLE Z_MODELCACHE", "layout", "Z_MODELCACHE", nil, "no table Z_MODELCACHE"),
    (
      "ALTER TABLE Z_MODELCACHE RENAME COLUMN Z_CONTENT TO Z_OTHER", "layout", "Z_MODELCACHE", nil,
      "no column Z_CONTENT"
    ),
  ]

  static let rows: [Damage] = [
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 4", "primaryKey", "Z_PRIMARYKEY", 4,
      "below the key 2"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_ENT = 4", "primaryKey", "Z_PRIMARYKEY", 4,
      "Z_MAX is NULL"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_ENT = 4", "primaryKey", "Z_PRIMARYKEY", 4,
      "Z_MAX is a text \"many\""
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 2", "primaryKey", "Z_PRIMARYKEY", 2,
      "the parent 3"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 99 WHERE Z_ENT = 2", "primaryKey", "Z_PRIMARYKEY", 2,
      "Z_SUPER is 99"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 1", "primaryKey", "Z_PRIMARYKEY", 1,
      "is its own ancestor"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL WHERE Z_ENT = 16001", "primaryKey", "Z_PRIMARYKEY",
      16001, "Z_NAME is NULL"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Tag' WHERE Z_ENT = 16001", "primaryKey", "Z_PRIMARYKEY", 3,
      "Another row"
    ),
    (
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 7", "layout", "Z_PRIMARYKEY", nil,
      "no row for the entity Zoo"
    ),
    (
      """
      CREATE TABLE OLD AS SELECT * FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE OLD RENAME TO ZTAG;
      UPDATE ZTAG SET Z_PK = NULL
      """, "row", "ZTAG", nil, "Keys are whole numbers from 1"
    ),
    ("UPDATE ZTAG SET Z_ENT = 9", "row", "ZTAG", 1, "Z_ENT is 9"),
    ("UPDATE ZTAG SET Z_ENT = NULL", "row", "ZTAG", 1, "Z_ENT is NULL"),
    ("UPDATE ZTAG SET Z_ENT = 'Tag'", "row", "ZTAG", 1, "Z_ENT is a text"),
    ("UPDATE ZTAG SET Z_OPT = NULL", "row", "ZTAG", 1, "Z_OPT is NULL"),
    (
      "UPDATE ZTAG SET Z_OPT = 'first'", "row", "ZTAG", 1,
      "Z_OPT is a text \"first\", which is not a version"
    ),
    ("UPDATE ZTAG SET Z_OPT = 0", "row", "ZTAG", 1, "Z_OPT is 0"),
    (
      "INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (0, 7, 1)", "row", "ZZOO", 0,
      "whole numbers from 1"
    ),
    (
      "INSERT INTO ZZOO (Z_PK, Z_ENT, Z_OPT) VALUES (-4, 7, 1)", "row", "ZZOO", -4,
      "whole numbers from 1"
    ),
  ]

  static let relationships: [Damage] = [
    (
      "UPDATE ZTHING SET ZOWNER = 77 WHERE Z_PK = 2", "relationship", "ZTHING", 2,
      "owner leads to 77"
    ),
    (
      "UPDATE ZTHING SET ZOWNER = 'someone' WHERE Z_PK = 2", "relationship", "ZTHING", 2,
      "ZOWNER is a text \"someone\", which is not a key"
    ),
    ("UPDATE ZTHING SET Z1_OWNER = 1 WHERE Z_PK = 2", "relationship", "ZTHING", 2, "Z1_OWNER is 1"),
    (
      "UPDATE ZTHING SET ZOWNER = NULL WHERE Z_PK = 2", "relationship", "ZTHING", 2,
      "Z1_OWNER is 2, but owner leads nowhere"
    ),
    (
      "UPDATE ZTHING SET Z_FOK_OWNER = NULL WHERE Z_PK = 1", "order", "ZTHING", 1,
      "Z_FOK_OWNER is NULL"
    ),
    (
      "UPDATE ZTHING SET Z_FOK_OWNER = 'last' WHERE Z_PK = 1", "order", "ZTHING", 1,
      "Z_FOK_OWNER is a text"
    ),
    ("UPDATE ZTHING SET ZTWIN = NULL WHERE Z_PK = 2", "inverse", "ZTHING", 1, "whose twin is NULL"),
    ("INSERT INTO Z_3THINGS VALUES (1, 55)", "join", "Z_3THINGS", 3, "Z_4THINGS is 55"),
    ("INSERT INTO Z_3THINGS VALUES (NULL, 1)", "join", "Z_3THINGS", 3, "Z_3TAGS is NULL"),
    ("INSERT INTO Z_3THINGS VALUES ('x', 1)", "join", "Z_3THINGS", 3, "Z_3TAGS is a text"),
    (
      "UPDATE Z_6ZOOS SET Z_FOK_6ZEBRAS = NULL WHERE Z_6ZEBRAS = 2", "order", "Z_6ZOOS", 2,
      "Z_FOK_6ZEBRAS is NULL"
    ),
    (
      "UPDATE Z_6ZOOS SET Z_FOK_6ZEBRAS = 'x' WHERE Z_6ZEBRAS = 2", "order", "Z_6ZOOS", 2,
      "Z_FOK_6ZEBRAS is a text"
    ),
    (
      """
      ALTER TABLE Z_3THINGS RENAME TO OLD; CREATE TABLE Z_3THINGS (Z_3TAGS INTEGER, Z_4THINGS INTEGER);
      INSERT INTO Z_3THINGS VALUES (1, 2), (1, 2)
      """, "join", "Z_3THINGS", 2, "The pair of 1 and 2 exists more than once"
    ),
    ("DELETE FROM Z_6FRIENDS WHERE Z_6FRIENDS = 1", "inverse", "Z_6FRIENDS", 2, "but not back"),
  ]

  static let history: [Damage] = [
    (
      "UPDATE ACHANGE SET ZTRANSACTIONID = 8 WHERE Z_PK = 3", "history", "ACHANGE", 3,
      "ZTRANSACTIONID is 8"
    ),
    (
      "UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE Z_PK = 3", "history", "ACHANGE", 3,
      "ZTRANSACTIONID is NULL"
    ),
    (
      "UPDATE ACHANGE SET ZCHANGETYPE = 3 WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "ZCHANGETYPE is 3"
    ),
    (
      "UPDATE ACHANGE SET ZCHANGETYPE = NULL WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "ZCHANGETYPE is NULL"
    ),
    ("UPDATE ACHANGE SET ZENTITY = 70 WHERE Z_PK = 2", "history", "ACHANGE", 2, "ZENTITY is 70"),
    (
      "UPDATE ACHANGE SET ZENTITYPK = 'x' WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "ZENTITYPK is a text"
    ),
    (
      "UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "ZENTITYPK is NULL"
    ),
    (
      "UPDATE ACHANGE SET ZENTITYPK = 9 WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "a key that ZTHING has not assigned yet"
    ),
    (
      "UPDATE ACHANGE SET ZCOLUMNS = 'x' WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "ZCOLUMNS is a text"
    ),
    (
      "UPDATE ACHANGE SET Z_ENT = 4 WHERE Z_PK = 2", "history", "ACHANGE", 2,
      "Z_ENT is 4 and not 16001"
    ),
    (
      "UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 2", "history", "ATRANSACTION", 2,
      "ZTIMESTAMP is NULL"
    ),
    (
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999 WHERE Z_PK = 2", "history", "ATRANSACTION", 2,
      "which is not a time"
    ),
    (
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 'now' WHERE Z_PK = 2", "history", "ATRANSACTION", 2,
      "which is not a time"
    ),
    (
      "UPDATE ATRANSACTION SET ZAUTHORTS = 9 WHERE Z_PK = 2", "history", "ATRANSACTION", 2,
      "ZAUTHORTS is 9"
    ),
    (
      "UPDATE ATRANSACTION SET ZPROCESSIDTS = 'x' WHERE Z_PK = 2", "history", "ATRANSACTION", 2,
      "ZPROCESSIDTS is a text"
    ),
    (
      "UPDATE ATRANSACTION SET ZAUTHOR = x'00' WHERE Z_PK = 2", "history", "ATRANSACTION", 2,
      "which is not text"
    ),
    (
      "UPDATE ATRANSACTIONSTRING SET ZNAME = NULL WHERE Z_PK = 2", "history", "ATRANSACTIONSTRING",
      2, "ZNAME is NULL"
    ),
    (
      "DROP INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME; UPDATE ATRANSACTIONSTRING SET ZNAME = 'somebody'",
      "history",
      "ATRANSACTIONSTRING", 2, "the same text as row 1"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16001", "primaryKey", "Z_PRIMARYKEY", 16001,
      "below the key 3"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16002", "primaryKey", "Z_PRIMARYKEY", 16002,
      "below the key 2"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16003", "primaryKey", "Z_PRIMARYKEY", 16003,
      "below the key 2"
    ),
    (
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16002", "primaryKey", "Z_PRIMARYKEY", 16002,
      "counts the keys of ATRANSACTION"
    ),
  ]

  static let values: [Damage] = [
    (
      "UPDATE ZTHING SET ZTEXT = x'00' WHERE Z_PK = 1", "value", "ZTHING", 1,
      "ZTEXT has a blob of 1 bytes"
    ),
    (
      "UPDATE ZTHING SET ZTEXT = CAST(x'61FF62' AS TEXT) WHERE Z_PK = 1", "value", "ZTHING", 1,
      "not a valid String of UTF-8"
    ),
    (
      "UPDATE ZTHING SET ZID = x'00' WHERE Z_PK = 1", "value", "ZTHING", 1,
      "ZID has a blob of 1 bytes"
    ),
    ("UPDATE ZTHING SET ZID = 'E621E1F8' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZID has a text"),
    ("UPDATE ZTHING SET ZDATE = 'soon' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZDATE has a text"),
    (
      "UPDATE ZTHING SET ZDATE = 9e999 WHERE Z_PK = 1", "value", "ZTHING", 1,
      "ZDATE has inf, which is not a valid Date"
    ),
    (
      "UPDATE ZTHING SET ZFLAG = 5 WHERE Z_PK = 1", "value", "ZTHING", 1,
      "ZFLAG has 5, which is not a valid Boolean"
    ),
    (
      "UPDATE ZTHING SET ZAMOUNT = 'much' WHERE Z_PK = 1", "value", "ZTHING", 1,
      "ZAMOUNT has a text"
    ),
    (
      "UPDATE ZTHING SET ZAMOUNT = 9e999 WHERE Z_PK = 1", "value", "ZTHING", 1,
      "which is not a valid Decimal"
    ),
    (
      "UPDATE ZTHING SET ZLINK = '' WHERE Z_PK = 1", "value", "ZTHING", 1,
      "which is not a valid URI"
    ),
    ("UPDATE ZTHING SET ZLINK = x'00' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZLINK has a blob"),
    ("UPDATE ZTHING SET ZBYTES = 'x' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZBYTES has a text"),
    ("UPDATE ZTHING SET ZLARGE = 'x' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZLARGE has a text"),
    (
      "UPDATE ZTHING SET ZNOTHING = 70000 WHERE Z_PK = 1", "value", "ZTHING", 1,
      "70000, which is not a valid Integer 16"
    ),
    (
      "UPDATE ZTHING SET ZLATITUDE = 'north' WHERE Z_PK = 1", "value", "ZTHING", 1,
      "which is not a valid Double"
    ),
    (
      "UPDATE ZTHING SET ZSMALL = x'09AA' WHERE Z_PK = 1", "row", "ZTHING", 1,
      "ZSMALL does not begin"
    ),
    (
      "UPDATE ZTHING SET ZSMALL = ZLARGE WHERE Z_PK = 1", "externalFile", "ZTHING", 1,
      "also belongs to row 1 of ZTHING"
    ),
    (
      "UPDATE ZZEBRA SET ZMIDDLE = 2147483648 WHERE Z_PK = 2", "value", "ZZEBRA", 2,
      "which is not a valid Integer 32"
    ),
    (
      "UPDATE ZZEBRA SET ZWIDE = 1.5 WHERE Z_PK = 2", "value", "ZZEBRA", 2,
      "1.5, which is not a valid Integer 64"
    ),
    (
      "UPDATE ZZEBRA SET ZSINGLE = 1e300 WHERE Z_PK = 2", "value", "ZZEBRA", 2,
      "which is not a valid Float"
    ),
    (
      "UPDATE ZZEBRA SET ZVALUE = x'00FF' WHERE Z_PK = 2", "value", "ZZEBRA", 2,
      "cannot be made a value of the attribute value"
    ),
    (
      "UPDATE ZZEBRA SET ZVALUE = substr(ZVALUE, 1, 90) WHERE Z_PK = 1", "value", "ZZEBRA", 1,
      "not a readable keyed archive"
    ),
    (
      "UPDATE ZOWNER SET ZCOUNTED = 5", "derived", "ZOWNER", 1,
      "not the present value of Owner.counted"
    ),
    (
      "DELETE FROM Z_RT_Zebra_byPlace WHERE Z_PK = 2", "region", "ZZEBRA", 2,
      "Z_RT_Zebra_byPlace lacks the row"
    ),
    (
      "UPDATE Z_RT_Zebra_byPlace SET ZX_MAX = 9, ZX_MIN = 8 WHERE Z_PK = 2", "region", "ZZEBRA", 2,
      "has other bounds"
    ),
    (
      "INSERT INTO Z_RT_Zebra_byPlace VALUES (7, 1, 1, 1, 1)", "region", "Z_RT_Zebra_byPlace", 7,
      "ZZEBRA has no row with this key"
    ),
    (
      "DROP INDEX Z_Vest_UNIQUE_label; INSERT INTO ZVEST (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (2, 5, 1, 'a'), (3, 5, 1, 'a')",
      "uniqueness", "ZVEST", 3, "the same label as row 2"
    ),
  ]

  static let metadata: [Damage] = [
    ("UPDATE Z_METADATA SET Z_UUID = NULL", "metadata", "Z_METADATA", nil, "has no UUID"),
    ("UPDATE Z_METADATA SET Z_PLIST = x'00FF'", "metadata", "Z_METADATA", nil, "cannot be read"),
    ("DELETE FROM Z_METADATA", "metadata", "Z_METADATA", nil, "no row in Z_METADATA"),
    ("UPDATE Z_METADATA SET Z_UUID = 'nobody'", "metadata", "Z_METADATA", nil, "is not a UUID"),
    ("UPDATE Z_METADATA SET Z_VERSION = 4", "metadata", "Z_METADATA", 4, "Z_VERSION is not 1"),
    (
      "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA", "metadata", "Z_METADATA",
      2,
      "exists besides the one with the store's metadata"
    ),
    ("UPDATE Z_METADATA SET Z_PLIST = NULL", "metadata", "Z_METADATA", nil, "Z_PLIST is NULL"),
    ("UPDATE Z_METADATA SET Z_PLIST = 'x'", "metadata", "Z_METADATA", nil, "Z_PLIST is a text"),
    (
      "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00FF'", "model", "Z_MODELCACHE", nil,
      "copy of its model cannot be read"
    ),
    (
      "UPDATE Z_MODELCACHE SET Z_CONTENT = 'x'", "model", "Z_MODELCACHE", nil,
      "It is not binary data"
    ),
  ]

  /// Issues that are found without a model.
  static let withoutModel: [Damage] = [
    ("DROP TABLE ZTAG", "layout", "ZTAG", nil, "no table ZTAG, which Tag needs"),
    ("ALTER TABLE ZTAG DROP COLUMN Z_OPT", "layout", "ZTAG", nil, "no column Z_OPT"),
    (
      "DROP TABLE ATRANSACTIONSTRING", "layout", "ATRANSACTIONSTRING", nil,
      "no table ATRANSACTIONSTRING"
    ),
    (
      "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX", "layout", "ACHANGE", nil,
      "no index over ZTRANSACTIONID"
    ),
    (
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 7", "primaryKey", "Z_PRIMARYKEY", nil,
      "entities of the store have no row: Zoo"
    ),
    (
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 4", "primaryKey", "Z_PRIMARYKEY", 4,
      "below the key 2"
    ),
    ("UPDATE ZOWNER SET Z_ENT = 3 WHERE Z_PK = 2", "row", "ZOWNER", 2, "Z_ENT is 3"),
    ("UPDATE ZTAG SET Z_OPT = 'x'", "row", "ZTAG", 1, "Z_OPT is a text"),
    (
      "INSERT INTO Z_3THINGS VALUES (1, 55)", "join", "Z_3THINGS", 3,
      "Z_4THINGS is 55, which is not a key in ZTHING"
    ),
    (
      "UPDATE Z_6ZOOS SET Z_FOK_6ZEBRAS = 'x' WHERE Z_6ZEBRAS = 2", "order", "Z_6ZOOS", 2,
      "the pair has no place"
    ),
    (
      "UPDATE ZTHING SET ZDATE = 9e999 WHERE Z_PK = 2", "value", "ZTHING", 2,
      "but is a column of dates"
    ),
    (
      "UPDATE ZTHING SET ZFLAG = 'x' WHERE Z_PK = 2", "value", "ZTHING", 2,
      "but is a column of whole numbers"
    ),
    (
      "UPDATE ZTHING SET ZTEXT = x'00' WHERE Z_PK = 2", "value", "ZTHING", 2,
      "but is a column of texts"
    ),
    ("UPDATE ACHANGE SET ZENTITY = 70 WHERE Z_PK = 2", "history", "ACHANGE", 2, "ZENTITY is 70"),
  ]
}
