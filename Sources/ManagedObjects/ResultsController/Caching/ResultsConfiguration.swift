import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The parts of a request that decide its results and sections, as texts.
struct ResultsConfiguration: Codable, Equatable {
  private let entity: String
  private let versionHash: Data
  private let predicate: String
  private let order: [String]
  private let section: String
  private let options: [Int]

  /// Creates the configuration; nil if the result depends on the time or on random numbers, or on
  /// closures or objects, which have no stable text.
  init?(_ plan: FetchPlan, _ sectionNameKeyPath: String?) {
    let specification = plan.specification
    let descriptors = (specification.sortDescriptors ?? []).compactMap {
      ($0 as? PropertySortDescriptor).flatMap { $0.rule.selector == nil ? nil : $0.description }
    }
    guard descriptors.count == specification.sortDescriptors?.count,
      specification.predicate.map(Self.isStable) ?? true
    else { return nil }
    entity = plan.layout.entity.name ?? ""
    versionHash = plan.layout.entity.versionHash
    predicate = specification.predicate?.formatText ?? ""
    order = descriptors
    section = sectionNameKeyPath ?? ""
    options = [
      specification.fetchLimit, specification.fetchOffset, Int(specification.resultType.rawValue),
      specification.includesSubentities ? 1 : 0,
    ]
  }

  private static func isStable(_ predicate: NSPredicate) -> Bool {
    guard !predicate.formatText.contains("BLOCK") else { return false }
    var isStable = true
    _ = try? predicate.node.replacingComparisons { comparison in
      try comparison.replacingExpressions { expression throws(PredicateEvaluationError) in
        switch expression.node {
        case .constant(let value) where namesObjects(value): isStable = false
        case .function(_, let name, _) where varyingFunctions.contains(name): isStable = false
        default: break
        }
        return nil
      }
    }
    return isStable
  }

  private static let varyingFunctions = Set(
    [ExpressionFunction.now, .random, .randomBelow].map(\.name))

  private static func namesObjects(_ value: Any?) -> Bool {
    switch value {
    case is any ObjectIdentified: true
    case let array as [Any]: array.contains(where: namesObjects)
    case let set as NSSet: set.allObjects.contains(where: namesObjects)
    case let set as NSOrderedSet: set.array.contains(where: namesObjects)
    default: false
    }
  }
}
