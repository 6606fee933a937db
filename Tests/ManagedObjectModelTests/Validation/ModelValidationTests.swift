import Foundation
import ManagedObjectModel
import PredicateLanguage
import Synchronization
import Testing

@Suite struct ModelValidationTests {
  @Test func `A valid model has no issues`() {
    #expect(ModelValidation.issues(in: libraryModel()) == [])
  }

  /// An invalid model: the broken rule, its place, and the change to the valid model.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let code: ModelIssue.Code
    let place: String
    let severity: ModelIssue.Severity
    let apply: @Sendable (Library) -> Void

    init(
      _ code: ModelIssue.Code, _ place: String, _ severity: ModelIssue.Severity = .error,
      _ apply: @escaping @Sendable (Library) -> Void
    ) {
      self.code = code
      self.place = place
      self.severity = severity
      self.apply = apply
    }

    var testDescription: String { "\(code.rawValue) at \(place)" }
  }

  static let mistakes: [Mistake] = [
    Mistake(.emptyName, "") { $0.model.entities.append(NSEntityDescription()) },
    Mistake(.emptyName, "Author") {
      $0.author.properties.append(attribute("", .stringAttributeType))
    },
    Mistake(.duplicateName, "") { $0.model.entities.append(entity("Author")) },
    Mistake(.duplicateName, "Author.name") {
      $0.author.properties.append(attribute("name", .stringAttributeType))
    },
    Mistake(.duplicateName, "Book.title") {
      $0.book.properties.append(attribute("title", .stringAttributeType))
    },
    Mistake(.duplicateName, "Author.byName") {
      $0.author.indexes.append(NSFetchIndexDescription(name: "byName", elements: [element("name")]))
    },
    Mistake(.reservedName, "Author.description") {
      $0.author.properties.append(attribute("description", .stringAttributeType))
    },
    Mistake(.reservedName, "Author.objectID") {
      $0.author.properties.append(attribute("objectID", .stringAttributeType))
    },
    Mistake(.reservedName, "Author.zone", .warning) {
      $0.author.properties.append(attribute("zone", .stringAttributeType))
    },
    Mistake(.unusableName, "Author.a b") {
      $0.author.properties.append(attribute("a b", .stringAttributeType))
    },
    Mistake(.parentCycle, "Item") { $0.book.subentities = [$0.item] },
    Mistake(.entityOutsideModel, "Book") { library in
      library.author.subentities = [NSEntityDescription()]
      let stranger = entity("Stranger", subentities: [library.book])
      kept.withLock { $0.append(stranger) }
    },
    Mistake(.entityOutsideModel, "Author") { $0.author.subentities = [entity("Stranger")] },
    Mistake(.undefinedType, "Author.name") { $0.name.attributeType = .undefinedAttributeType },
    Mistake(.unknownType, "Author.name") { $0.name.attributeType = .objectIDAttributeType },
    Mistake(.compositeWithoutElements, "Author.name") {
      $0.name.attributeType = .compositeAttributeType
    },
    Mistake(.defaultValueMismatch, "Author.name") { $0.name.defaultValue = 3 },
    Mistake(.defaultValueMismatch, "Book.pages") {
      $0.book.attributesByName["pages"]?.defaultValue = Int64.max
    },
    Mistake(.unsuitableOption, "Author.name", .warning) {
      $0.name.allowsExternalBinaryDataStorage = true
    },
    Mistake(.derivedWithoutExpression, "Author.d") { $0.author.properties.append(derived(nil)) },
    Mistake(.derivedTransient, "Author.d") {
      $0.author.properties.append(derived("name") { $0.isTransient = true })
    },
    Mistake(.derivedFromUnknownProperty, "Author.d") {
      $0.author.properties.append(derived("nothing.name"))
    },
    Mistake(.compositeWithoutElements, "Author.c") { $0.author.properties.append(composite()) },
    Mistake(.duplicateName, "Author.c.x") { $0.author.properties.append(composite("x", "x")) },
    Mistake(.compositeTooDeep, "Author.c" + String(repeating: ".c", count: 16)) { library in
      let circle = composite()
      circle.elements = [circle]
      circle.isOptional = true
      library.author.properties.append(circle)
      kept.withLock { $0.append(circle) }
    },
    Mistake(.compositeElementUnsuitable, "Author.c.x") { library in
      let group = composite("x")
      group.elements[0].isTransient = true
      library.author.properties.append(group)
    },
    Mistake(.compositeElementRequired, "Author.c.x", .warning) { library in
      let group = composite("x")
      group.elements[0].isOptional = false
      library.author.properties.append(group)
    },
    Mistake(.missingDestination, "Author.books") { $0.books.destinationEntity = nil },
    Mistake(.missingDestination, "Author.books") { $0.books.destinationEntity = stranger },
    Mistake(.missingInverse, "Author.books", .warning) { $0.books.inverseRelationship = nil },
    Mistake(.inverseMismatch, "Book.author") { $0.books.inverseRelationship = nil },
    Mistake(.inverseMismatch, "Author.books") { $0.books.inverseRelationship = $0.books },
    Mistake(.inverseMismatch, "Author.books") { $0.writer.destinationEntity = $0.item },
    Mistake(.countsOutOfOrder, "Author.books") { ($0.books.minCount, $0.books.maxCount) = (3, 2) },
    Mistake(.countsOutOfOrder, "Author.books") { $0.books.minCount = -1 },
    Mistake(.orderedToOne, "Book.author") { $0.writer.isOrdered = true },
    Mistake(.noActionRule, "Author.books", .warning) { $0.books.deleteRule = .noActionDeleteRule },
    Mistake(.fetchWithoutRequest, "Author.f") { library in
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "f"
      library.author.properties.append(fetched)
    },
    Mistake(.fetchOfUnknownEntity, "Author.f") { library in
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "f"
      fetched.fetchRequest = NSFetchRequest(entityName: "Nothing")
      library.author.properties.append(fetched)
    },
    Mistake(.fetchOfUnknownEntity, "bad") {
      $0.model.setFetchRequestTemplate(NSFetchRequest(), forName: "bad")
    },
    Mistake(.constraintEmpty, "Author") { $0.author.uniquenessConstraints = [[]] },
    Mistake(.constraintUnknownAttribute, "Author.id, nothing") {
      $0.author.uniquenessConstraints = [["id", "nothing"]]
    },
    Mistake(.constraintOnRelationship, "Author.books") {
      $0.author.uniquenessConstraints = [["books"]]
    },
    Mistake(.constraintOnTransient, "Author.name") { library in
      library.name.isTransient = true
      library.author.indexes = []
      library.author.uniquenessConstraints = [["name"]]
    },
    Mistake(.indexEmpty, "Author.byName") { $0.author.indexes[0].elements = [] },
    Mistake(.indexUnknownProperty, "Author.byName") {
      $0.name.name = ""; $0.author.indexes[0].elements = [element("nothing")]
    },
    Mistake(.indexUnsuitableProperty, "Author.byName", .warning) { $0.name.isTransient = true },
    Mistake(.indexUnsuitableProperty, "Author.byName", .warning) {
      $0.author.indexes[0].elements = [
        NSFetchIndexElementDescription(property: $0.books, collationType: .binary)
      ]
    },
    Mistake(.indexUnsuitableProperty, "Author.byName") {
      $0.author.indexes[0].elements[0].collationType = .rTree
    },
    Mistake(.indexMixedTypes, "Author.byName") { library in
      let index = library.author.indexes[0]
      index.elements.append(
        NSFetchIndexElementDescription(property: library.name, collationType: .rTree))
    },
  ]

  /// An entity that no model contains.
  private static let stranger = entity("Stranger")

  /// Objects that invalid models reference weakly, which must live as long as the tests.
  private static let kept = Mutex<[any Sendable]>([])

  @Test(arguments: mistakes)
  func `Each mistake is reported at its place`(mistake: Mistake) {
    let library = Library()
    mistake.apply(library)
    let issues = ModelValidation.issues(in: library.model)
    let found = issues.first { $0.code == mistake.code && place(of: $0) == mistake.place }
    #expect(found != nil, "\(issues)")
    #expect(found?.severity == mistake.severity)
    #expect(found?.message.hasSuffix(".") == true && found?.remedy.hasSuffix(".") == true)
  }

  @Test func `A property that two entities share is an error`() {
    let shared = attribute("shared", .stringAttributeType)
    let both = model(entity("One", [shared]), entity("Two", [shared]))
    #expect(ModelValidation.issues(in: both).map(\.code) == [.propertySharedByEntities])
  }

  @Test func `Every rule has a mistake that breaks it`() {
    let exercised = Set(Self.mistakes.map(\.code)).union([.propertySharedByEntities])
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

  @Test func `An issue has a description of one line`() {
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
