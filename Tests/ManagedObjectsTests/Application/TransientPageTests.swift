import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Transient values next to rows that contexts share.
@Suite struct TransientPageTests {
  @Test func `A transient value stays with its object`() throws {
    let office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let ada = office.context.person("Ada")
    ada.setValue("the Countess", forKey: "nickname")
    try office.context.save()
    #expect(ada.value(forKey: "nickname") as? String == "the Countess")
    let other = office.newContext()
    let same = other.object(with: ada.objectID)
    #expect(same.value(forKey: "name") as? String == "Ada" && same.value(forKey: "nickname") == nil)
    ada.setValue("Lovelace", forKey: "nickname")
    ada.age = 36
    try office.context.save()
    let third = office.newContext().object(with: ada.objectID)
    #expect(third.value(forKey: "age") as? Int == 36 && third.value(forKey: "nickname") == nil)
    #expect(ada.value(forKey: "nickname") as? String == "Lovelace")
  }
}
