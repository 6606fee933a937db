import Foundation
import ManagedObjectModel
import Testing

/// Swift runs no property observers for assignments in initializers of the same class.
@Suite struct ConvenienceInitializerTests {
  @Test func `Entities assigned in a convenience initializer belong to the model`() {
    let model = NSManagedObjectModel(entitiesNamed: ["Book", "Author"])
    #expect(model.entities.allSatisfy { $0.model === model })
  }

  @Test
  func
    `Subentities, indexes and properties assigned in a convenience initializer belong to the entity`()
  {
    let novel = NSEntityDescription()
    let title = NSAttributeDescription()
    let index = NSFetchIndexDescription(name: "byTitle", elements: [])
    let book = NSEntityDescription(subentity: novel, property: title, index: index)
    #expect(novel.superentity === book)
    #expect(title.entity === book)
    #expect(index.entity === book)
  }

  @Test func `Elements assigned in a convenience initializer belong to the index`() {
    let element = NSFetchIndexElementDescription(
      property: NSAttributeDescription(), collationType: .binary)
    let index = NSFetchIndexDescription(element: element)
    #expect(element.indexDescription === index)
  }

  @Test func `A fetch request assigned in a convenience initializer holds its entity weakly`() {
    weak var entity: NSEntityDescription?
    let property: NSFetchedPropertyDescription
    do {
      let book = NSEntityDescription()
      entity = book
      property = NSFetchedPropertyDescription(fetching: book)
    }
    #expect(entity == nil)
    #expect(property.fetchRequest != nil)
  }

  @Test func `Entities replaced in a convenience initializer leave the model`() {
    let first = NSEntityDescription()
    let second = NSEntityDescription()
    let model = NSManagedObjectModel(first: first, then: second)
    #expect(first.model == nil)
    #expect(second.model === model)
  }
}

extension NSManagedObjectModel {
  fileprivate convenience init(entitiesNamed names: [String]) {
    self.init()
    self.entities = names.map { name in
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
  }

  fileprivate convenience init(first: NSEntityDescription, then second: NSEntityDescription) {
    self.init()
    self.entities = [first]
    self.entities = [second]
  }
}

extension NSEntityDescription {
  fileprivate convenience init(
    subentity: NSEntityDescription, property: NSPropertyDescription, index: NSFetchIndexDescription
  ) {
    self.init()
    self.subentities = [subentity]
    self.properties = [property]
    self.indexes = [index]
  }
}

extension NSFetchIndexDescription {
  fileprivate convenience init(element: NSFetchIndexElementDescription) {
    self.init(name: "index", elements: nil)
    self.elements = [element]
  }
}

extension NSFetchedPropertyDescription {
  fileprivate convenience init(fetching entity: NSEntityDescription) {
    self.init()
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    self.fetchRequest = request
  }
}
