package import JSONCoding

/// `keyBags/lookup`: fetches bags.
///
///     {"bags": [{"bagType": "ZONE", "zoneID": {"zoneName": "Notes"}},
///               {"bagType": "USER_PUBLIC", "userRecordName": "_…"}]}
package struct KeyBagsLookupRequest: DatabaseRequest, Hashable {
  package typealias Response = KeyBagsResponse
  package static let endpoint = Endpoint.keyBagsLookup

  package var places: [KeyBagPlace]

  package init(places: [KeyBagPlace]) { self.places = places }

  private enum Key: String, JSONKey {
    case bags
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    let places = try reader.list(under: Key.bags) { (reader) throws(JSONError) in
      var members = KeyBagPlaceMembers()
      var object = try reader.beginObject(KeyBagPlaceMembers.Key.self)
      while let key = try reader.nextKey(of: &object) { try members.read(key, from: &reader) }
      return try members.place(&reader)
    }
    self.init(places: places)
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("bags")
    writer.beginArray()
    for place in places {
      writer.beginObject()
      writer.place(place)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
