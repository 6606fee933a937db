import Foundation
import PropertyLists

extension ModelArchiver {
  mutating func add(
    _ request: NSFetchRequest<any NSFetchRequestResult>, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    let specification = request.specification
    var fields: [String: PropertyList] = [
      "NSEntity": try reference(to: entity(of: specification, at: path), at: path),
      "NSPredicate": try PredicateArchiver.add(specification.predicate, to: &builder, at: path),
      "NSHavingPredicate": try PredicateArchiver.add(
        specification.havingPredicate, to: &builder, at: path),
      "NSFetchLimit": .integer(Int128(specification.fetchLimit)),
      "NSFetchOffset": .integer(Int128(specification.fetchOffset)),
      "NSBatchSize": .integer(Int128(specification.fetchBatchSize)),
      "NSResultType": .integer(Int128(specification.resultType.rawValue)),
      "NSHasFetchRequestFlags": .boolean(true),
      "NSFetchRequestFlags": .integer(Int128(FetchRequestBits(of: specification).rawValue)),
      "NSAllocationType": .integer(0),
      "NSSortDescriptors": addSortDescriptors(specification.sortDescriptors),
      "NSValuesToFetch": try addValues(specification.propertiesToFetch, at: path),
      "NSValuesToGroupBy": try addValues(specification.propertiesToGroupBy, at: path),
    ]
    let paths = specification.relationshipKeyPathsForPrefetching
    fields["NSRelationshipKeyPathsForPrefetching"] =
      paths.map { paths in builder.array(paths.map { builder.string($0) }) }
      ?? KeyedArchiveBuilder.null
    if specification.shouldRefreshRefetchedObjects {
      fields["ParhelionRefreshesRefetchedObjects"] = .boolean(true)
    }
    return builder.add("NSFetchRequest", fields)
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

  private mutating func addSortDescriptors(_ descriptors: [NSSortDescriptor]?) -> PropertyList {
    guard let descriptors else { return KeyedArchiveBuilder.null }
    return builder.array(descriptors.map { SortDescriptorArchive.add($0, to: &builder) })
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
          .notArchivable, "A property to fetch is a name or a property.", at: path)
      }
    }
    return builder.array(references)
  }
}
