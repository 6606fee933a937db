import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct ModelValidationTests {
  @Test func `A valid model has no issues`() {
    #expect(ModelValidation.issues(in: libraryModel()) == [])
  }

  /// An invalid model: the broken rule, its place, and the change to the valid model.
  struct Fault: Sendable, CustomTestStringConvertible {
    let code: ModelIssue.Code
    let place: String
    let severity: ModelIssue.Severity
    let spoil: @Sendable (Library) -> Void

    init(
      _ code: ModelIssue.Code, _ place: String, _ severity: ModelIssue.Severity = .error,
      _ spoil: @escaping @Sendable (Library) -> Void
    ) {
      self.code = code
      self.place = place
      self.severity = severity
      self.spoil = spoil
    }

    var testDescription: String { "\(code.rawValue) at \(place)" }
  }

  static let faults: [Fault] = [
    Fault(.emptyName, "") { $0.model.entities.append(NSEntityDescription()) },
    Fault(.emptyName, "Author") {
      $0.author.properties.append(attribute("", .stringAttributeType))
    },
    Fault(.duplicateName, "") { $0.model.entities.append(entity("Author")) },
    Fault(.duplicateName, "Author.name") {
      $0.author.properties.append(attribute("name", .stringAttributeType))
    },
    Fault(.duplicateName, "Book.title") {
      $0.book.properties.append(attribute("title", .stringAttributeType))
    },
    Fault(.duplicateName, "Author.byName") {
      $0.author.indexes.append(NSFetchIndexDescription(name: "byName", elements: [element("name")]))
    },
    Fault(.reservedName, "Author.description") {
      $0.author.properties.append(attribute("description", .stringAttributeType))
    },
    Fault(.reservedName, "Author.objectID") {
      $0.author.properties.append(attribute("objectID", .stringAttributeType))
    },
    Fault(.reservedName, "Author.zone", .warning) {
      $0.author.properties.append(attribute("zone", .stringAttributeType))
    },
    Fault(.unusableName, "Author.a b") {
      $0.author.properties.append(attribute("a b", .stringAttributeType))
    },
    Fault(.parentCycle, "Item") { $0.book.subentities = [$0.item] },
    Fault(.entityOutsideModel, "Book") { library in
      library.author.subentities = [NSEntityDescription()]
      strangers.append(entity("Stranger", subentities: [library.book]))
    },
    Fault(.entityOutsideModel, "Author") { $0.author.subentities = [entity("Stranger")] },
    Fault(.undefinedType, "Author.name") { $0.name.attributeType = .undefinedAttributeType },
    Fault(.unknownType, "Author.name") { $0.name.attributeType = .objectIDAttributeType },
    Fault(.compositeWithoutElements, "Author.name") {
      $0.name.attributeType = .compositeAttributeType
    },
    Fault(.defaultValueMismatch, "Author.name") { $0.name.defaultValue = 3 },
    Fault(.defaultValueMismatch, "Book.pages") {
      $0.book.attributesByName["pages"]?.defaultValue = Int64.max
    },
    Fault(.unsuitableOption, "Author.name", .warning) {
      $0.name.allowsExternalBinaryDataStorage = true
    },
    Fault(.derivedWithoutExpression, "Author.d") { $0.author.properties.append(derived(nil)) },
    Fault(.derivedTransient, "Author.d") {
      $0.author.properties.append(derived("name") { $0.isTransient = true })
    },
    Fault(.derivedFromUnknownProperty, "Author.d") {
      $0.author.properties.append(derived("nothing.name"))
    },
    Fault(.compositeWithoutElements, "Author.c") { $0.author.properties.append(composite()) },
    Fault(.duplicateName, "Author.c.x") { $0.author.properties.append(composite("x", "x")) },
    Fault(.compositeTooDeep, "Author.c" + String(repeating: ".c", count: 16)) { library in
      let circle = composite()
      circle.elements = [circle]
      circle.isOptional = true
      library.author.properties.append(circle)
      circles.append(circle)
    },
    Fault(.compositeElementUnsuitable, "Author.c.x") { library in
      let group = composite("x")
      group.elements[0].isTransient = true
      library.author.properties.append(group)
    },
    Fault(.compositeElementRequired, "Author.c.x", .warning) { library in
      let group = composite("x")
      group.elements[0].isOptional = false
      library.author.properties.append(group)
    },
    Fault(.missingDestination, "Author.books") { $0.books.destinationEntity = nil },
    Fault(.missingDestination, "Author.books") { $0.books.destinationEntity = strangers[0] },
    Fault(.missingInverse, "Author.books", .warning) { $0.books.inverseRelationship = nil },
    Fault(.inverseMismatch, "Book.author") { $0.books.inverseRelationship = nil },
    Fault(.inverseMismatch, "Author.books") { $0.books.inverseRelationship = $0.books },
    Fault(.inverseMismatch, "Author.books") { $0.writer.destinationEntity = $0.item },
    Fault(.countsOutOfOrder, "Author.books") { ($0.books.minCount, $0.books.maxCount) = (3, 2) },
    Fault(.countsOutOfOrder, "Author.books") { $0.books.minCount = -1 },
    Fault(.orderedToOne, "Book.author") { $0.writer.isOrdered = true },
    Fault(.noActionRule, "Author.books", .warning) { $0.books.deleteRule = .noActionDeleteRule },
    Fault(.fetchWithoutRequest, "Author.f") { library in
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "f"
      library.author.properties.append(fetched)
    },
    Fault(.fetchOfUnknownEntity, "Author.f") { library in
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "f"
      fetched.fetchRequest = NSFetchRequest(entityName: "Nothing")
      library.author.properties.append(fetched)
    },
    Fault(.fetchOfUnknownEntity, "bad") {
      $0.model.setFetchRequestTemplate(NSFetchRequest(), forName: "bad")
    },
    Fault(.constraintEmpty, "Author") { $0.author.uniquenessConstraints = [[]] },
    Fault(.constraintUnknownAttribute, "Author.id, nothing") {
      $0.author.uniquenessConstraints = [["id", "nothing"]]
    },
    Fault(.constraintOnRelationship, "Author.books") {
      $0.author.uniquenessConstraints = [["books"]]
    },
    Fault(.constraintOnTransient, "Author.name") { library in
      library.name.isTransient = true
      library.author.indexes = []
      library.author.uniquenessConstraints = [["name"]]
    },
    Fault(.indexEmpty, "Author.byName") { $0.author.indexes[0].elements = [] },
    Fault(.indexUnknownProperty, "Author.byName") {
      $0.name.name = ""; $0.author.indexes[0].elements = [element("nothing")]
    },
    Fault(.indexUnsuitableProperty, "Author.byName", .warning) { $0.name.isTransient = true },
    Fault(.indexUnsuitableProperty, "Author.byName", .warning) {
      $0.author.indexes[0].elements = [
        NSFetchIndexElementDescription(property: $0.books, collationType: .binary)
      ]
    },
    Fault(.indexUnsuitableProperty, "Author.byName") {
      $0.author.indexes[0].elements[0].collationType = .rTree
    },
    Fault(.indexMixedTypes, "Author.byName") { library in
      let index = library.author.indexes[0]
      index.elements.append(
        NSFetchIndexElementDescription(property: library.name, collationType: .rTree))
    },
  ]

  // Objects that an invalid model refers to weakly must live as long as the test.
  nonisolated(unsafe) private static var strangers = [entity("Stranger")]
  nonisolated(unsafe) private static var circles: [NSCompositeAttributeDescription] = []

  @Test(arguments: faults)
  func `Each error is found at its place`(fault: Fault) {
    let library = Library()
    fault.spoil(library)
    let issues = ModelValidation.issues(in: library.model)
    let found = issues.first { $0.code == fault.code && place(of: $0) == fault.place }
    #expect(found != nil, "\(issues)")
    #expect(found?.severity == fault.severity)
    #expect(found?.message.hasSuffix(".") == true && found?.remedy.hasSuffix(".") == true)
  }

  @Test func `A shared property is found`() {
    let shared = attribute("shared", .stringAttributeType)
    let both = model(entity("One", [shared]), entity("Two", [shared]))
    #expect(ModelValidation.issues(in: both).map(\.code) == [.propertySharedByEntities])
  }

  @Test func `Every rule is exercised`() {
    let exercised = Set(Self.faults.map(\.code)).union([.propertySharedByEntities])
    #expect(Set(ModelIssue.Code.allCases).subtracting(exercised).isEmpty)
  }

  @Test func `An expression may be indexed, and a leaf of a composite constrained`() {
    let library = Library()
    library.author.properties.append(composite("x"))
    library.author.uniquenessConstraints = [["c.x"]]
    let expression = NSExpressionDescription()
    expression.name = "lowered"
    expression.expression = NSExpression(
      forFunction: "lowercase:", arguments: [NSExpression(forKeyPath: "name")])
    library.author.indexes[0].elements = [
      NSFetchIndexElementDescription(property: expression, collationType: .binary)
    ]
    #expect(ModelValidation.issues(in: library.model) == [])
  }

  @Test func `An issue reads as a line`() {
    let library = Library()
    library.books.destinationEntity = nil
    #expect(
      ModelValidation.issues(in: library.model).map(\.description)
        .contains(
          "error: Author.books: The relationship has no destination. Set its destination entity."))
  }

  private func place(of issue: ModelIssue) -> String {
    [issue.entity, issue.property].compactMap { $0 }.joined(separator: ".")
  }

  private static func element(_ name: String) -> NSFetchIndexElementDescription {
    NSFetchIndexElementDescription(
      property: attribute(name, .stringAttributeType), collationType: .binary)
  }

  private static func derived(
    _ keyPath: String?, _ configure: (NSDerivedAttributeDescription) -> Void = { _ in }
  ) -> NSDerivedAttributeDescription {
    let derived = NSDerivedAttributeDescription()
    derived.name = "d"
    derived.attributeType = .stringAttributeType
    derived.derivationExpression = keyPath.map { NSExpression(forKeyPath: $0) }
    configure(derived)
    return derived
  }
}

private func composite(_ elements: String...) -> NSCompositeAttributeDescription {
  let composite = NSCompositeAttributeDescription()
  composite.name = "c"
  composite.elements = elements.map { attribute($0, .doubleAttributeType, optional: true) }
  return composite
}
