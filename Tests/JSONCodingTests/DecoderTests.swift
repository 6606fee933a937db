import JSONCoding
import Testing

/// A value that is decoded like the server's requests, with known keys.
struct Zone: Equatable {
  var name = ""
  var owner: String?
  var isAtomic = false

  enum Key: String, JSONKey {
    case zoneName, ownerRecordName, atomic
    case aKeyThatIsLongerThanSixteenBytes
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    var name: String?
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zoneName: name = try reader.string()
      case .ownerRecordName: owner = try reader.null() ? nil : reader.string()
      case .atomic: isAtomic = try reader.bool()
      case .aKeyThatIsLongerThanSixteenBytes: try reader.skip()
      }
    }
    guard let name else { throw reader.missingKey(Key.zoneName) }
    self.name = name
  }
}

@Suite struct `Decoders` {
  func zones(_ document: String) throws(JSONError) -> [Zone] {
    try read(document) { reader throws(JSONError) in
      var zones: [Zone] = []
      try reader.beginArray()
      while try reader.nextElement() { zones.append(try Zone(from: &reader)) }
      return zones
    }
  }

  @Test func `Known keys are read in any order, others are skipped`() throws {
    let document = """
      [{"zoneName": "a", "unknown": [1, {"zoneName": 2}], "ownerRecordName": "me"},
       {"atomic": true, "x": "\\n", "x": null, "zoneName": "b", "ownerRecordName": null}]
      """
    let found = try zones(document)
    #expect(found.map(\.name) == ["a", "b"])
    #expect(found.map(\.owner) == ["me", nil])
    #expect(found.map(\.isAtomic) == [false, true])
  }

  @Test func `Keys compare by text, not by spelling`() throws {
    #expect(try zones(#"[{"zone\u004eame": "a", "\u0061tomic": true}]"#).first?.isAtomic == true)
  }

  /// Both unknown keys have the first and last eight bytes of the known one; one also has its
  /// length.
  @Test(arguments: ["aKeyThatXsLongerThanSixteenBytes", "aKeyThatIsMuchLongerThanSixteenBytes"])
  func `A long key is compared completely`(unknown: String) throws {
    let document = #"[{"zoneName": "a", "aKeyThatIsLongerThanSixteenBytes": 1, "\#(unknown)": 2}]"#
    #expect(try zones(document).map(\.name) == ["a"])
  }

  enum RepeatedLetter: String, JSONKey {
    case two = "aa"
    case four = "aaaa"
    case nine = "aaaaaaaaa"
    static let table = JSONKeyTable<RepeatedLetter>()
  }

  /// Words of one letter have the same first and last bytes at any length.
  @Test func `A word of another length does not match`() throws {
    let words = try read(
      #"["aa", "\u0000aa", "aaa", "aaaa", "aaaaa", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaa"]"#
    ) {
      reader throws(JSONError) in
      var words: [RepeatedLetter?] = []
      try reader.beginArray()
      while try reader.nextElement() { words.append(try reader.word(RepeatedLetter.self)) }
      return words
    }
    #expect(words == [.two, nil, nil, .four, nil, nil, .nine, nil])
  }

  enum ManyKeys: String, JSONKey {
    case a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2,
      c3, c4, c5, c6, c7,
      c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0,
      f1, f2, f3, f4, f5,
      f6, f7, f8, f9, g0, g1, g2, g3
    static let table = JSONKeyTable<ManyKeys>()
  }

  @Test func `Each of 64 keys may occur once, not twice`() throws {
    let members = ManyKeys.allCases.map { #""\#($0.rawValue)": 0"# }
    func count(_ members: [String]) throws -> Int {
      try read("{\(members.joined(separator: ","))}") { reader throws(JSONError) in
        var object = try reader.beginObject(ManyKeys.self)
        var count = 0
        while try reader.nextKey(of: &object) != nil { count += 1 }
        return count
      }
    }
    #expect(try count(members) == 64)
    for member in members {
      let error = #expect(throws: JSONError.self) { try count(members + [member]) }
      #expect(error?.code == .duplicateKey, "\(member)")
    }
  }

  static let errors: [(document: String, message: String)] = [
    ("[{\"zoneName\": 1}]", "expected a string at [0].zoneName (byte 14)"),
    (
      "[{\"zoneName\": \"a\"}, {\"zoneName\": \"b\", \"atomic\": null}]",
      "expected a boolean at [1].atomic (byte 48)"
    ),
    (
      "[{\"zoneName\": \"a\", \"zoneName\": \"b\"}]",
      "the key appears twice in its object at [0].zoneName (byte 19)"
    ),
    (
      #"[{"zoneName": "a", "zone\u004eame": "b"}]"#,
      #"the key appears twice in its object at [0]["zone\u004eame"] (byte 19)"#
    ),
    ("[{}]", "the key “zoneName” is missing at [0] (byte 3)"),
    ("[{\"zoneName\": \"a\"}, []]", "expected an object at [1] (byte 20)"),
    ("{}", "expected an array at byte 0"),
    ("[{\"x\": {\"y z\": [0, [tru]]}}]", "expected “true” at [0].x[\"y z\"][1][0] (byte 20)"),
    (
      "[{\"zoneName\": \"a\" \"atomic\": true}]",
      "expected a comma or the container's end at [0].zoneName (byte 18)"
    ),
    ("[{\"zoneName\" 1}]", "expected a colon after the key at [0].zoneName (byte 13)"),
    ("[{\"zoneName\": \"\\q\"}]", "an unknown escape at [0].zoneName (byte 15)"),
    ("[{\"zoneName\": ", "the document ends too early at [0].zoneName (byte 14)"),
    ("[] []", "bytes follow the document's value at byte 3"),
    (
      "[{\"\(String(repeating: "k", count: 70))\": x}]",
      "expected a value at [0][\"\(String(repeating: "k", count: 64))…\"] (byte 76)"
    ),
    ("[{\"a\\\"b\": x}]", "expected a value at [0][\"a\\\"b\"] (byte 10)"),
    ("[{\"\": x}]", "expected a value at [0][\"\"] (byte 6)"),
  ]

  @Test(arguments: errors) func `An error names its cause and place`(
    document: String, message: String
  ) {
    let error = #expect(throws: JSONError.self) { try zones(document) }
    #expect(error?.description == message)
  }

  @Test func `Skipped values are checked`() throws {
    let first = try read("[1, {\"a\": [2]}, 3]") { reader throws(JSONError) in
      try reader.beginArray()
      _ = try reader.nextElement()
      return try reader.int64()
    }
    #expect(first == 1)
    for document in ["[1, {\"a\": [2}]", "[1, 02]", "[1", "[1,]", "[1]]", "[1, \"\\ud800\"]"] {
      #expect(throws: JSONError.self) {
        try read(document) { reader throws(JSONError) in
          try reader.beginArray()
          _ = try reader.nextElement()
          _ = try reader.int64()
        }
      }
    }
    #expect(throws: JSONError.self) { try read("[tru]") { _ throws(JSONError) in } }
    #expect(throws: Never.self) { try read("[true]") { _ throws(JSONError) in } }
  }

  @Test func `Values between two keys are skipped`() throws {
    let keys = try read("{\"a\": 1, \"b\": [{}], \"c\": \"d\"}") { reader throws(JSONError) in
      var keys: [String] = []
      try reader.beginObject()
      while let key = try reader.nextKey() { keys.append(key) }
      return keys
    }
    #expect(keys == ["a", "b", "c"])
  }

  @Test func `An object that is left half-read stops debug builds`() async {
    await #expect(processExitsWith: .failure) {
      _ = try read("{\"zoneName\": {\"zoneName\": 1}}") { reader throws(JSONError) in
        var object = try reader.beginObject(Zone.Key.self)
        _ = try reader.nextKey(of: &object)
        _ = try reader.beginObject(Zone.Key.self)
        return try reader.nextKey(of: &object)
      }
    }
  }

  @Test func `The kind of a value is known before it is read`() throws {
    let kinds = try read("[{}, [], \"\", -1, false, null]") { reader throws(JSONError) in
      var kinds: [JSONKind] = []
      try reader.beginArray()
      while try reader.nextElement() { kinds.append(try reader.peek()) }
      return kinds
    }
    #expect(kinds == [.object, .array, .string, .number, .boolean, .null])
  }

  @Test func `The bytes of a value are those of the document`() throws {
    let parts = try read("[ {\"a\" : [1.50]} , \"\\u0041\", 1e5 ,null]") {
      reader throws(JSONError) in
      var parts: [String] = []
      try reader.beginArray()
      while try reader.nextElement() {
        let raw = try reader.rawValue()
        parts.append(String(decoding: raw.withUnsafeBufferPointer { Array($0) }, as: UTF8.self))
      }
      return parts
    }
    #expect(parts == ["{\"a\" : [1.50]}", "\"\\u0041\"", "1e5", "null"])
  }

  enum Word: String, JSONKey {
    case string = "STRING"
    case int64 = "INT64"
    static let table = JSONKeyTable<Word>()
  }

  @Test func `A string is read as one of several words`() throws {
    let words = try read("[\"STRING\", \"INT64\", \"INT\\u00364\", \"INT32\", \"\"]") {
      reader throws(JSONError) in
      var words: [Word?] = []
      try reader.beginArray()
      while try reader.nextElement() { words.append(try reader.word(Word.self)) }
      return words
    }
    #expect(words == [.string, .int64, .int64, nil, nil])
  }

  @Test func `Strings and keys over the limit are refused`() {
    var limits = JSONLimits()
    limits.maximumStringBytes = 4
    #expect(throws: Never.self) { try JSONValue(Array("{\"abcd\":\"efgh\"}".utf8), limits: limits) }
    for document in ["{\"abcde\":1}", "\"abcde\""] {
      let error = #expect(throws: JSONError.self) {
        try JSONValue(Array(document.utf8), limits: limits)
      }
      #expect(error?.code == .limit)
    }
  }

  @Test func `Elements over the limit are refused, and count once if read again`() throws {
    var limits = JSONLimits()
    limits.maximumElements = 5
    // Each list is skipped first, and read afterwards.
    func count(_ document: String) throws(JSONError) -> Int {
      try JSONReader.read(Array(document.utf8), limits: limits) {
        (reader) throws(JSONError) -> Int in
        var sum = 0
        try reader.beginArray()
        while try reader.nextElement() {
          let place = try reader.skipForLater()
          let inner = try reader.read(place) { (reader) throws(JSONError) -> Int in
            var inner = 0
            try reader.beginArray()
            while try reader.nextElement() { inner += 1 }
            return inner
          }
          sum += inner
        }
        return sum
      }
    }
    #expect(try count("[[true, true], [true]]") == 3)
    for document in ["[[true, true], [true, true]]", "[[], [], [], [], [], []]"] {
      let error = #expect(throws: JSONError.self) { try count(document) }
      #expect(error?.code == .limit && error?.message == "more than 5 elements")
    }
  }

  @Test func `Members with any key count as elements`() throws {
    var limits = JSONLimits()
    limits.maximumElements = 2
    #expect(throws: Never.self) { try JSONValue(Array(#"{"a":1,"b":2}"#.utf8), limits: limits) }
    let error = #expect(throws: JSONError.self) {
      try JSONValue(Array(#"{"a":1,"b":2,"c":3}"#.utf8), limits: limits)
    }
    #expect(error?.code == .limit)
  }

  @Test func `The depth limit never exceeds what the stack holds`() {
    var limits = JSONLimits()
    limits.maximumDepth = .max
    let (deep, deeper) = (nested(512), nested(513))
    #expect(throws: Never.self) { try JSONValue(deep, limits: limits) }
    #expect(throws: JSONError.self) { try JSONValue(deeper, limits: limits) }
  }

  private func nested(_ depth: Int) -> [UInt8] {
    Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
  }
}
