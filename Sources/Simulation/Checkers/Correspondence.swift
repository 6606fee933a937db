/// What people of one address must come to, however many devices make them and delete them: what
/// was written to somebody whom nobody deleted leads to an address, not to nobody.
///
///     Person-3  a@…  ◀── Letter-3        two devices make Person-3 and Person-5, which become one: Letter-3 and Letter-5
///     Person-5  a@…  ◀── Letter-5        lead to a@… afterwards, whoever deletes the one who stays without knowing of the other
///
/// Each person is made together with a letter to them, which nobody deletes. A letter may lead to
/// nobody where its person was deleted, or whoever deleted somebody had the letter among theirs.
struct Correspondence {
  /// When something was done, in the order of the world, and by which device.
  private struct EventTime {
    let number: Int
    let device: String
  }

  private var count = 0
  private var addresses: [String: String] = [:]
  private var made: [String: EventTime] = [:]
  private var deleted: [String: [EventTime]] = [:]
  /// Whom each letter was written to.
  private var recipients: [String: String] = [:]
  /// The letters that were at hand when somebody deleted whom they led to.
  private var givenUp: Set<String> = []

  /// Notes what a save of a device did.
  mutating func note(_ effect: Effect, by device: String) {
    count += 1
    let deed = EventTime(number: count, device: device)
    switch effect {
    case .inserted(let key): made[key] = deed
    case .deleted(let key): deleted[key, default: []].append(deed)
    case .wrote(let place, let text, _) where place.property == "email": addresses[place.key] = text
    case .wrote(let place, let text, let former) where place.property == "person":
      if former == nil { recipients[place.key] = text } else { givenUp.insert(place.key) }
    case .wrote, .arranged: break
    }
  }

  /// Letters that are gone, lead to another address, or to nobody although nobody wanted that.
  func violations(in contents: DeviceContents) -> [Violation] {
    recipients.sorted { $0.key < $1.key }.compactMap { letter, recipient in
      guard let person = contents.objects[letter]?["person"] else {
        return Violation(invariant: .lost, message: "\(letter) is gone, and nobody deleted it.")
      }
      let address = addresses[recipient] ?? ""
      if person.isEmpty {
        return mayLeadNowhere(letter, to: recipient) ? nil : forsaken(letter, recipient, address)
      }
      guard let found = contents.objects[person]?["email"], found != address else { return nil }
      return Violation(
        invariant: .value,
        message: "\(letter) leads to \(person) of \(found); it was written to \(address).")
    }
  }

  private func mayLeadNowhere(_ letter: String, to recipient: String) -> Bool {
    deleted[recipient] != nil || givenUp.contains(letter)
  }

  private func forsaken(_ letter: String, _ recipient: String, _ address: String) -> Violation {
    Violation(
      invariant: .value,
      message:
        "\(letter) leads to nobody; it was written to \(recipient) of \(address), whom nobody deleted."
    )
  }

  /// Whether somebody who was deleted may be there: whoever deleted them may not have heard of
  /// another one of the same address, for whom they stand.
  func mayBeBack(_ key: String) -> Bool {
    guard let address = addresses[key] else { return false }
    let others = addresses.filter { $0.key != key && $0.value == address }.compactMap {
      made[$0.key]
    }
    return deleted[key, default: []].contains { deletion in
      others.contains { $0.device != deletion.device || $0.number < deletion.number }
    }
  }
}
