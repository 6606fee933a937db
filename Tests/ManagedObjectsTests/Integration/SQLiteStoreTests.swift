import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `Objects in an SQLite store` {
  @Test(arguments: [false, true])
  func `An object saved through one context is fetched by another coordinator`(inMemory: Bool)
    throws
  {
    try withTemporaryDirectory { folder in
      let url =
        inMemory
        ? URL(fileURLWithPath: "/dev/null") : folder.appendingPathComponent("Company.sqlite")
      let office = try Office(at: url)
      let context = office.context
      try context.performAndWait {
        let company = context.company("Acme", rank: 3)
        for number in 0..<20 { _ = context.person("Person \(number)", age: number, in: company) }
        try context.save()
        #expect(!context.hasChanges)
        company.rank = 4
        try context.save()
      }
      let second = inMemory ? office : try Office(at: url)
      let other = second.newContext()
      try other.performAndWait {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.predicate = NSPredicate(format: "company.name == %@ AND age >= 15", "Acme")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        let people = try other.fetch(request)
        #expect(people.map(\.age) == [19, 18, 17, 16, 15])
        #expect(people.first?.company?.rank == 4)
        #expect(people.first?.company?.employees.count == 20)
      }
    }
  }
}
