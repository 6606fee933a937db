import Foundation
import PredicateLanguage

/// Fetch requests: those of fetched properties, and the model's templates.
///
/// | key of `NSFetchRequest` | meaning |
/// |---|---|
/// | `NSEntity` | the entity |
/// | `NSPredicate`, `NSSortDescriptors`, `NSHavingPredicate` | |
/// | `NSFetchLimit`, `NSFetchOffset`, `NSBatchSize` | 0 means none |
/// | `NSResultType` | Apple's public number |
/// | `NSFetchRequestFlags` | see `FetchRequestBits` |
/// | `NSValuesToFetch`, `NSValuesToGroupBy` | arrays of names or properties |
/// | `NSRelationshipKeyPathsForPrefetching` | array of strings |
/// | `NSHasFetchRequestFlags`, `NSAllocationType` | true and 0; not read |
/// | `ParhelionRefreshesRefetchedObjects` | our own: Apple's bit is not known |
///
/// A fetched property has `NSFetchRequest`, and the entity's name again in
/// `_NSFetchRequestEntityName`.
extension ModelArchiveReader {
  typealias AnyFetchRequest = NSFetchRequest<any NSFetchRequestResult>

  func readFetchRequest(
    of property: NSFetchedPropertyDescription, _ object: ArchivedObject
  ) throws(ModelArchiveError) {
    guard let archived = try object.object("NSFetchRequest") else { return }
    let request = try fetchRequest(archived)
    if case .none = request.specification.entity,
      let name = try object.string("_NSFetchRequestEntityName")
    {
      request.specification.entity = .strong(
        try entity(named: name, in: object, key: "_NSFetchRequestEntityName"))
    }
    property.fetchRequest = request
  }

  func readTemplates() throws(ModelArchiveError) {
    for (name, value) in try root.entries("NSFetchRequestTemplates").sorted(by: { $0.key < $1.key })
    {
      guard let object = value.object(of: "NSFetchRequest") else {
        throw root.error(
          .unknownClass, "A fetch request is expected, not \(value.kind).",
          key: "NSFetchRequestTemplates")
      }
      model.setFetchRequestTemplate(try fetchRequest(object), forName: name)
    }
  }

  private func fetchRequest(_ object: ArchivedObject) throws(ModelArchiveError) -> AnyFetchRequest {
    var specification = FetchSpecification()
    if let entity = try entity("NSEntity", of: object) { specification.entity = .strong(entity) }
    specification.predicate = try PredicateArchiveReader.read("NSPredicate", of: object)
    specification.havingPredicate = try PredicateArchiveReader.read("NSHavingPredicate", of: object)
    specification.sortDescriptors = try sortDescriptors(of: object)
    let counts = 0...Int(Int32.max)
    specification.fetchLimit = try object.integer("NSFetchLimit", in: counts)
    specification.fetchOffset = try object.integer("NSFetchOffset", in: counts)
    specification.fetchBatchSize = try object.integer("NSBatchSize", in: counts)
    specification.resultType = NSFetchRequestResultType(
      rawValue: UInt(try object.integer("NSResultType", in: 0...7)))
    FetchRequestBits(
      rawValue: try object.integer("NSFetchRequestFlags") ?? FetchRequestBits.standard.rawValue
    )
    .apply(to: &specification)
    specification.shouldRefreshRefetchedObjects = try object.flag(
      "ParhelionRefreshesRefetchedObjects")
    specification.propertiesToFetch = try values("NSValuesToFetch", of: object)
    specification.propertiesToGroupBy = try values("NSValuesToGroupBy", of: object)
    specification.relationshipKeyPathsForPrefetching = try prefetching(of: object)
    let request = AnyFetchRequest()
    request.specification = specification
    return request
  }

  private func sortDescriptors(of object: ArchivedObject) throws(ModelArchiveError)
    -> [NSSortDescriptor]?
  {
    guard let array = try object.object("NSSortDescriptors") else { return nil }
    var descriptors: [NSSortDescriptor] = []
    for element in try array.elements() {
      guard let archived = element.object(of: "NSSortDescriptor") else {
        throw array.error(.unknownClass, "A sort descriptor is expected, not \(element.kind).")
      }
      descriptors.append(try SortDescriptorArchive.read(archived))
    }
    return descriptors
  }

  private func values(_ key: String, of object: ArchivedObject) throws(ModelArchiveError) -> [Any]?
  {
    guard let array = try object.object(key) else { return nil }
    var values: [Any] = []
    for element in try array.elements() {
      if let name = try element.text() {
        values.append(name)
      } else if case .object(let archived) = element, let property = properties[archived.index] {
        values.append(property)
      } else if let expression = element.object(of: "NSExpressionDescription") {
        values.append(try readExpression(expression))
      } else {
        throw array.error(
          .wrongKind, "A property or a property name is expected, not \(element.kind).")
      }
    }
    return values
  }

  private func prefetching(of object: ArchivedObject) throws(ModelArchiveError) -> [String]? {
    let key = "NSRelationshipKeyPathsForPrefetching"
    guard let array = try object.object(key) else { return nil }
    var paths: [String] = []
    for element in try array.elements() {
      guard let path = try element.text() else {
        throw array.error(.wrongKind, "A key path is expected.")
      }
      paths.append(path)
    }
    return paths
  }
}
