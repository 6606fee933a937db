import Foundation
import ManagedObjects
import ObjectRows
import SQLiteDriver
import Testing

@Suite struct CocoaErrorTests {
  @Test(arguments: [
    (1550, CocoaError.managedObjectValidation, CocoaError.Code.managedObjectValidation),
    (1551, .managedObjectConstraintValidation, .managedObjectConstraintValidation),
    (1560, .validationMultipleErrors, .validationMultipleErrors),
    (1570, .validationMissingMandatoryProperty, .validationMissingMandatoryProperty),
    (1690, .validationInvalidURI, .validationInvalidURI),
    (132_000, .managedObjectContextLocking, .managedObjectContextLocking),
    (133_000, .managedObjectReferentialIntegrity, .managedObjectReferentialIntegrity),
    (133_020, .managedObjectMerge, .managedObjectMerge),
    (133_021, .managedObjectConstraintMerge, .managedObjectConstraintMerge),
    (134_060, .coreData, .coreData),
    (134_091, .persistentStoreUnsupportedRequestType, .persistentStoreUnsupportedRequestType),
    (134_111, .migrationConstraintViolation, .migrationConstraintViolation),
    (134_180, .sqlite, .sqlite),
    (134_301, .persistentHistoryTokenExpired, .persistentHistoryTokenExpired),
    (134_506, .stagedMigrationBackwardMigration, .stagedMigrationBackwardMigration),
  ])
  func `Codes have Apple's numbers`(number: Int, onError: CocoaError.Code, onCode: CocoaError.Code)
  {
    #expect(onError.rawValue == number)
    #expect(onCode.rawValue == number)
  }

  @Test func `Our errors are caught by code, as CocoaError and as NSError`() {
    func fail() throws {
      throw cocoaError(NSManagedObjectMergeError, "No.", [NSAffectedObjectsErrorKey: [NSObject()]])
    }
    do {
      try fail()
    } catch CocoaError.managedObjectMerge {
    } catch {
      Issue.record("not caught by its code: \(error)")
    }
    #expect { try fail() } throws: { ($0 as? CocoaError)?.affectedObjects?.count == 1 }
    #expect { try fail() } throws: { ($0 as NSError).localizedDescription == "No." }
  }

  @Test func `Details of a validation error are read by name`() {
    let predicate = NSPredicate(value: false)
    let error = CocoaError(
      .validationNumberTooSmall,
      userInfo: [
        NSValidationObjectErrorKey: "object", NSValidationKeyErrorKey: "pages",
        NSValidationValueErrorKey: 3,
        NSValidationPredicateErrorKey: predicate,
      ])
    #expect(error.validationObject as? String == "object")
    #expect(error.validationKey == "pages")
    #expect(error.validationValue as? Int == 3)
    #expect(error.validationPredicate === predicate)
    #expect(error.affectedStores == nil)
    #expect(error.persistentStoreSaveConflicts == nil)
  }

  @Test func `A store's error becomes an NSError with its message and names`() {
    let error = StoreError(
      .incompatibleModel, "Migrate it.", context: ["file": "/tmp/a.sqlite", "entity": "Book"])
    let converted = publicError(for: error) as NSError
    #expect(converted.domain == NSCocoaErrorDomain)
    #expect(converted.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(converted.localizedDescription == "Migrate it.")
    #expect(converted.userInfo[NSFilePathErrorKey] as? String == "/tmp/a.sqlite")
    #expect(converted.userInfo["entity"] as? String == "Book")
    #expect(converted.userInfo[NSSQLiteErrorDomain] == nil)
  }

  @Test func `The SQLite part of an error is found at any depth`() {
    let sqlite = SQLiteError(
      code: .full, message: "database or disk is full", context: .init(path: "/tmp/a.sqlite"))
    let error = StoreError(
      .sqlite, "The save failed.", underlying: StoreError(.sqlite, "", underlying: sqlite))
    let converted = publicError(for: error) as NSError
    #expect(converted.code == NSSQLiteError)
    #expect(converted.userInfo[NSSQLiteErrorDomain] as? Int == 13)
    #expect(converted.localizedRecoverySuggestion == sqlite.remedy)
    #expect(converted.userInfo[NSFilePathErrorKey] as? String == "/tmp/a.sqlite")
    let underlying = converted.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.domain == NSSQLiteErrorDomain)
    #expect(underlying?.code == 13)
  }

  @Test(arguments: [
    (SQLiteError.Code.full, 640), (.corruptIndex, 259), (.notADatabase, 259), (.readOnlyMoved, 513),
    (.busySnapshot, NSPersistentStoreTimeoutError), (.cannotOpen, NSPersistentStoreOpenError),
    (.constraintUnique, NSSQLiteError),
  ])
  func `An error of SQLite alone has a Cocoa code`(
    code: SQLiteError.Code, cocoaCode: Int
  ) {
    #expect((publicError(for: SQLiteError(code: code, message: "")) as NSError).code == cocoaCode)
  }

  @Test func `Other errors do not change`() {
    struct Other: Error {}
    #expect(publicError(for: Other()) is Other)
    let error = NSError(domain: "Other", code: 7)
    #expect(publicError(for: error) as NSError === error)
    #expect(throws: Other.self) { try throwingPublicErrors { throw Other() } }
  }
}
