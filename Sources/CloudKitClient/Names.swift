import CloudRecords
import PredicateLanguage

/// The owner of what lies in the private database of whoever is signed in.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// The name of the zone that every database has from the beginning.
public let CKRecordZoneDefaultName = "_defaultZone"

/// The name of the share of a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

extension CloudName {
  /// Stops the program where a name cannot be one in the cloud, as Apple's library does.
  func require(_ name: String, _ what: @autoclosure () -> String) {
    if let fault = fault(in: name) {
      preconditionFailure("\(what()) “\(name.prefix(80))” \(fault).")
    }
  }
}

/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete
/// with.
typealias NSExpression = PredicateLanguage.NSExpression

/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete
/// with.
typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
