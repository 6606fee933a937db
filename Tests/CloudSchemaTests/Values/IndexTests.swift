import CloudRecords
import CloudSchema
import Testing

@Suite struct `Indexes of fields` {
  private static let learned: [(Datatype, FieldIndexes)] = [
    (.plain(.string), [.queryable, .sortable, .searchable]),
    (.plain(.int64), [.queryable, .sortable]), (.plain(.double), [.queryable, .sortable]),
    (.plain(.timestamp), [.queryable, .sortable]), (.plain(.reference), .queryable),
    (.plain(.location), [.queryable, .sortable]), (.plain(.bytes), []), (.plain(.asset), []),
    (.plain(.stringList), .queryable), (.plain(.int64List), .queryable),
    (.plain(.doubleList), .queryable),
    (.plain(.timestampList), .queryable), (.plain(.referenceList), .queryable),
    (.plain(.locationList), []),
    (.plain(.bytesList), []), (.plain(.assetList), []),
    (.number(preferred: nil), [.queryable, .sortable]),
    (.numberList(preferred: nil), .queryable), (.encrypted(.string), []),
    (.encrypted(.stringList), []),
  ]

  @Test(arguments: learned)
  func `A learned field has the indexes of its type`(datatype: Datatype, indexes: FieldIndexes) {
    #expect(datatype.learnedIndexes == indexes)
    #expect(datatype.possibleIndexes.isSuperset(of: indexes))
  }

  @Test func `New types can be listed and sorted by their dates`() {
    let type = RecordTypeDefinition.learned(name: "T")
    #expect(type[indexesOf: .recordIdentifier] == .queryable)
    #expect(type[indexesOf: .createdTime] == [.queryable, .sortable])
    #expect(type[indexesOf: .modifiedTime] == [.queryable, .sortable])
    #expect(SystemField.allCases.filter { !type[indexesOf: $0].isEmpty }.count == 3)
  }
}

@Suite struct `Permissions in the public database` {
  @Test func `In new types everyone reads, signed-in users create, and creators write`() {
    let grants = RoleGrants.ofNewTypes
    #expect(grants.permissions(roles: [], isSignedIn: false, isCreator: false) == .read)
    #expect(grants.permissions(roles: [], isSignedIn: true, isCreator: false) == [.read, .create])
    #expect(
      grants.permissions(roles: [], isSignedIn: true, isCreator: true) == [.read, .create, .write])
    #expect(RoleGrants.ofUsers.permissions(roles: [], isSignedIn: true, isCreator: false) == .read)
    #expect(
      RoleGrants.ofUsers.permissions(roles: [], isSignedIn: true, isCreator: true) == [
        .read, .write,
      ])
  }

  @Test func `Roles apply to signed-in users who have them`() {
    var grants = RoleGrants()
    grants["Librarian"] = [.create, .write]
    #expect(
      grants.permissions(roles: ["Librarian"], isSignedIn: true, isCreator: false) == [
        .create, .write,
      ])
    #expect(grants.permissions(roles: ["Librarian"], isSignedIn: false, isCreator: false) == [])
    #expect(grants.permissions(roles: ["Reader"], isSignedIn: true, isCreator: false) == [])
    grants["Librarian"] = []
    #expect(grants == RoleGrants())
  }

  @Test func `A creator's write permission includes reading, for creators only`() {
    var grants = RoleGrants()
    grants["_creator"] = .write
    #expect(grants.permissions(roles: [], isSignedIn: true, isCreator: true) == [.read, .write])
    #expect(grants.permissions(roles: [], isSignedIn: true, isCreator: false) == [])
    grants["_icloud"] = .write
    #expect(grants.permissions(roles: [], isSignedIn: true, isCreator: false) == .write)
  }
}
