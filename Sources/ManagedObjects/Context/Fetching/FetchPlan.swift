import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The entity name and layout of the last fetch.
///
/// Most programs fetch the same entity repeatedly.
struct LastFetched {
  let name: String
  let layouts: ModelLayouts
  let layout: RowLayout
}

/// A fetch request with its entity resolved and its stores chosen.
struct FetchPlan {
  let stores: [UInt16]
  /// The fetch that the stores execute.
  var fetch: RowFetch
  /// The answer of the stores, if the plan was executed already.
  var answer: FetchAnswer?
  /// The layouts of the entities whose objects are fetched.
  let layoutIndexes: ClosedRange<Int>

  /// Resolves a request's entity and chooses its stores.
  ///
  /// - Precondition: The request has an entity, and it is one of the context's model.
  init(
    _ specification: FetchSpecification, limitedTo stores: [AnyObject]?,
    in context: NSManagedObjectContext
  ) throws {
    guard let source = context.source else {
      preconditionFailure(
        "A fetch needs a context with a coordinator or a parent. Set persistentStoreCoordinator or parent first."
      )
    }
    let layouts = source.layouts
    let layout = Self.layout(of: specification.entity, layouts, context)
    fetch = RowFetch(layout: layout, specification: specification)
    self.stores = try source.stores(for: layout, limitedTo: stores)
    layoutIndexes =
      specification.includesSubentities ? layouts.family(of: layout) : layout.index...layout.index
  }

  /// Creates the plan with which a parent context executes its child's fetch.
  init(_ fetch: RowFetch, stores: [UInt16], in layouts: ModelLayouts) {
    self.stores = stores
    self.fetch = fetch
    layoutIndexes =
      fetch.specification.includesSubentities
      ? layouts.family(of: fetch.layout) : fetch.layout.index...fetch.layout.index
  }

  var layout: RowLayout { fetch.layout }

  var specification: FetchSpecification {
    get { fetch.specification }
    set { fetch.specification = newValue }
    _modify { yield &fetch.specification }
  }

  /// Whether an object belongs to the fetched entity, and to one of the stores or to none yet.
  func concerns(_ object: NSManagedObject, in context: NSManagedObjectContext) -> Bool {
    guard layoutIndexes.contains(object.layout.index) else { return false }
    let storeNumber = context.storeNumberForSaving(object)
    return storeNumber == NSManagedObject.noStore || stores.contains(storeNumber)
  }

  private static func layout(
    of reference: EntityReference, _ layouts: ModelLayouts, _ context: NSManagedObjectContext
  ) -> RowLayout {
    let found =
      switch reference {
      case .name(let name): layout(named: name, layouts, context)
      default: reference.entity.flatMap { layouts[$0] }
      }
    guard let found else {
      preconditionFailure(
        "A fetch request must have an entity of the context's model; this one has \(reference.name ?? "none"). The model's entities are \(layouts.layouts.compactMap(\.entity.name).sorted().joined(separator: ", "))."
      )
    }
    return found
  }

  private static func layout(
    named name: String, _ layouts: ModelLayouts, _ context: NSManagedObjectContext
  ) -> RowLayout? {
    if let last = context.lastFetched, last.name == name, last.layouts === layouts {
      return last.layout
    }
    let layout = layouts[named: name]
    context.lastFetched = layout.map { LastFetched(name: name, layouts: layouts, layout: $0) }
    return layout
  }
}
