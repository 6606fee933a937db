/// Checks merges of persons with the same unique address: a letter to a person who was not deleted
/// still has a recipient with that address.
///
///     Person-3  a@…  ◀── Letter-3
///     Person-5  a@…  ◀── Letter-5
///
/// If two devices insert Person-3 and Person-5, these merge. Afterwards both letters refer to a@…,
/// even if a device deletes the winner without knowing the loser.
///
/// Each person is inserted together with a letter, which is never deleted. A letter may have no
/// recipient only if its person was deleted, or if a device deleted a person to whom the letter
/// belonged on that device.
struct Correspondence {
  /// The position of an event in the world's history, and its device.
  private struct EventTime {
    let number: Int
    let device: String
  }

  private var count = 0
  private var addresses: [String: String] = [:]
  private var made: [String: EventTime] = [:]
  private var deleted: [String: [EventTime]] = [:]
  /// The original recipient of each letter.
  private var recipients: [String: String] = [:]
  /// The letters that a device had when it deleted their recipient.
  private var withoutRecipient: Set<String> = []

  /// Records the effect of a device's save.
  mutating func note(_ effect: Effect, by device: String) {
    count += 1
    let time = EventTime(number: count, device: device)
    switch effect {
    case .inserted(let key): made[key] = time
    case .deleted(let key): deleted[key, default: []].append(time)
    case .wrote(let place, let text, _) where place.property == "email": addresses[place.key] = text
    case .wrote(let place, let text, let former) where place.property == "person":
      if former == nil { recipients[place.key] = text } else { withoutRecipient.insert(place.key) }
    case .wrote, .arranged: break
    }
  }

  /// Letters that are missing, or whose recipient has another address or is missing without a
  /// deletion.
  func violations(in contents: DeviceContents) -> [Violation] {
    recipients.sorted { $0.key < $1.key }.compactMap { letter, recipient in
      guard let person = contents.objects[letter]?["person"] else {
        return Violation(
          invariant: .lost, message: "\(letter) is missing, although it was not deleted.")
      }
      let address = addresses[recipient] ?? ""
      if person.isEmpty {
        return mayHaveNoRecipient(letter, to: recipient)
          ? nil : lostRecipient(letter, recipient, address)
      }
      guard let found = contents.objects[person]?["email"], found != address else { return nil }
      return Violation(
        invariant: .value,
        message: "\(letter) refers to \(person) with \(found); it was written to \(address).")
    }
  }

  private func mayHaveNoRecipient(_ letter: String, to recipient: String) -> Bool {
    deleted[recipient] != nil || withoutRecipient.contains(letter)
  }

  private func lostRecipient(_ letter: String, _ recipient: String, _ address: String) -> Violation
  {
    Violation(
      invariant: .value,
      message:
        "\(letter) has no recipient; it was written to \(recipient) with \(address), who was not deleted."
    )
  }

  /// Whether a deleted person may exist, because another person had the same address.
  ///
  /// The deleting device may not have known of their merge.
  func mayExist(_ key: String) -> Bool {
    guard let address = addresses[key] else { return false }
    let others = addresses.filter { $0.key != key && $0.value == address }.compactMap {
      made[$0.key]
    }
    return deleted[key, default: []].contains { deletion in
      others.contains { $0.device != deletion.device || $0.number < deletion.number }
    }
  }
}
