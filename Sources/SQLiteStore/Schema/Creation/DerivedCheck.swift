import ManagedObjectModel
import ObjectRows

/// A check that finds the rows with a stale derived attribute.
package struct DerivedCheck {
  /// The names of the entity and the attribute.
  package let name: String
  package let table: String
  package let column: String
  /// The condition that such a row meets.
  package let isOutOfDate: String
  /// The index that finds the members; nil if none is needed.
  ///
  /// Without it, the check would compare each row with all members.
  let index: IndexSchema?
}

extension StoreSchema {
  /// The checks of all attributes derived from other values, except by a text function.
  var derivedChecks: [DerivedCheck] {
    entities.flatMap { entity in
      DerivedAttribute.all(of: entity, in: self).compactMap { attribute in
        (try? attribute.outOfDate()).flatMap { $0 }.map {
          DerivedCheck(
            name: "\(entity.name).\(attribute.attribute.name)", table: entity.table,
            column: attribute.column,
            isOutOfDate: $0, index: attribute.searchedIndex)
        }
      }
    }
  }
}
