import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore

/// A model for fetches with every kind of attribute and relationship.
enum Library {
  static let text = """
    Author index=name
      name String
      born Date
      rating Double
      works ->> Item owner ordered
      books ->> Book authors
      mentor -> Author pupils
      pupils ->> Author mentor
      friends ->> Author friends
    Item
      code Integer64 indexed
      title String indexed
      subtitle String
      shelf String transient
      owner -> Author works
      tags ->> Tag items
    Book : Item
      pages Integer32
      price Decimal
      authors ->> Author books ordered
      prequel -> Book sequel
      sequel -> Book prequel
    Novel : Book
      genre String
    Film : Item
      minutes Integer16
      seen Boolean
      genre Integer16
    Tag index=label
      label String
      weight Float
      items ->> Item tags
    Sample
      flag Boolean
      small Integer16
      medium Integer32
      large Integer64
      single Float
      double Double
      decimal Decimal
      date Date
      text String
      url URI
      uuid UUID
      data Binary
      file Binary external
      shape Transformable
      place Composite elements=latitude/Double,longitude/Double,name/String
    """

  static func makeLayouts() throws -> ModelLayouts { .of(try SQLiteStoreTests.model(text)) }
}

/// An object for evaluation in memory, with the row of the same values.
final class LibraryObject: KeyValueCoding, ObjectIdentified {
  let identified: NSManagedObjectID
  var values: [String: Any] = [:]

  init(_ identifier: NSManagedObjectID) { identified = identifier }

  var key: Int64 { identified.key }
  var layout: RowLayout { identified.layout }
  var entity: NSEntityDescription { layout.entity }

  func value(forKey key: String) -> Any? {
    if let value = values[key] { return value }
    switch key {
    case "self": return self
    case "objectID": return identified
    default: return isToMany(key) ? [LibraryObject]() : nil
    }
  }

  func hasValue(forKey key: String) -> Bool { true }

  private func isToMany(_ key: String) -> Bool { entity.relationshipsByName[key]?.isToMany == true }

  /// The destination objects of a relationship.
  func members(_ key: String) -> [LibraryObject] {
    switch values[key] {
    case let member as LibraryObject: [member]
    case let members as [LibraryObject]: members
    default: []
    }
  }
}

extension LibraryObject: Hashable {
  static func == (one: LibraryObject, other: LibraryObject) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
