public import CoreData
import Foundation

/// A person who may borrow books.
nonisolated open class Member: NSManagedObject {
  /// The member's name.
  @NSManaged open var name: String
  /// The member's loans.
  @NSManaged public var loans: Set<Loan>
  /// The date at which the member joined.
  @NSManaged public internal(set) var joined: Date?
  @NSManaged private var secret: String?
  @NSManaged private var primitiveName: String?

  /// Creates a member.
  public convenience init(name: String, joined: Date? = nil) {
    self.init(entity: Member.entity(), insertInto: nil)
    self.name = name
    self.joined = joined
  }

  /// Returns whether a word is the member's secret word.
  ///
  /// The first word that is checked becomes the secret word.
  public func isSecret(_ word: String) -> Bool {
    if secret == nil { secret = word }
    return secret == word
  }

  /// The primitive value of the name.
  public var storedName: String? {
    get { primitiveName }
    set { primitiveName = newValue }
  }
}

nonisolated extension Member {
  /// Adds a loan.
  @NSManaged public func addToLoans(_ value: Loan)
  /// Removes loans.
  @NSManaged public func removeFromLoans(_ values: Set<Loan>)
}

/// A letter about a loan.
nonisolated public final class Reminder: NSManagedObject {
  /// The text of the letter.
  @NSManaged public var text: String?
  /// The loan that the letter is about.
  @NSManaged public fileprivate(set) var loan: Loan?

  /// Creates a reminder.
  public convenience init(_ text: String) {
    self.init(entity: Reminder.entity(), insertInto: nil)
    self.text = text
  }
}
