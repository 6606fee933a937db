import CoreData
import Foundation
import Lending
import Testing

/// A subclass in another module, which overrides a managed property.
private final class Child: Member {
  override var name: String {
    get { super.name + " (child)" }
    set { super.name = newValue }
  }
}

@Suite struct LendingTests {
  private let due = Date(timeIntervalSinceReferenceDate: 1000)

  @Test func `Managed properties of every kind keep their values`() {
    let member = Member(name: "Ada", joined: due)
    let loan = Loan(of: "Emma", to: member, due: due)
    #expect(loan.title == "Emma")
    #expect(loan.fee == Decimal(string: "0.5"))
    #expect(loan.state == .open)
    #expect(loan.notes == nil)
    loan.fee += 1
    loan.title.append("!")
    loan.state = .returned
    loan.notes = ["torn"]
    loan.notes?.append("wet")
    loan.renew()
    #expect(loan.fee == Decimal(string: "1.5"))
    #expect(loan.title == "Emma!")
    #expect(loan.value(forKey: "state") as? Int == 1)
    #expect(loan.notes == ["torn", "wet"])
    #expect(loan.renewals == 1)
    #expect(loan.due == due + 604_800)
    #expect(member.joined == due)
  }

  @Test func `Private managed properties work`() {
    let member = Member(name: "Ada")
    #expect(member.isSecret("word"))
    #expect(!member.isSecret("other"))
    #expect(member.value(forKey: "secret") as? String == "word")
    member.storedName = "Bob"
    #expect(member.name == "Bob")
    #expect(member.storedName == "Bob")
  }

  @Test func `Managed relationships and methods keep both sides`() {
    let (ada, bob) = (Member(name: "Ada"), Member(name: "Bob"))
    let loan = Loan(of: "Emma", to: ada, due: due)
    bob.addToLoans(loan)
    #expect(ada.loans.isEmpty)
    #expect(bob.loans == [loan])
    bob.removeFromLoans([loan])
    #expect(loan.member == nil)
    let reminders = ["one", "two", "three"].map(Reminder.init)
    loan.addToReminders(reminders[2])
    loan.insertIntoReminders(reminders[0], at: 0)
    loan.replaceReminders(at: 1, with: reminders[1])
    #expect(loan.reminders?.array as? [Reminder] == [reminders[0], reminders[1]])
    #expect(reminders[0].loan === loan)
    loan.removeFromReminders(at: NSIndexSet(index: 0))
    #expect((loan.reminders?.firstObject as? Reminder)?.text == "two")
  }

  @Test func `A managed property is overridden in another module`() {
    let child = Child(entity: Member.entity(), insertInto: nil)
    child.name = "Eve"
    #expect(child.name == "Eve (child)")
    #expect((child as Member).name == "Eve (child)")
  }

  @Test func `Managed properties have key paths with names`() throws {
    #expect(try (\Loan.member?.name).propertyPath() == "member.name")
    #expect(try (\Loan.due).propertyPath() == "due")
    #expect(Loan(of: "A", to: Member(name: "B"), due: due)[keyPath: \Loan.member?.name] == "B")
  }

  @Test func `Managed properties satisfy protocols`() {
    func title(of item: some Titled) -> String { item.title }
    #expect(title(of: Loan(of: "A", to: Member(name: "B"), due: due)) == "A")
  }
}

private protocol Titled {
  var title: String { get }
}

extension Loan: Titled {}
