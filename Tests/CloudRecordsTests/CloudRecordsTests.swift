import CloudRecords
import Testing

@Suite struct `Values of records` {
  @Test func `Field types and list types convert to each other`() {
    for type in FieldType.allCases {
      #expect(FieldType(name: type.name) == type)
      #expect((type.list == nil) == type.isList)
      #expect((type.list ?? type).member?.list == (type.list ?? type))
      #expect(type.name.hasSuffix("_LIST") == type.isList)
    }
    #expect(FieldType(name: "ASSET") == nil)
    #expect(FieldType.allCases.filter(\.isList).count == 8)
  }

  @Test func `References, assets and lists of them cannot be encrypted`() {
    let refused = FieldType.allCases.filter { !$0.canBeEncrypted }
    #expect(Set(refused) == [.reference, .referenceList, .asset, .assetList])
  }

  @Test func `Fields are ordered by name`() {
    var fields = RecordFields()
    for name in ["title", "a", "Z", "é", "b", "title2"] { fields[name] = Field(.string(name)) }
    #expect(fields.map(\.name) == ["Z", "a", "b", "title", "title2", "é"])
    #expect(fields["b"] == Field(.string("b")))
    #expect(fields["c"] == nil)
    fields["b"] = nil
    fields["missing"] = nil
    fields["a"] = Field(.int64(1), isEncrypted: true)
    #expect(fields.map(\.name) == ["Z", "a", "title", "title2", "é"])
    #expect(fields["a"]?.isEncrypted == true)
  }

  @Test(arguments: [
    (90.0, 180.0, true), (-90, -180, true), (90.5, 0, false), (0, -181, false), (.nan, 0, false),
    (0, .infinity, false),
  ])
  func `Locations are within the bounds of the earth`(
    latitude: Double, longitude: Double, isValid: Bool
  ) {
    #expect((LocationValue(latitude: latitude, longitude: longitude).defect == nil) == isValid)
  }

  @Test func `A location with an infinite course is invalid`() {
    var place = LocationValue(latitude: 1, longitude: 2)
    place.course = .infinity
    #expect(place.defect == "has a number that is not finite")
  }

  @Test func `Stored values of an enumeration never change`() {
    #expect(FieldType.allCases.map(\.rawValue) == Array(1...8) + Array(33...40))
    #expect(RecordReference.Action.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(ShareParticipant.Role.allCases.map(\.rawValue) == [1, 2, 3, 4])
    #expect(ShareParticipant.Permission.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(ShareParticipant.Acceptance.allCases.map(\.rawValue) == [1, 2, 3])
    #expect(DatabaseScope.allCases.map(\.rawValue) == [1, 2, 3])
  }
}

@Suite struct `Fields that every record has` {
  @Test func `System fields have one name in schemas and another in requests`() {
    for field in SystemField.allCases {
      #expect(field.rawValue.hasPrefix("___"))
      #expect(SystemField(apiName: field.apiName) == field)
      #expect(SystemField(rawValue: field.apiName) == nil)
    }
    #expect(SystemField(apiName: "modifiedTimestamp") == .modifiedTime)
    #expect(SystemField(rawValue: "___createdBy")?.type == .reference)
    #expect(SystemField(apiName: "title") == nil)
  }
}

@Suite struct `Comparators of filters` {
  @Test func `There are twenty-one comparators, and each negation has its opposite`() {
    let names = FilterComparator.allCases.map(\.rawValue)
    #expect(names.count == 21)
    let negations = names.filter { $0.hasPrefix("NOT_") }
    #expect(negations.count == 7)
    #expect(negations.allSatisfy { names.contains(String($0.dropFirst(4))) })
  }
}

@Suite struct `Names in the cloud` {
  @Test(arguments: [
    (CloudName.recordName, "A name, with (signs)!", true), (.recordName, "", false),
    (.recordName, String(repeating: "x", count: 255), true),
    (.recordName, String(repeating: "x", count: 256), false),
    (.recordName, "tab\there", false), (.recordName, "naïve", false),
    (.recordName, "_begins", true),
    (.zoneName, "Notes", true), (.zoneName, "_mine", false), (.zoneName, "_defaultZone", true),
    (.recordType, "CD_Post", true), (.recordType, "cloudkit.share", true),
    (.recordType, "1st", false),
    (.recordType, "a-b", false), (.fieldName, "CD_title_ckAsset", true),
    (.fieldName, "___etag", false),
    (.container, "iCloud.com.example.my-app", true), (.container, "../x", false),
    (.container, "a/b", false),
    (.subscriptionIdentifier, "private changes", true), (.subscriptionIdentifier, "\u{7F}", false),
  ])
  func `A name is valid if its length and characters fit its kind`(
    kind: CloudName, name: String, isValid: Bool
  ) {
    #expect((kind.defect(in: name) == nil) == isValid, "\(name)")
  }
}

@Suite struct `Errors of the cloud` {
  @Test func `There are fourteen error codes, each with its status`() {
    #expect(CloudErrorCode.allCases.count == 14)
    let statuses = Dictionary(grouping: CloudErrorCode.allCases, by: \.httpStatus)
    #expect(Set(statuses.keys) == [400, 401, 403, 404, 409, 412, 413, 421, 429, 500, 503])
    #expect(Set(statuses[404] ?? []) == [.notFound, .zoneNotFound])
    #expect(Set(statuses[409] ?? []) == [.conflict, .exists])
  }
}

@Suite struct `Words of shares` {
  @Test func `Each word is read in this server's and in other clients' spelling`() {
    for role in ShareParticipant.Role.allCases {
      #expect(ShareParticipant.Role(name: role.name) == role)
    }
    for permission in ShareParticipant.Permission.allCases {
      #expect(ShareParticipant.Permission(name: permission.name) == permission)
    }
    for state in ShareParticipant.Acceptance.allCases {
      #expect(ShareParticipant.Acceptance(name: state.name) == state)
    }
    #expect(ShareParticipant.Acceptance(name: "PENDING") == .invited)
    #expect(ShareParticipant.Role(name: "PRIVATE_USER") == .user)
    #expect(ShareParticipant.Permission(name: "UNKNOWN") == ShareParticipant.Permission.none)
    #expect(ShareParticipant.Role(name: "owner") == nil)
    #expect(ShareParticipant.Permission(name: "WRITE") == nil)
  }

  @Test func `Permissions are ordered by what they allow`() {
    #expect(ShareParticipant.Permission.allCases.sorted() == [.none, .readOnly, .readWrite])
  }
}
