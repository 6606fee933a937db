import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Sorts dictionaries that come from several stores, each of which returns them in order.
///
/// A sort key need not be in the dictionaries. It is fetched too, and removed at the end.
struct DictionaryOrder {
  /// The sort descriptors, which refer to the sort values by column names such as `order 0`.
  private var descriptors: [NSSortDescriptor] = []
  private var names: Set<String> = []
  /// The sort keys whose columns are fetched anyway, with the names of those columns.
  private var sources: [String: String] = [:]

  /// Creates the order, or nil if nothing has to be sorted.
  ///
  /// - Parameter plan: The plan, to which the columns that the order needs are added.
  init?(_ plan: inout FetchPlan) {
    guard plan.stores.count > 1, let wanted = plan.specification.sortDescriptors, !wanted.isEmpty
    else { return nil }
    var columns = plan.specification.propertiesToFetch ?? []
    if columns.isEmpty {
      columns = plan.layout.properties.filter { $0 is NSAttributeDescription && !$0.isTransient }
        .map(\.name)
    }
    let fetched = Set(columns.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name })
    // More columns would form different groups, or make equal dictionaries distinct.
    let isPlain =
      plan.specification.propertiesToGroupBy?.isEmpty ?? true
      && !plan.specification.returnsDistinctResults
    for (place, descriptor) in wanted.enumerated() {
      guard let property = descriptor as? PropertySortDescriptor, let path = property.path else {
        continue
      }
      let name = "order \(place)"
      if fetched.contains(path.text) {
        sources[name] = path.text
      } else if isPlain {
        columns.append(Self.column(name, path))
      }
      names.insert(name)
      descriptors.append(PropertySortDescriptor(name, ascending: property.ascending, property.rule))
    }
    plan.specification.propertiesToFetch = columns
  }

  private static func column(_ name: String, _ path: PropertyPath) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = PredicateLanguage.NSExpression(forKeyPath: path.text)
    return column
  }

  func sort(_ dictionaries: [[String: Any]]) throws -> [[String: Any]] {
    let prepared = dictionaries.map { dictionary in
      dictionary.merging(sources.compactMapValues { dictionary[$0] }) { $1 }
    }
    return try prepared.sorted(following: descriptors).map { dictionary in
      dictionary.filter { !names.contains($0.key) }
    }
  }
}
