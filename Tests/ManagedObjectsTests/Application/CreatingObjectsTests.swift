import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

/// A class with its own designated initializer.
private final class Visitor: NSManagedObject {
  let table: Int

  init(table: Int, in context: NSManagedObjectContext) {
    self.table = table
    super.init(entity: context.entity(named: "Person"), insertInto: context)
  }

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    table = 0
    super.init(entity: entity, insertInto: context)
  }
}

@Suite struct CreatingObjectsTests {
  private let office: Office
  private let context: NSManagedObjectContext

  init() throws {
    office = try Office()
    context = office.context
  }

  private func make<Object: NSManagedObject>(_ type: Object.Type = Object.self) -> Object {
    Object(context: context)
  }

  @Test func `Generic code creates objects`() {
    let company: Company = make()
    #expect(company.entity.name == "Company" && company.managedObjectContext === context)
    let type: NSManagedObject.Type = Company.self
    #expect(Swift.type(of: type.init(context: context)) == Company.self)
  }

  @Test func `A class with its own designated initializer keeps Core Data's initializers`() {
    let visitor = Visitor(table: 7, in: context)
    #expect(visitor.table == 7 && visitor.isInserted)
    #expect(Visitor(entity: visitor.entity, insertInto: context).table == 0)
  }
}

extension NSManagedObjectContext {
  fileprivate func entity(named name: String) -> NSEntityDescription {
    guard let entity = NSEntityDescription.entity(forEntityName: name, in: self) else {
      preconditionFailure("There is no entity \(name).")
    }
    return entity
  }
}
