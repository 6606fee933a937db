import JSONCoding
import Testing

/// A field of a record.
///
/// A later key may give the type of its value.
struct Field: Equatable {
  var text = ""
  var number: Int64 = 0

  enum Key: String, JSONKey {
    case value, type
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    var (place, type): (JSONReader.SavedPosition?, String?)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .value: place = try reader.skipForLater()
      case .type: type = try reader.string()
      }
    }
    guard let place else { throw reader.missingKey(Key.value) }
    switch type {
    case "STRING": text = try reader.read(place) { reader throws(JSONError) in try reader.string() }
    case "INT64": number = try reader.read(place) { reader throws(JSONError) in try reader.int64() }
    case let type: throw reader.invalidValue("the type \(type ?? "") is unknown")
    }
  }
}

@Suite struct `Values read later` {
  func fields(_ document: String) throws(JSONError) -> [Field] {
    try read(document) { reader throws(JSONError) in
      var fields: [Field] = []
      try reader.beginArray()
      while try reader.nextElement() { fields.append(try Field(from: &reader)) }
      return fields
    }
  }

  @Test func `A postponed value is read when its type is known`() throws {
    let found = try fields(
      #"[{"value": "a", "type": "STRING"}, {"type": "INT64", "value": 7}, {"value": "b\n", "type": "STRING"}]"#
    )
    #expect(found.map(\.text) == ["a", "", "b\n"])
    #expect(found.map(\.number) == [0, 7, 0])
  }

  @Test func `An error in a postponed value names its own place`() {
    let error = #expect(throws: JSONError.self) {
      try fields(#"[{"value": "a", "type": "STRING"}, {"value": "b", "x": [0], "type": "INT64"}]"#)
    }
    #expect(error?.description == "expected a number at [1].value (byte 45)")
  }

  @Test func `An error about a word names its object`() {
    let error = #expect(throws: JSONError.self) { try fields(#"[{"value": 1, "type": "MOON"}]"#) }
    #expect(error?.description == "the type MOON is unknown at [0] (byte 22)")
  }

  @Test func `A value of a postponed container may be skipped`() throws {
    let found = try read(#"{"value": [[1, 2], 3], "next": 4}"#) { reader throws(JSONError) in
      var numbers: [Int64] = []
      try reader.beginObject()
      _ = try reader.nextKey()
      let place = try reader.skipForLater()
      try reader.read(place) { reader throws(JSONError) in
        try reader.beginArray()
        _ = try reader.nextElement()
        try reader.beginArray()
        _ = try reader.nextElement()
        numbers.append(try reader.int64())
      }
      while try reader.nextKey() != nil { numbers.append(try reader.int64()) }
      return numbers
    }
    #expect(found == [1, 4])
  }

  @Test func `A rejected value does not end the document`() throws {
    let results = try read(
      #"[{"value": "a", "type": "STRING"}, {"value": [[{}]], "type": "INT64"}, 5, {"type": "INT64", "value": 7}]"#
    ) { reader throws(JSONError) in
      var results: [Result<Field, JSONError>] = []
      try reader.beginArray()
      while try reader.nextElement() {
        results.append(try reader.attempt { reader throws(JSONError) in try Field(from: &reader) })
      }
      return results
    }
    #expect(results.map { (try? $0.get())?.number } == [0, nil, nil, 7])
    let messages = results.compactMap { result in
      if case .failure(let error) = result { error.description } else { nil }
    }
    #expect(
      messages == [
        "expected a number at [1].value (byte 45)", "expected an object at [2] (byte 71)",
      ])
  }

  @Test(arguments: [0, 1, 2])
  func `After a half-read value is rejected, the next value is read`(
    count: Int
  ) throws {
    let results = try read("[[1, 2], 3]") { reader throws(JSONError) in
      var results: [Int64?] = []
      try reader.beginArray()
      while try reader.nextElement() {
        let result = try reader.attempt { reader throws(JSONError) -> Int64 in
          guard try reader.peek() == .array else { return try reader.int64() }
          try reader.beginArray()
          for _ in 0..<count where try reader.nextElement() { _ = try reader.int64() }
          throw reader.invalidValue("refused")
        }
        results.append(try? result.get())
      }
      return results
    }
    #expect(results == [nil, 3])
  }

  @Test func `An error after a postponed value was read names the key that follows it`() {
    let error = #expect(throws: JSONError.self) {
      try read(#"{"first": 1, "second": "x"}"#) { reader throws(JSONError) in
        try reader.beginObject()
        _ = try reader.nextKey()
        let place = try reader.skipForLater()
        _ = try reader.nextKey()
        _ = try reader.read(place) { reader throws(JSONError) in try reader.int64() }
        _ = try reader.int64()
      }
    }
    #expect(error?.description == "expected a number at second (byte 23)")
  }

  @Test func `Invalid JSON after a value's error ends the document`() {
    let error = #expect(throws: JSONError.self) {
      try read(#"[{"type": 5, x}, 1]"#) { reader throws(JSONError) in
        try reader.beginArray()
        _ = try reader.nextElement()
        _ = try reader.attempt { reader throws(JSONError) in try Field(from: &reader) }
        throw reader.invalidValue("The attempt returned.")
      }
    }
    #expect(error?.code == .syntax)
  }
}
