import CloudRecords
import PredicateLanguage

/// A placeholder for the current user's name, as the owner of zones in the private database.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// The name of the default zone, which exists in every database from the start.
public let CKRecordZoneDefaultName = "_defaultZone"

/// The record name of a zone-wide share.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

extension CloudName {
  /// Traps if the name is invalid, as Apple's library does.
  func require(_ name: String, _ what: @autoclosure () -> String) {
    if let defect = defect(in: name) {
      preconditionFailure("\(what()) “\(name.prefix(80))” \(defect).")
    }
  }
}

/// Parhelion's class, made explicit because Foundation exports an unusable class of the same name.
typealias NSExpression = PredicateLanguage.NSExpression

/// Parhelion's class, made explicit because Foundation exports an unusable class of the same name.
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
