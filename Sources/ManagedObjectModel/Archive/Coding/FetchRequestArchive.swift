import Foundation
import PredicateLanguage
import PropertyLists

/// The part of an archived fetch request that does not refer to a model.
///
/// | key of `NSFetchRequest` | meaning |
/// |---|---|
/// | `NSPredicate`, `NSSortDescriptors`, `NSHavingPredicate` | |
/// | `NSFetchLimit`, `NSFetchOffset`, `NSBatchSize` | 0 means none |
/// | `NSResultType` | Apple's public number |
/// | `NSFetchRequestFlags` | see `FetchRequestBits` |
/// | `NSRelationshipKeyPathsForPrefetching` | array of strings |
/// | `NSHasFetchRequestFlags`, `NSAllocationType` | true and 0; not read |
/// | `ParhelionRefreshesRefetchedObjects` | our own: Apple's bit is not known |
///
/// A request in a model also refers to its entity and properties. A request outside of a model has
/// their names instead:
///
/// | key of `NSFetchRequest` | meaning |
/// |---|---|
/// | `ParhelionEntityName` | the entity's name |
/// | `NSValuesToFetch`, `NSValuesToGroupBy` | arrays of names or descriptions of expressions |
enum FetchRequestArchive {
  static let className = "NSFetchRequest"

  // MARK: Writing

  static func fields(
    of specification: FetchSpecification, to builder: inout KeyedArchiveBuilder,
    at path: ArchivePath
  ) throws(ModelArchiveError) -> [String: PropertyList] {
    var fields: [String: PropertyList] = [
      "NSPredicate": try PredicateArchiver.add(specification.predicate, to: &builder, at: path),
      "NSHavingPredicate": try PredicateArchiver.add(
        specification.havingPredicate, to: &builder, at: path),
      "NSFetchLimit": KeyedArchiveBuilder.count(specification.fetchLimit, from: 0),
      "NSFetchOffset": KeyedArchiveBuilder.count(specification.fetchOffset, from: 0),
      "NSBatchSize": KeyedArchiveBuilder.count(specification.fetchBatchSize, from: 0),
      "NSResultType": .integer(Int128(specification.resultType.rawValue)),
      "NSHasFetchRequestFlags": .boolean(true),
      "NSFetchRequestFlags": .integer(Int128(FetchRequestBits(of: specification).rawValue)),
      "NSAllocationType": .integer(0),
      "NSSortDescriptors": array(specification.sortDescriptors, in: &builder) {
        SortDescriptorArchive.add($0, to: &$1)
      },
      "NSRelationshipKeyPathsForPrefetching": array(
        specification.relationshipKeyPathsForPrefetching, in: &builder
      ) { $1.string($0) },
    ]
    if specification.shouldRefreshRefetchedObjects {
      fields["ParhelionRefreshesRefetchedObjects"] = .boolean(true)
    }
    return fields
  }

  private static func array<Element>(
    _ elements: [Element]?, in builder: inout KeyedArchiveBuilder,
    _ add: (Element, inout KeyedArchiveBuilder) -> PropertyList
  ) -> PropertyList {
    guard let elements else { return KeyedArchiveBuilder.null }
    var references: [PropertyList] = []
    for element in elements { references.append(add(element, &builder)) }
    return builder.array(references)
  }

  /// The archive of a request outside of a model.
  static func data(of specification: FetchSpecification) throws(ModelArchiveError) -> Data {
    for case let descriptor in specification.sortDescriptors ?? [] where descriptor.selector == nil
    {
      throw ModelArchiveError(.notArchivable, "\(descriptor) compares with a closure.")
    }
    return try PredicateArchive.data { (builder, path) throws(ModelArchiveError) in
      var fields = try fields(of: specification, to: &builder, at: path)
      fields["ParhelionEntityName"] = builder.string(specification.entity.name)
      fields["NSValuesToFetch"] = try addValues(
        specification.propertiesToFetch, to: &builder, at: path)
      fields["NSValuesToGroupBy"] = try addValues(
        specification.propertiesToGroupBy, to: &builder, at: path)
      return builder.add(className, fields)
    }
  }

  private static func addValues(
    _ values: [Any]?, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let values else { return KeyedArchiveBuilder.null }
    var references: [PropertyList] = []
    for value in values {
      switch value {
      case let name as String: references.append(builder.string(name))
      case let expression as NSExpressionDescription:
        references.append(try expression.add(to: &builder, at: path))
      case let property as NSPropertyDescription: references.append(builder.string(property.name))
      default:
        throw ModelArchiveError(
          .notArchivable, "A property to fetch must be a name or an NSPropertyDescription.",
          at: path)
      }
    }
    return builder.array(references)
  }

  // MARK: Reading

  static func read(_ object: ArchivedObject) throws(ModelArchiveError) -> FetchSpecification {
    var specification = FetchSpecification()
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
    specification.relationshipKeyPathsForPrefetching = try prefetching(of: object)
    return specification
  }

  /// The request in the archive of a request outside of a model.
  ///
  /// Its predicates cannot be evaluated until `allowEvaluation()` is called.
  static func specification(in data: Data) throws(ModelArchiveError) -> FetchSpecification {
    let object = try PredicateArchive.root(of: data)
    guard object.isKind(of: className) else {
      throw object.error(.wrongKind, "A fetch request is expected.")
    }
    var specification = try read(object)
    specification.predicate?.restrictEvaluation()
    specification.havingPredicate?.restrictEvaluation()
    if let name = try object.string("ParhelionEntityName") { specification.entity = .name(name) }
    specification.propertiesToFetch = try values("NSValuesToFetch", of: object)
    specification.propertiesToGroupBy = try values("NSValuesToGroupBy", of: object)
    return specification
  }

  private static func values(_ key: String, of object: ArchivedObject) throws(ModelArchiveError)
    -> [Any]?
  {
    guard let array = try object.object(key) else { return nil }
    var values: [Any] = []
    for element in try array.elements() {
      if let name = try element.text() {
        values.append(name)
      } else if let archived = element.object(of: NSExpressionDescription.archivedClassName) {
        let description = NSExpressionDescription()
        try description.read(archived)
        values.append(description)
      } else {
        throw array.error(
          .wrongKind, "A name or a description of an expression is expected, not \(element.kind).")
      }
    }
    return values
  }

  private static func sortDescriptors(of object: ArchivedObject) throws(ModelArchiveError)
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

  private static func prefetching(of object: ArchivedObject) throws(ModelArchiveError) -> [String]?
  {
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
