import Foundation
import PredicateLanguage

/// Fetch requests: those of fetched properties, and the model's templates.
///
/// | key of `NSFetchRequest` | meaning |
/// |---|---|
/// | `NSEntity` | the entity |
/// | `NSValuesToFetch`, `NSValuesToGroupBy` | arrays of names or properties |
/// | others | see `FetchRequestArchive` |
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
    var specification = try FetchRequestArchive.read(object)
    if let entity = try entity("NSEntity", of: object) { specification.entity = .strong(entity) }
    specification.propertiesToFetch = try values("NSValuesToFetch", of: object)
    specification.propertiesToGroupBy = try values("NSValuesToGroupBy", of: object)
    let request = AnyFetchRequest()
    request.specification = specification
    return request
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
}
