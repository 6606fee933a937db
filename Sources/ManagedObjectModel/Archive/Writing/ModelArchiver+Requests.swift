import Foundation
import PropertyLists

extension ModelArchiver {
  mutating func add(
    _ request: NSFetchRequest<any NSFetchRequestResult>, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    let specification = request.specification
    var fields = try FetchRequestArchive.fields(of: specification, to: &builder, at: path)
    fields["NSEntity"] = try reference(to: entity(of: specification, at: path), at: path)
    fields["NSValuesToFetch"] = try addValues(specification.propertiesToFetch, at: path)
    fields["NSValuesToGroupBy"] = try addValues(specification.propertiesToGroupBy, at: path)
    return builder.add(FetchRequestArchive.className, fields)
  }

  private func entity(
    of specification: FetchSpecification, at path: ArchivePath
  ) throws(ModelArchiveError) -> NSEntityDescription? {
    guard case .name(let name) = specification.entity else { return specification.entity.entity }
    guard let entity = entities.first(where: { $0.name == name })?.entity else {
      throw ModelArchiveError(
        .notArchivable, "The model has no entity “\(name)” to fetch.", at: path)
    }
    return entity
  }

  private mutating func addValues(
    _ values: [Any]?, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let values else { return KeyedArchiveBuilder.null }
    var references: [PropertyList] = []
    for value in values {
      switch value {
      case let name as String: references.append(builder.string(name))
      case let expression as NSExpressionDescription:
        references.append(try add(expression, at: path))
      case let property as NSPropertyDescription:
        references.append(try reference(to: property, at: path))
      default:
        throw ModelArchiveError(
          .notArchivable, "A property to fetch must be a name or an NSPropertyDescription.",
          at: path)
      }
    }
    return builder.array(references)
  }
}
