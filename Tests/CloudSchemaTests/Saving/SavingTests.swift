import CloudRecords
import CloudSchema
import Testing

private let development = SaveContext(environment: .development, database: .private)
private let production = SaveContext(environment: .production, database: .private)
private let publicly = SaveContext(environment: .development, database: .public)

private func written(_ fields: WrittenField...) -> WrittenRecord {
  WrittenRecord(recordType: "Note", fields: fields)
}

private func field(_ type: WrittenType, isEncrypted: Bool = false) -> WrittenField {
  WrittenField(name: "f", type: type, isEncrypted: isEncrypted)
}

@Suite struct `Just-in-time schema` {
  private static let learned: [(WrittenField, Datatype)] =
    FieldType.allCases.map { (field(.named($0)), .plain($0)) }
    + FieldType.allCases.filter(\.canBeEncrypted).map {
      (field(.named($0), isEncrypted: true), .encrypted($0))
    }
    + [
      (field(.inferred(.string)), .plain(.string)),
      (field(.inferred(.stringList)), .plain(.stringList)),
      (field(.inferred(.location)), .plain(.location)),
      (field(.inferred(.int64)), .number(preferred: nil)),
      (field(.inferred(.double)), .number(preferred: nil)),
      (field(.inferred(.int64List)), .numberList(preferred: nil)),
      (field(.inferred(.doubleList)), .numberList(preferred: nil)),
      (field(.inferred(.bytes), isEncrypted: true), .encrypted(.bytes)),
      (field(.sealed, isEncrypted: true), .encrypted(.bytes)),
    ]

  @Test(arguments: learned)
  func `A new field gets the type of its value`(field: WrittenField, datatype: Datatype) throws {
    var schema = Schema.initial
    let additions = try schema.check(written(field), in: development)
    #expect(additions.isNewType)
    #expect(
      additions.fields == [
        FieldDefinition(name: "f", datatype: datatype, indexes: datatype.learnedIndexes)
      ])
    schema.learn(additions)
    #expect(schema[type: "Note"]?.grants == .ofNewTypes)
    #expect(schema[type: "Note"]?[indexesOf: .recordIdentifier] == .queryable)
    #expect(try schema.check(written(field), in: development).isEmpty)
    #expect(try schema.check(written(field), in: production).isEmpty)
    #expect(try Schema(text: schema.text) == schema)
  }

  @Test func `A type gains missing fields and keeps the rest`() throws {
    var schema = try Schema(text: libraryText)
    let record = WrittenRecord(
      recordType: "Book",
      fields: [
        WrittenField(name: "title", type: .inferred(.string)),
        WrittenField(name: "isbn", type: .named(.string)),
        WrittenField(name: "blob", type: .null), WrittenField(name: "nothing", type: .null),
      ])
    let additions = try schema.check(record, in: development)
    #expect(!additions.isNewType)
    #expect(additions.fields.map(\.name) == ["isbn"])
    let before = schema
    schema.learn(additions)
    #expect(
      SchemaDifference(from: before, to: schema).text == """
        ~ RECORD TYPE Book
        +   isbn STRING QUERYABLE SEARCHABLE SORTABLE

        """)
  }

  @Test func `A record without fields creates its type`() throws {
    var schema = Schema.initial
    schema.learn(try schema.check(written(field(.null)), in: development))
    #expect(schema[type: "Note"] == .learned(name: "Note"))
  }

  @Test func `Users and shares can have custom fields`() throws {
    var schema = Schema.initial
    for type in SystemType.allCases {
      let record = WrittenRecord(recordType: type.rawValue, fields: [field(.named(.string))])
      let additions = try schema.check(record, in: development)
      #expect(!additions.isNewType)
      schema.learn(additions)
    }
    #expect(schema[type: "Users"]?.fields.map(\.name) == ["f", "roles"])
    #expect(schema[type: "Users"]?.grants == .ofUsers)
    #expect(schema[type: "cloudkit.share"]?.fields.map(\.name) == ["f"])
    #expect(try Schema(text: schema.text) == schema)
  }

  @Test func `A share's system fields are known in production`() throws {
    let title = WrittenField(name: "cloudkit.title", type: .named(.string))
    let share = WrittenRecord(recordType: "cloudkit.share", fields: [title])
    #expect(try Schema.initial.check(share, in: production).isEmpty)
    let elsewhere = try cloudError { _ = try Schema.initial.check(written(title), in: development) }
    #expect(elsewhere?.reason.contains("has a dot") == true)
  }

  @Test(arguments: [
    (
      field(.emptyList),
      "The members' type of an empty list cannot be learned: field 'f' for type 'Note'."
    ),
    (
      field(.named(.asset), isEncrypted: true),
      "Values of type ASSETID cannot be encrypted: field 'f' for type 'Note'."
    ),
    (
      field(.named(.referenceList), isEncrypted: true),
      "Values of type REFERENCE_LIST cannot be encrypted"
    ),
    (
      field(.inferred(.string), isEncrypted: true),
      "byte values must be base64 encoded: field 'f' for type 'Note'"
    ),
    (
      WrittenField(name: "___etag", type: .named(.string)),
      "The field '___etag' for type 'Note' does not begin with"
    ),
    (
      WrittenField(name: "naïve", type: .named(.string)),
      "The field 'naïve' for type 'Note' has characters other"
    ),
  ])
  func `A field that the schema cannot learn is rejected`(
    field: WrittenField, begins: String
  ) throws {
    let error = try #require(
      try cloudError { _ = try Schema.initial.check(written(field), in: development) })
    #expect(error.code == .badRequest)
    #expect(error.extension == nil)
    #expect(error.reason.hasPrefix(begins), "\(error.reason)")
  }

  @Test(arguments: ["", "1st", "a b", "a.b", "_Note"])
  func `An invalid type name is rejected`(name: String) throws {
    let error = try cloudError {
      _ = try Schema.initial.check(WrittenRecord(recordType: name, fields: []), in: development)
    }
    #expect(error?.reason.hasPrefix("The record type '\(name)' ") == true)
  }

  @Test func `A field that occurs twice is rejected`() throws {
    let error = try cloudError {
      _ = try Schema.initial.check(
        written(field(.named(.string)), field(.named(.int64))), in: development)
    }
    #expect(error?.reason.hasPrefix("The field 'f' for type 'Note' is given twice.") == true)
  }

  @Test func `A type learns at most 256 fields`() throws {
    func record(_ numbers: Range<Int>) -> WrittenRecord {
      WrittenRecord(
        recordType: "Note",
        fields: numbers.map { WrittenField(name: "f\($0)", type: .named(.int64)) })
    }
    var schema = Schema.initial
    schema.learn(try schema.check(record(0..<200), in: development))
    schema.learn(try schema.check(record(150..<256), in: development))
    #expect(schema[type: "Note"]?.fieldCount == 256)
    let error = try cloudError { _ = try schema.check(record(255..<257), in: development) }
    #expect(
      error?.reason.hasPrefix(
        "The record type 'Note' would have 257 fields; at most 256 are allowed.")
        == true)
    var limits = ServiceLimits()
    limits.fieldsPerRecordType = 257
    #expect(try schema.check(record(255..<257), in: development, limits: limits).fields.count == 1)
  }

  @Test func `A schema learns at most 500 types`() throws {
    var schema = Schema()
    for number in 0..<SchemaLimits.recordTypes { schema.define(.learned(name: "T\(number)")) }
    #expect(try schema.check(WrittenRecord(recordType: "T7", fields: []), in: development).isEmpty)
    let error = try cloudError { _ = try schema.check(written(), in: development) }
    #expect(
      error?.reason.hasPrefix("Cannot create new type Note: the schema has 500 record types")
        == true)
  }
}

@Suite struct `Saving in production` {
  @Test func `A type that was not deployed is rejected`() throws {
    let error = try #require(
      try cloudError { _ = try Schema.initial.check(written(), in: production) })
    #expect(error.code == .badRequest)
    #expect(error.extension == .schemaNotDeployed)
    #expect(
      error.reason.hasPrefix(
        "Cannot create new type Note in production schema. Save a record of this type in"))
    #expect(error.reason.hasSuffix("then deploy: parhelion schema deploy."))
  }

  @Test func `A field that was not deployed is rejected unless it is null`() throws {
    var schema = Schema.initial
    schema.define(.learned(name: "Note"))
    let error = try #require(
      try cloudError { _ = try schema.check(written(field(.named(.int64))), in: production) })
    #expect(error.code == .badRequest)
    #expect(error.extension == .schemaNotDeployed)
    #expect(
      error.reason.hasPrefix(
        "Cannot create or modify field 'f' in record 'Note' in production schema. "))
    #expect(try schema.check(written(field(.null)), in: production).isEmpty)
  }
}

@Suite struct `Types of saved values` {
  private func schema(_ datatype: Datatype) -> Schema {
    var type = RecordTypeDefinition.learned(name: "Note")
    type.define(FieldDefinition(name: "f", datatype: datatype))
    var schema = Schema.initial
    schema.define(type)
    return schema
  }

  @Test func `A value must have its field's type in both environments`() throws {
    for defined in FieldType.allCases {
      for type in FieldType.allCases {
        for place in [development, production, publicly] {
          let error = try cloudError {
            _ = try schema(.plain(defined)).check(written(field(.named(type))), in: place)
          }
          let expected =
            "invalid attempt to set value type \(type.name) for field 'f' for type 'Note', defined to be: \(defined.name). "
            + "Send a value of the type \(defined.name), or give values of another type a field with another name: types never change."
          #expect(error?.reason == (defined == type ? nil : expected))
          #expect(error?.extension == nil)
        }
      }
    }
  }

  private static let inferences: [(FieldType, Datatype, Bool)] = [
    (.int64, .plain(.double), true), (.int64List, .plain(.doubleList), true),
    (.double, .plain(.int64), false),
    (.int64, .plain(.timestamp), false), (.string, .plain(.bytes), false),
    (.string, .plain(.string), true),
    (.int64, .plain(.doubleList), false), (.int64, .number(preferred: nil), true),
    (.double, .number(preferred: nil), true), (.string, .number(preferred: nil), false),
    (.int64, .number(preferred: .double), true), (.double, .number(preferred: .int64), false),
    (.int64List, .numberList(preferred: nil), true),
    (.doubleList, .numberList(preferred: .int64), false),
    (.int64, .numberList(preferred: nil), false), (.bytes, .encrypted(.bytes), false),
  ]

  @Test(arguments: inferences)
  func `A type that the client omits is inferred`(type: FieldType, datatype: Datatype, fits: Bool)
    throws
  {
    let error = try cloudError {
      _ = try schema(datatype).check(written(field(.inferred(type))), in: development)
    }
    #expect((error == nil) == fits)
  }

  @Test func `A number accepts both types until it has a preference`() throws {
    for type in [FieldType.int64, .double] {
      #expect(
        try schema(.number(preferred: nil)).check(written(field(.named(type))), in: production)
          .isEmpty)
    }
    let error = try cloudError {
      _ = try schema(.number(preferred: .int64)).check(
        written(field(.named(.double))), in: production)
    }
    #expect(
      error?.reason.hasPrefix(
        "invalid attempt to set value type DOUBLE for field 'f' for type 'Note', defined to be: NUMBER_INT64. Send a value of the type INT64"
      ) == true)
    let text = try cloudError {
      _ = try schema(.number(preferred: nil)).check(written(field(.named(.string))), in: production)
    }
    #expect(
      text?.reason.contains("defined to be: NUMBER. Send a value of the type INT64 or DOUBLE")
        == true)
  }

  @Test func `Every list accepts an empty list without a type, and no other field does`() throws {
    for type in FieldType.allCases {
      let error = try cloudError {
        _ = try schema(.plain(type)).check(written(field(.emptyList)), in: production)
      }
      #expect((error == nil) == type.isList)
    }
  }

  @Test func `A value is stored in its field's type`() {
    #expect(Datatype.plain(.double).stored(.int64(3)) == .double(3))
    #expect(Datatype.number(preferred: nil).stored(.int64(3)) == .int64(3))
    #expect(Datatype.number(preferred: .double).stored(.int64(3)) == .double(3))
    #expect(Datatype.number(preferred: .int64).stored(.double(3)) == .int64(3))
    #expect(Datatype.number(preferred: .int64).stored(.double(3.5)) == .double(3.5))
    #expect(Datatype.number(preferred: .int64).stored(.double(.infinity)) == .double(.infinity))
    #expect(Datatype.plain(.string).stored(.string("3")) == .string("3"))
    #expect(Datatype.plain(.int64List).stored(.list(of: .string, [])) == .list(of: .int64, []))
    #expect(
      Datatype.plain(.doubleList).stored(.list(of: .int64, [.int64(1)]))
        == .list(of: .double, [.double(1)]))
    #expect(
      Datatype.numberList(preferred: .int64).stored(.list(of: .double, [.double(0.5)]))
        == .list(of: .double, [.double(0.5)]))
    #expect(
      Datatype.numberList(preferred: nil).stored(.list(of: .int64, [])) == .list(of: .int64, []))
  }
}

@Suite struct `Encrypted fields` {
  private var schema: Schema {
    get throws {
      try Schema(
        text:
          "DEFINE SCHEMA RECORD TYPE Note (secret ENCRYPTED STRING, data ENCRYPTED BYTES, plain STRING, list LIST<ENCRYPTED INT64>);"
      )
    }
  }

  private func reason(
    _ name: String, _ type: WrittenType, _ isEncrypted: Bool, in place: SaveContext = development
  )
    throws -> String?
  {
    let record = written(WrittenField(name: name, type: type, isEncrypted: isEncrypted))
    return try cloudError { _ = try schema.check(record, in: place) }?.reason
  }

  @Test func `An encrypted field accepts sealed values of its type`() throws {
    #expect(try reason("secret", .named(.string), true) == nil)
    #expect(try reason("secret", .null, false) == nil)
    #expect(try reason("data", .named(.bytes), true) == nil)
    #expect(try reason("data", .inferred(.bytes), true) == nil)
    #expect(try reason("list", .named(.int64List), true) == nil)
  }

  @Test func `An encrypted field accepts any value that a device sealed`() throws {
    for name in ["secret", "data", "list"] { #expect(try reason(name, .sealed, true) == nil) }
    let plain = try #require(try reason("plain", .sealed, true))
    #expect(
      plain.hasPrefix("Attempt to save encrypted data in non encrypted field type: field 'plain'"))
  }

  @Test func `An encrypted field needs an explicit type`() throws {
    for isEncrypted in [true, false] {
      let reported = try #require(try reason("secret", .inferred(.string), isEncrypted))
      #expect(
        reported
          == "invalid attempt to set value type ENCRYPTED_BYTES for field 'secret' for type 'Note', defined to be: ENCRYPTED_STRING. Send it with \"isEncrypted\": true and \"type\": \"STRING\"."
      )
    }
    let bytes = try #require(try reason("data", .inferred(.string), true))
    #expect(
      bytes.hasPrefix(
        "byte values must be base64 encoded: field 'data' for type 'Note', defined to be: ENCRYPTED_BYTES."
      ))
  }

  @Test func `An encrypted field rejects other types and unsealed values`() throws {
    let other = try #require(try reason("secret", .named(.int64), true))
    #expect(
      other.hasPrefix(
        "invalid attempt to set value type ENCRYPTED_INT64 for field 'secret' for type 'Note', defined to be: ENCRYPTED_STRING."
      ))
    let open = try #require(try reason("secret", .named(.string), false))
    #expect(
      open.hasPrefix(
        "invalid attempt to set value type STRING for field 'secret' for type 'Note', defined to be: ENCRYPTED_STRING."
      )
    )
  }

  @Test func `A plain field rejects encrypted values`() throws {
    for type in [WrittenType.named(.string), .inferred(.string), .named(.int64)] {
      let reported = try #require(try reason("plain", type, true))
      #expect(
        reported.hasPrefix(
          "Attempt to save encrypted data in non encrypted field type: field 'plain' for type 'Note', defined to be: STRING."
        ))
    }
  }

  @Test func `The public database has no encrypted fields`() throws {
    for name in ["secret", "plain", "new"] {
      let reported = try #require(try reason(name, .named(.string), true, in: publicly))
      #expect(
        reported.hasPrefix(
          "encrypted fields are not supported in the public database: field '\(name)' for type 'Note'."
        ))
    }
    let open = try #require(try reason("secret", .named(.string), false, in: publicly))
    #expect(
      open.hasSuffix(
        "Encrypted fields are for private databases: use a field with another name for public values."
      ))
    #expect(try reason("secret", .null, true, in: publicly) == nil)
  }
}
