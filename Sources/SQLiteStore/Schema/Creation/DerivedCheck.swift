import ManagedObjectModel
import ObjectRows

/// How to find the rows whose derived attribute is not what it should be.
package struct DerivedCheck {
  /// The attribute, with its entity.
  package let name: String
  package let table: String
  package let column: String
  /// The condition that holds for these rows.
  package let isOutOfDate: String
  /// The index by which members are found; nil where none is needed.
  ///
  /// Without it each row would be compared with all members.
  let index: IndexSchema?
}

extension StoreSchema {
  /// Checks of all derived attributes whose values follow from others, but for texts that a
  /// function folds.
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
