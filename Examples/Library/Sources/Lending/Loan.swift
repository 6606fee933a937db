public import CoreData
public import Foundation

/// A book that a member has borrowed.
///
/// The class and its properties are written by hand, as on Apple's platforms.
nonisolated public class Loan: NSManagedObject {
  /// The state of a loan.
  public enum State: Int16, Sendable {
    case open, returned
  }

  /// The title of the book.
  @NSManaged public var title: String
  /// The date at which the book is due.
  @NSManaged public var due: Date
  /// The fee of the loan.
  @NSManaged public var fee: Decimal
  /// Remarks on the condition of the book.
  @NSManaged public var notes: [String]?
  /// The number of renewals.
  @NSManaged public private(set) var renewals: Int16
  /// The state of the loan.
  @NSManaged public var state: State
  /// The member who borrowed the book.
  @NSManaged public var member: Member?
  /// The letters about the loan, oldest first.
  @NSManaged public var reminders: NSOrderedSet?

  /// Creates a loan.
  public convenience init(of title: String, to member: Member, due: Date) {
    self.init(entity: Loan.entity(), insertInto: nil)
    self.title = title
    self.due = due
    self.member = member
  }

  /// Extends the loan by a week.
  public func renew() {
    due += 7 * 24 * 60 * 60
    renewals += 1
  }
}

nonisolated extension Loan {
  /// Adds a letter.
  @NSManaged public func addToReminders(_ value: Reminder)
  /// Inserts a letter.
  @NSManaged public func insertIntoReminders(_ value: Reminder, at idx: Int)
  /// Removes letters.
  @NSManaged public func removeFromReminders(at indexes: NSIndexSet)
  /// Replaces a letter.
  @NSManaged public func replaceReminders(at idx: Int, with value: Reminder)
}
