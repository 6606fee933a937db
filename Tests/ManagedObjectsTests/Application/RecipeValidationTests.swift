import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A class with custom validation, whose objects are validated by key.
final class CheckedForm: NSManagedObject {
  override func validateValue(_ value: inout Any?, forKey key: String) throws {
    try super.validateValue(&value, forKey: key)
    if key == "text", let text = value as? String { value = text.lowercased() }
  }
}

/// Cocoa's errors for values that the model does not allow.
@Suite struct RecipeValidationTests {
  /// A model with every rule that Xcode's editor knows.
  private static func model() -> NSManagedObjectModel {
    let (form, line) = (NSEntityDescription(), NSEntityDescription())
    (form.name, line.name) = ("Form", "Line")
    form.properties = [
      ruled("number", .integer32AttributeType, "SELF >= 1", "SELF <= 10"),
      ruled("amount", .decimalAttributeType, "SELF >= 1", "SELF <= 10"),
      ruled("ratio", .doubleAttributeType, "SELF >= 0.5", "SELF <= 1.5"),
      ruled("text", .stringAttributeType, "length >= 2", "length <= 4"),
      ruled("code", .stringAttributeType, "SELF MATCHES '[A-Z]+'"),
      dated("day"),
      KitchenModel.attribute("required", .stringAttributeType, default: "x", isOptional: false),
    ]
    let (lines, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (lines.name, back.name) = ("lines", "form")
    (lines.minCount, lines.maxCount, back.maxCount) = (1, 2, 1)
    lines.isOptional = true
    back.isOptional = false
    (lines.destinationEntity, back.destinationEntity) = (line, form)
    (lines.inverseRelationship, back.inverseRelationship) = (back, lines)
    lines.deleteRule = .denyDeleteRule
    form.properties += [lines]
    line.properties = [back]
    let model = NSManagedObjectModel()
    model.entities = [form, line]
    return model
  }

  private static func ruled(_ name: String, _ type: NSAttributeType, _ rules: String...)
    -> NSAttributeDescription
  {
    let attribute = KitchenModel.attribute(name, type)
    attribute.setValidationPredicates(
      rules.map { NSPredicate(format: $0) }, withValidationWarnings: nil)
    return attribute
  }

  private static func dated(_ name: String) -> NSAttributeDescription {
    let attribute = KitchenModel.attribute(name, .dateAttributeType)
    attribute.setValidationPredicates(
      [
        NSPredicate(format: "SELF >= %@", Date(timeIntervalSinceReferenceDate: 0) as NSDate),
        NSPredicate(format: "SELF <= %@", Date(timeIntervalSinceReferenceDate: 100) as NSDate),
      ], withValidationWarnings: nil)
    return attribute
  }

  private let kitchen: Kitchen

  init() throws { kitchen = try Kitchen(model: Self.model()) }

  private func form(_ context: NSManagedObjectContext, _ values: [String: Any] = [:])
    -> NSManagedObject
  {
    let form = NSEntityDescription.insertNewObject(forEntityName: "Form", into: context)
    form.setValuesForKeys(values)
    return form
  }

  /// A value that breaks a rule.
  enum Bad: Sendable {
    case whole(Int), real(Double), decimal(Int), text(String), day(Double), nothing

    var value: Any {
      switch self {
      case .whole(let value): value
      case .real(let value): value
      case .decimal(let value): NSDecimalNumber(value: value)
      case .text(let value): value
      case .day(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
      case .nothing: NSNull()
      }
    }
  }

  @Test(
    arguments: [
      ("number", .whole(0), NSValidationNumberTooSmallError),
      ("number", .whole(11), NSValidationNumberTooLargeError),
      ("amount", .decimal(0), NSValidationNumberTooSmallError),
      ("amount", .decimal(11), NSValidationNumberTooLargeError),
      ("ratio", .real(0.25), NSValidationNumberTooSmallError),
      ("ratio", .real(2.0), NSValidationNumberTooLargeError),
      ("text", .text("a"), NSValidationStringTooShortError),
      ("text", .text("abcde"), NSValidationStringTooLongError),
      ("code", .text("ab"), NSValidationStringPatternMatchingError),
      ("day", .day(-1.0), NSValidationDateTooSoonError),
      ("day", .day(101.0), NSValidationDateTooLateError),
      ("required", .nothing, NSValidationMissingMandatoryPropertyError),
    ] as [(String, Bad, Int)])
  func `A value that breaks a rule is an error`(_ key: String, _ bad: Bad, _ code: Int) throws {
    let value = bad.value
    try kitchen.inContext { context in
      let object = form(context, [key: value])
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.domain == NSCocoaErrorDomain && error?.code == code)
      #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object)
      #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
      if value is NSNull {
        #expect(error?.userInfo[NSValidationValueErrorKey] == nil)
      } else {
        let found = error?.userInfo[NSValidationValueErrorKey] as? NSObject
        #expect(found?.isEqual(value) == true)
        #expect(error?.userInfo[NSValidationPredicateErrorKey] is NSPredicate)
      }
      // Validating the value alone and as a change refuses it too.
      var alone: Any? = value is NSNull ? nil : value
      let second = #expect(throws: NSError.self) { try object.validateValue(&alone, forKey: key) }
      #expect(second?.code == code)
      object.setValue(object.entity.attributesByName[key]?.defaultValue, forKey: key)
      try context.save()
      object.setValue(value, forKey: key)
      let third = #expect(throws: NSError.self) { try object.validateForUpdate() }
      #expect(third?.code == code)
    }
  }

  @Test func `Several failures are one error with details`() throws {
    try kitchen.inContext { context in
      let (one, two) = (
        form(context, ["number": 0, "text": "abcde"]), form(context, ["required": NSNull()])
      )
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationMultipleErrorsError)
      let details = try #require(error?.userInfo[NSDetailedErrorsKey] as? [NSError])
      #expect(details.map(\.code).sorted() == [1570, 1620, 1660])
      let objects = details.compactMap {
        $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
      }
      #expect(Set(objects) == [one, two] && context.insertedObjects == [one, two])
      do {
        try context.save()
      } catch let error as CocoaError where error.code == .validationMultipleErrors {
        #expect(error.userInfo[NSDetailedErrorsKey] != nil)
      }
    }
  }

  @Test func `Too many members, a missing owner and a denied deletion are errors`() throws {
    try kitchen.inContext { context in
      let object = form(context)
      try context.save()
      let lines = (0..<3).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: "Line", into: context)
      }
      object.setValue(NSSet(array: lines), forKey: "lines")
      let tooMany = #expect(throws: NSError.self) { try context.save() }
      #expect(tooMany?.code == NSValidationRelationshipExceedsMaximumCountError)
      #expect(tooMany?.userInfo[NSValidationKeyErrorKey] as? String == "lines")
      object.setValue(NSSet(array: [lines[0]]), forKey: "lines")
      let missing = #expect(throws: NSError.self) { try context.save() }
      let codes = (missing?.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code)
      #expect(
        codes == [
          NSValidationMissingMandatoryPropertyError, NSValidationMissingMandatoryPropertyError,
        ])
      for line in lines.dropFirst() { context.delete(line) }
      try context.save()
      context.delete(object)
      let denied = #expect(throws: NSError.self) { try context.save() }
      let all = denied?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [denied].compactMap(\.self)
      #expect(all.map(\.code).contains(NSValidationRelationshipDeniedDeleteError))
      context.delete(lines[0])
      try context.save()
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Form")) == 0)
    }
  }

  /// A kitchen whose forms require lines.
  private static func kitchen(leastLines: Int, isChecked: Bool) throws -> Kitchen {
    let model = Self.model()
    let lines = model.entitiesByName["Form"]?.relationshipsByName["lines"]
    lines?.isOptional = false
    lines?.minCount = leastLines
    if isChecked {
      model.entitiesByName["Form"]?.managedObjectClassName = NSStringFromClass(CheckedForm.self)
    }
    return try Kitchen(model: model)
  }

  @Test(arguments: [false, true])
  func `A required relationship without a minimum count may be empty`(isChecked: Bool) throws {
    try Self.kitchen(leastLines: 0, isChecked: isChecked).inContext { context in
      let object = form(context)
      object.setValue(NSSet(), forKey: "lines")
      _ = form(context)
      try context.save()
      object.setValue(3, forKey: "number")
      try context.save()
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Form")) == 2)
    }
  }

  /// The use of a relationship before the save that fails.
  enum Touch: CaseIterable {
    case nothing, set, read, refused, identified
  }

  @Test(arguments: [false, true], Touch.allCases)
  func `A required relationship with a minimum count is refused without members`(
    isChecked: Bool, touch: Touch
  ) throws {
    try Self.kitchen(leastLines: 1, isChecked: isChecked).inContext { context in
      let object = form(context)
      switch touch {
      case .nothing: break
      case .set: object.setValue(NSSet(), forKey: "lines")
      case .read: #expect((object.value(forKey: "lines") as? NSSet)?.count == 0)
      case .refused: #expect(throws: NSError.self) { try context.save() }
      case .identified: try context.obtainPermanentIDs(for: [object])
      }
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationRelationshipLacksMinimumCountError)
      #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "lines")
      object.setValue(
        NSSet(array: [NSEntityDescription.insertNewObject(forEntityName: "Line", into: context)]),
        forKey: "lines")
      try context.save()
      object.setValue(NSSet(), forKey: "lines")
      let second = #expect(throws: NSError.self) { try object.validateForUpdate() }
      #expect(second?.code == NSValidationRelationshipLacksMinimumCountError)
    }
  }

  @Test func `A value that custom validation replaces is saved`() throws {
    let kitchen = try Self.kitchen(leastLines: 0, isChecked: true)
    try kitchen.inContext { context in
      let object = form(context, ["text": "ABC"])
      try context.save()
      #expect(object.value(forKey: "text") as? String == "abc" && !context.hasChanges)
    }
    try kitchen.inContext { context in
      let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Form"))
      #expect(found.map { $0.value(forKey: "text") as? String } == ["abc"])
    }
  }

  @Test func `Too few members have their own error code`() throws {
    let model = Self.model()
    let lines = try #require(model.entitiesByName["Form"]?.relationshipsByName["lines"])
    lines.isOptional = false
    lines.minCount = 2
    let kitchen = try Kitchen(model: model)
    try kitchen.inContext { (context) throws in
      let object = form(context)
      object.setValue(
        NSSet(array: [NSEntityDescription.insertNewObject(forEntityName: "Line", into: context)]),
        forKey: "lines")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationRelationshipLacksMinimumCountError)
    }
  }
}
