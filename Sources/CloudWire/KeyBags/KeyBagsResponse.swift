package import CloudRecords
package import JSONCoding

/// The result for one bag.
package enum KeyBagResult: Hashable, Sendable {
  /// The bag.
  ///
  /// - `now`: The server's time, a clock that all devices share to determine the age of a bag's
  ///   contents.
  case bag(generation: Int64, modified: Timestamp, data: [UInt8], now: Timestamp? = nil)
  /// The bag was saved.
  case saved(generation: Int64, modified: Timestamp)
  /// The zone was deleted with its bags.
  case reset
  case failed(CloudError)
}

/// The bags that a request fetched or changed, in the request's order.
package struct KeyBagsResponse: ClientResponse, Hashable {
  package struct Item: Hashable, Sendable {
    package var place: KeyBagPlace
    package var result: KeyBagResult

    package init(_ place: KeyBagPlace, _ result: KeyBagResult) {
      self.place = place
      self.result = result
    }
  }

  package var items: [Item]
  /// The owner of places that name none.
  ///
  /// Places in a response name their owner.
  package var caller: String

  package init(items: [Item], caller: String) {
    self.items = items
    self.caller = caller
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("bags")
    writer.beginArray()
    for item in items {
      writer.beginObject()
      writer.place(item.place, caller: caller)
      writer.members(item.result)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func members(_ result: KeyBagResult) {
    switch result {
    case .bag(let generation, let modified, let data, let now):
      members(generation, modified)
      if let now { number("now", now.milliseconds) }
      key("data")
      base64(data.span)
    case .saved(let generation, let modified): members(generation, modified)
    case .reset: bool("reset", true)
    case .failed(let error): errorMembers(error)
    }
  }

  private mutating func members(_ generation: Int64, _ modified: Timestamp) {
    number("generation", generation)
    number("modified", modified.milliseconds)
  }
}
