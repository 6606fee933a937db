public import Foundation
public import PredicateLanguage

/// A description of how a property of destination objects gets its value in a migration.
open class NSPropertyMapping: NSObject {
  /// The name of the property in the destination entity.
  open var name: String?

  /// The expression that computes the value; nil leaves the property alone.
  ///
  /// It can use variables such as `$source` and `$manager`. The constants that begin with
  /// `NSMigration` contain the names of all variables.
  open var valueExpression: PredicateLanguage.NSExpression?

  /// Custom values of the mapping.
  open var userInfo: [AnyHashable: Any]?
}
