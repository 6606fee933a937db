import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

/// Apple's tools wrote the expected hashes for these descriptions.
@Suite struct VersionHashTests {
  @Test func `An entity without properties has Apple's hash`() {
    #expect(
      entity("AutoClassGen").versionHash.hexadecimal
        == "78c13046fdf5b8719b0332614d0e5967335e5bd0fa9eedb8bbaa30fe8b9b1c25")
  }

  @Test func `An abstract entity has Apple's hash`() {
    #expect(
      entity("AbstractEntity") { $0.isAbstract = true }.versionHash.hexadecimal
        == "dbc201c1a26b2e8f6b8130b6ed8f7083e88229db4c1d1b73d8bccaab48402d12")
  }

  @Test func `A subentity with a uniqueness constraint has Apple's hash`() {
    let child = entity("NewEntity", [attribute("identifier", .UUIDAttributeType, optional: true)]) {
      $0.uniquenessConstraints = [["identifier"]]
    }
    let parent = entity("AbstractEntity", subentities: [child]) { $0.isAbstract = true }
    withExtendedLifetime(parent) {
      #expect(
        child.versionHash.hexadecimal
          == "a1d2c1d335618c265d2ffbd01c2bafe655aa0e0a82bc9f1ceba0c8b5b1d73264")
    }
  }

  @Test(arguments: [
    (
      "name", NSAttributeType.stringAttributeType, false,
      "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890"
    ),
    (
      "identifier", .UUIDAttributeType, true,
      "bb1cfcadb38818e7592beefa209da3c46695d3e1ea8da5aa311796f0cf76bcb2"
    ),
  ])
  func `An attribute has Apple's hash`(
    name: String, type: NSAttributeType, optional: Bool, expected: String
  ) {
    #expect(attribute(name, type, optional: optional).versionHash.hexadecimal == expected)
  }

  @Test func `A transient attribute has Apple's hash`() {
    let transient = attribute("transient", .stringAttributeType, optional: true) {
      $0.isTransient = true
    }
    #expect(
      transient.versionHash.hexadecimal
        == "16829af7c328e222eb5012876c547ba52c38dd3c74d6e09600a3e7f6073d0e11")
  }

  @Test(arguments: [
    (
      "canonical:(optionalString)",
      "5a206be69412d9428f0097fd09de6a663cb72a6b8c4a4850e681f95f68485234"
    ),
    ("oneToMany.@count", "b196dca2c798994b9379d59199e285c499db8ff2837deb49c4109e18042be819"),
    ("now()", "28a4dae0461e17af56e979c2095abfbe0bfc45fe9ca8abf3144338a518a1bb8f"),
  ])
  func `A derived attribute has Apple's hash`(derivation: String, expected: String) {
    let derived = NSDerivedAttributeDescription()
    derived.derivationExpression = NSExpression(format: derivation)
    #expect(derived.versionHash.hexadecimal == expected)
  }

  @Test func `Derivations by a collection operator and by its function have the same hash`() {
    let path = NSDerivedAttributeDescription()
    path.derivationExpression = NSExpression(forKeyPath: "oneToMany.@count")
    let function = NSDerivedAttributeDescription()
    function.derivationExpression = NSExpression(
      forFunction: "count:", arguments: [NSExpression(forKeyPath: "oneToMany")])
    #expect(path.versionHash == function.versionHash)
  }

  @Test func `Relationships have Apple's hashes`() {
    let main = entity("MainEntity")
    let secondary = entity("SecondaryEntity")
    let forward = relate(main, "oneToMany", to: secondary, maxCount: 0) { $0.isOrdered = true }
    let back = relate(secondary, "oneToMany", to: main, maxCount: 1)
    invert(forward, back)
    #expect(
      forward.versionHash.hexadecimal
        == "a7b93fad5693c144cccda7acc4f452c8b6e18531ee6a4cd91e57e563fdf90e6c")
    #expect(
      back.versionHash.hexadecimal
        == "64e67e09246db1ce7d8e53ce83863af850a4886501e916be0de0dacffd331fd4")
  }

  @Test func `A change that does not affect the rows does not change the hash`() {
    let plain = libraryModel()
    let changed = libraryModel()
    let author = changed.entitiesByName["Author"]!
    author.managedObjectClassName = "Other"
    author.userInfo = ["key": "value"]
    author.renamingIdentifier = "Writer"
    author.indexes = []
    let name = author.attributesByName["name"]!
    name.defaultValue = "nobody"
    name.userInfo = ["key": "value"]
    name.isIndexedBySpotlight = true
    name.renamingIdentifier = "fullName"
    name.setValidationPredicates([NSPredicate(value: true)], withValidationWarnings: ["no"])
    author.relationshipsByName["books"]!.deleteRule = .cascadeDeleteRule
    author.properties.append(attribute("shown", .stringAttributeType) { $0.isTransient = true })
    author.properties.append(NSFetchedPropertyDescription())
    #expect(changed.entityVersionHashesByName == plain.entityVersionHashesByName)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (NSEntityDescription) -> Void

    init(_ description: String, _ apply: @escaping @Sendable (NSEntityDescription) -> Void) {
      testDescription = description
      self.apply = apply
    }

    static func attribute(
      _ description: String, _ apply: @escaping @Sendable (NSAttributeDescription) -> Void
    )
      -> Change
    {
      Change(description) { $0.attributesByName["name"].map(apply) }
    }

    static func relationship(
      _ description: String, _ apply: @escaping @Sendable (NSRelationshipDescription) -> Void
    ) -> Change {
      Change(description) { $0.relationshipsByName["books"].map(apply) }
    }
  }

  static let changes: [Change] = [
    Change("name") { $0.name = "Writer" },
    Change("abstract") { $0.isAbstract = true },
    Change("modifier") { $0.versionHashModifier = "2" },
    Change("constraints") { $0.uniquenessConstraints = [] },
    .attribute("attribute's optionality") { $0.isOptional = true },
    .attribute("attribute's type") { $0.attributeType = .URIAttributeType },
    .attribute("attribute's modifier") { $0.versionHashModifier = "2" },
    .attribute("external storage") { $0.allowsExternalBinaryDataStorage = true },
    .attribute("preservation in history") { $0.preservesValueInHistoryOnDeletion = true },
    .relationship("greatest count") { $0.maxCount = 2 },
    .relationship("least count") { $0.minCount = 1 },
    .relationship("order") { $0.isOrdered = true },
    .relationship("inverse") { $0.inverseRelationship = nil },
    .relationship("destination") { $0.destinationEntity?.name = "Volume" },
  ]

  @Test(arguments: changes)
  func `A change that affects the rows changes the hash`(change: Change) {
    let library = libraryModel()
    let author = library.entitiesByName["Author"]!
    let before = author.versionHash
    change.apply(author)
    #expect(author.versionHash != before)
  }

  @Test func `A subentity's hash depends on its ancestors`() {
    let library = libraryModel()
    let book = library.entitiesByName["Book"]!
    let before = book.versionHash
    library.entitiesByName["Item"]!.attributesByName["title"]!.isOptional = true
    #expect(book.versionHash != before)
  }

  @Test func `The order of properties, constraints and entities does not change the hashes`() {
    let library = libraryModel()
    let author = library.entitiesByName["Author"]!
    author.uniquenessConstraints = [["id"], ["name", "id"]]
    let hash = author.versionHash
    let checksum = library.versionChecksum
    let digest = library.versionHashesDigest
    author.properties.reverse()
    author.uniquenessConstraints.reverse()
    library.entities.reverse()
    #expect(author.versionHash == hash)
    #expect(library.versionChecksum == checksum)
    #expect(library.versionHashesDigest == digest)
  }

  /// An independent program computed these hashes from the form in Design/0003.
  ///
  /// For the models above, the program gives Apple's hashes.
  @Test func `Several constraints are hashed in the order of their bytes`() {
    let constrained = entity(
      "E", [attribute("a", .stringAttributeType), attribute("b", .stringAttributeType)]
    ) {
      $0.uniquenessConstraints = [["b"], ["a", "b"]]
    }
    #expect(
      constrained.versionHash.hexadecimal
        == "988b555e89601ae80308169a1eba21607c3f6c2072a9d585ec6fd1de836c6525")
    constrained.versionHashModifier = "m"
    #expect(
      constrained.versionHash.hexadecimal
        == "a2dd01bac7da72605301078c804c97af2a9bb4955e004fdde50312bbf121897f")
  }

  /// The independent program of the previous test computed these values.
  ///
  /// `Z` precedes `a` by its bytes but follows it in alphabetical order.
  @Test
  func `A model's checksum and digest take its entities in the order of their bytes`() {
    let several = model(
      entity("é"), entity("a"), entity("Z"), entity("E", [attribute("a", .stringAttributeType)]))
    #expect(several.versionChecksum == "044gdy9qJHyj367SsTatvxNbYvJ1m/vDTth+IkMwaiE=")
    #expect(
      several.versionHashesDigest
        == "BlcYy6fwwbvwGseSwjPhbgHyL623PSZCQzXU4zJP9mqVVYgAoTS2XZFNT8qLo35mv06w+ZV3opt3h1EoNq9y4g=="
    )
  }

  @Test func `A constraint by description has the same hash as one by name`() {
    let library = libraryModel()
    let author = library.entitiesByName["Author"]!
    let hash = author.versionHash
    author.uniquenessConstraints = [[author.attributesByName["id"]!]]
    #expect(author.versionHash == hash)
  }

  @Test func `Freezing does not change a hash`() {
    let library = libraryModel()
    let hashes = library.entityVersionHashesByName
    let name = library.entitiesByName["Author"]!.attributesByName["name"]!.versionHash
    library.freeze()
    #expect(library.entityVersionHashesByName == hashes)
    #expect(library.entitiesByName["Author"]!.attributesByName["name"]!.versionHash == name)
  }
}

extension Data {
  var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
