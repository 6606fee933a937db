import CloudKitClient
import CloudRecords
import Foundation
import GeographicLocations
import PredicateLanguage
import Testing

@Suite struct QueryTests {
  @Test func `A query has a type, a predicate and an order`() throws {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "stars > 3"))
    #expect(query.recordType == "Note" && query.sortDescriptors == nil)
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: false)]
    let copy = try #require(query.copy() as? CKQuery)
    copy.sortDescriptors = nil
    #expect(query.sortDescriptors?.first?.key == "stars" && copy.predicate === query.predicate)
  }

  @Test func `A query survives archiving`() throws {
    let query = CKQuery(
      recordType: "Note", predicate: NSPredicate(format: "stars > 3 AND name BEGINSWITH 'A'"))
    query.sortDescriptors = [
      NSSortDescriptor(key: "stars", ascending: false),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
    #expect(read.recordType == "Note" && read.predicate.formatText == query.predicate.formatText)
    #expect(read.sortDescriptors?.map(\.key) == ["stars", "name"])
    #expect(read.sortDescriptors?.map(\.ascending) == [false, true])
  }

  @Test func `Locations, references and records in a query survive archiving`() throws {
    let place = CLLocation(latitude: 48, longitude: 16)
    let list = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "l1"))
    let reference = CKRecord.Reference(recordID: list.recordID, action: .deleteSelf)
    let predicate = NSPredicate(
      format:
        "distanceToLocation:fromLocation:(spot, %@) < 500 AND list == %@ AND recordID IN %@ AND a IN {%@, %@}",
      place, reference, [list.recordID] as NSArray, list, list.recordID)
    let query = CKQuery(recordType: "Note", predicate: predicate)
    query.sortDescriptors = [
      CKLocationSortDescriptor(key: "spot", relativeLocation: place),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
    #expect(
      try "\(QueryTranslation.filters(of: read.predicate))"
        == "\(QueryTranslation.filters(of: predicate))")
    let near = try #require(read.sortDescriptors?.first as? CKLocationSortDescriptor)
    #expect(
      near.relativeLocation.description == place.description
        && read.sortDescriptors?.last?.key == "name")
    let subscription = CKQuerySubscription(
      recordType: "Note", predicate: predicate, subscriptionID: "s", options: .firesOnRecordCreation
    )
    let kept = try NSKeyedArchiver.archivedData(
      withRootObject: subscription, requiringSecureCoding: true)
    let again = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuerySubscription.self, from: kept))
    #expect(
      try "\(QueryTranslation.filters(of: again.predicate))"
        == "\(QueryTranslation.filters(of: predicate))")
  }
}

@Suite struct QueryTranslationTests {
  @Test(arguments: [
    ("TRUEPREDICATE", ""),
    ("a == 1", "a EQUALS 1"), ("a != 1", "a NOT_EQUALS 1"), ("a < 1", "a LESS_THAN 1"),
    ("a <= 1", "a LESS_THAN_OR_EQUALS 1"), ("a > 1.5", "a GREATER_THAN 1.5"),
    ("a >= 'x'", "a GREATER_THAN_OR_EQUALS x"),
    ("1 < a", "a GREATER_THAN 1"), ("1 >= a", "a LESS_THAN_OR_EQUALS 1"),
    ("'x' == a", "a EQUALS x"),
    ("a == 1 AND (b == 2 AND c == 3)", "a EQUALS 1; b EQUALS 2; c EQUALS 3"),
    ("a BETWEEN {1, 5}", "a GREATER_THAN_OR_EQUALS 1; a LESS_THAN_OR_EQUALS 5"),
    ("a IN {'x', 'y'}", "a IN [x, y]"), ("NOT (a IN {1, 2})", "a NOT_IN [1, 2]"),
    ("'x' IN tags", "tags LIST_CONTAINS x"), ("tags CONTAINS 'x'", "tags LIST_CONTAINS x"),
    ("ANY tags == 'x'", "tags LIST_CONTAINS x"), ("NONE tags == 'x'", "tags NOT_LIST_CONTAINS x"),
    ("ANY tags IN {'x', 'y'}", "tags LIST_CONTAINS_ANY [x, y]"),
    ("NOT (tags CONTAINS 'x')", "tags NOT_LIST_CONTAINS x"),
    ("name BEGINSWITH 'A'", "name BEGINS_WITH A"),
    ("NOT (name BEGINSWITH 'A')", "name NOT_BEGINS_WITH A"),
    ("ANY tags BEGINSWITH 'A'", "tags LIST_MEMBER_BEGINS_WITH A"),
    ("SELF CONTAINS 'milk bread'", "* CONTAINS_ALL_TOKENS milk bread"),
    ("allTokens TOKENMATCHES[cdl] 'milk bread'", "* CONTAINS_ALL_TOKENS milk bread"),
    ("ANY allTokens TOKENMATCHES[cdl] 'milk bread'", "* CONTAINS_ANY_TOKENS milk bread"),
    ("SELF TOKENMATCHES {'milk', 'bread'}", "* CONTAINS_ALL_TOKENS milk bread"),
    ("title TOKENMATCHES[c] 'milk'", "title CONTAINS_ALL_TOKENS milk"),
    ("ANY title TOKENMATCHES[cd] 'milk bread'", "title CONTAINS_ANY_TOKENS milk bread"),
    ("creationDate > 5", "___createTime GREATER_THAN 5"),
    ("___modTime > 5", "___modTime GREATER_THAN 5"),
  ])
  func `A predicate becomes comparisons`(_ format: String, _ comparisons: String) throws {
    let filters = try QueryTranslation.filters(of: NSPredicate(format: format))
    #expect(filters.map(\.summary).joined(separator: "; ") == comparisons)
  }

  @Test func `Lists of values are matched by any or all of their members`() throws {
    let any = try QueryTranslation.filters(
      of: NSPredicate(format: "ANY %@ IN tags", ["x", "y"] as NSArray))
    let all = try QueryTranslation.filters(
      of: NSPredicate(format: "ALL %@ IN tags", ["x", "y"] as NSArray))
    #expect(any.map(\.summary) == ["tags LIST_CONTAINS_ANY [x, y]"])
    #expect(all.map(\.summary) == ["tags LIST_CONTAINS_ALL [x, y]"])
  }

  @Test func `Records, names and references become references`() throws {
    let record = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "l1"))
    let reference = CKRecord.Reference(record: record, action: .none)
    let filters = try [record, record.recordID, reference].map { value in
      try QueryTranslation.filters(of: NSPredicate(format: "list == %@", value))
    }
    #expect(filters[0] == filters[1] && filters[1] == filters[2])
    #expect(filters[0].first?.summary.contains("recordName=l1") == true)
    let named = try QueryTranslation.filters(
      of: NSPredicate(format: "recordID IN %@", [record.recordID] as NSArray))
    #expect(named.first?.name == .system(.recordIdentifier) && named.first?.comparator == .in)
  }

  @Test func `A distance below a limit becomes NEAR, and one above it is rejected`() throws {
    let place = CLLocation(latitude: 48, longitude: 16)
    let near = NSPredicate(format: "distanceToLocation:fromLocation:(spot, %@) < %f", place, 500.0)
    let filter = try #require(try QueryTranslation.filters(of: near).first)
    #expect(filter.comparator == .near && filter.name == .field("spot") && filter.distance == 500)
    let far = NSPredicate(format: "distanceToLocation:fromLocation:(spot, %@) > %f", place, 500.0)
    #expect(throws: CKError.self) { try QueryTranslation.filters(of: far) }
  }

  @Test(arguments: [
    ("FALSEPREDICATE", "matches no record"), ("a == 1 OR b == 2", "uses OR"),
    ("a ==[c] 'x'", "comparison options"), ("a LIKE 'x*'", "operator"),
    ("a MATCHES 'x'", "operator"),
    ("a ENDSWITH 'x'", "operator"), ("a == b", "a field with a value"),
    ("a.b == 1", "a field with a value"),
    ("a == nil", "a field with a value"), ("NOT (a < 1)", "“NOT a < 1”, which negates"),
    ("NOT (a == 1 AND b == 1)", "negates"),
    ("a TOKENMATCHES 5", "words"), ("'x' TOKENMATCHES a", "words"),
    ("NOT a TOKENMATCHES 'x'", "negates"),
    ("a BEGINSWITH 5", "operator"), ("'x' BEGINSWITH a", "right side"),
    ("ANY tags < 'x'", "elements"),
    ("tags.@count > 1", "a field with a value"),
  ])
  func `Unsupported predicates are rejected with a reason`(
    _ format: String, _ reason: String
  ) {
    let error = #expect(throws: CKError.self) {
      try QueryTranslation.filters(of: NSPredicate(format: format))
    }
    #expect(
      error?.code == .invalidArguments && error?.localizedDescription.contains(reason) == true)
  }

  @Test func `A number that cannot be transmitted is an error that names the field`() {
    let place = CLLocation(latitude: 48, longitude: 16)
    let invalid = CLLocation(latitude: 91, longitude: 16)
    let near = "distanceToLocation:fromLocation:(spot, %@) < %f"
    let queries: [(field: String, predicate: NSPredicate, sort: CLLocation?)] = [
      ("stars", NSPredicate(format: "stars > %f", Double.nan), nil),
      ("spot", NSPredicate(format: near, place, Double.infinity), nil),
      ("spot", NSPredicate(format: near, invalid, 500.0), nil),
      ("home", NSPredicate(value: true), invalid),
    ]
    for (field, predicate, sort) in queries {
      let query = CKQuery(recordType: "Note", predicate: predicate)
      if let sort {
        query.sortDescriptors = [CKLocationSortDescriptor(key: field, relativeLocation: sort)]
      }
      let error = #expect(throws: CKError.self) {
        _ = try RecordCoding(currentUser: nil).input(query, in: .default)
      }
      #expect(error?.code == .invalidArguments)
      #expect(error?.localizedDescription.contains("field \(field) ") == true)
    }
  }

  @Test func `A closure is rejected`() {
    let predicate = NSPredicate { _, _ in true }
    #expect(throws: CKError.self) { try QueryTranslation.filters(of: predicate) }
  }
}

extension QueryFilter {
  /// The comparison in one line.
  fileprivate var summary: String {
    let subject =
      switch name {
      case .field(let name): name
      case .system(let field): field.rawValue
      case .everything: "*"
      }
    return "\(subject) \(comparator.rawValue) \(shownValue)"
  }
}
