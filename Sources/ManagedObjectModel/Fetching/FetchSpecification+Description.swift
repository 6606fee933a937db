import Foundation

extension FetchSpecification: CustomStringConvertible {
  /// The entity, predicate, order and result type, and the bounds and columns that are set.
  package var description: String {
    let always = [
      "entity: \(entity.name ?? "none")", "predicate: (\(predicate?.description ?? "none"))",
      "sortDescriptors: (\(sortDescriptors?.map(\.description).joined(separator: ", ") ?? "none"))",
    ]
    return (always + descriptionsOfBounds + ["type: \(resultType.name)"] + descriptionsOfColumns)
      .joined(
        separator: "; ")
  }

  private var descriptionsOfBounds: [String] {
    [("limit", fetchLimit), ("offset", fetchOffset), ("batch size", fetchBatchSize)]
      .filter { $0.1 != 0 }.map { "\($0.0): \($0.1)" }
  }

  private var descriptionsOfColumns: [String] {
    [("properties", propertiesToFetch), ("grouped by", propertiesToGroupBy)].compactMap {
      title, properties in
      properties.map { "\(title): \($0.map(Self.name(ofProperty:)).joined(separator: ", "))" }
    }
  }

  private static func name(ofProperty property: Any) -> String {
    (property as? NSPropertyDescription)?.name ?? "\(property)"
  }
}

extension NSFetchRequestResultType {
  /// Apple's name of the type.
  fileprivate var name: String {
    switch self {
    case .managedObjectResultType: "NSManagedObjectResultType"
    case .managedObjectIDResultType: "NSManagedObjectIDResultType"
    case .dictionaryResultType: "NSDictionaryResultType"
    case .countResultType: "NSCountResultType"
    default: "\(rawValue)"
    }
  }
}
