import PropertyLists
import Testing

@Suite struct `XML property lists` {
  @Test func `Every kind of value is read`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
        <key>name</key><string>Model 2.xcdatamodel</string>
        <key>yes</key><true/> <key>no</key><false/> <key>whole</key><integer>-5</integer>
        <key>real</key><real>1.5</real> <key>data</key><data>AAEC</data>
        <key>date</key><date>2001-01-02T00:00:00Z</date> <key>list</key><array><string>a</string></array>
      </dict></plist>
      """
    #expect(
      try PropertyList(Array(text.utf8))
        == .dictionary([
          "name": .string("Model 2.xcdatamodel"), "yes": .boolean(true), "no": .boolean(false),
          "whole": .integer(-5), "real": .double(1.5), "data": .data([0, 1, 2]),
          "date": .date(86_400),
          "list": .array([.string("a")]),
        ]))
  }

  @Test(arguments: [
    "<?xml version=\"1.0\"?>", "<plist><dict>", "<plist></plist>",
    "<plist><dict><key>a</key></dict></plist>",
  ])
  func `Broken text is an error`(text: String) {
    #expect(throws: PropertyListError.self) { try PropertyList(Array(text.utf8)) }
  }

  @Test(arguments: [
    "", "<!-- > </array> -->", "<?end > </array> ?>", "<string><![CDATA[</array>]]></string>",
    "<array note=\"<!--\"/>",
  ])
  func `Elements that nest too deeply are refused, whatever stands between them`(content: String) {
    let text = "<plist>" + String(repeating: "<array>" + content, count: 10_000)
    let error = #expect(throws: PropertyListError.self) { try PropertyList(Array(text.utf8)) }
    #expect(error?.code == .limit)
  }

  @Test(arguments: ["plist", "dict", "key"])
  func `A million nested elements of any kind are too deep`(name: String) {
    let text = "<plist>" + String(repeating: "<\(name)>", count: 1_000_000)
    let error = #expect(throws: PropertyListError.self) { try PropertyList(Array(text.utf8)) }
    #expect(error?.code == .limit)
  }

  @Test func `Sixty-four nested arrays with a value are read`() throws {
    let text =
      "<plist>" + String(repeating: "<array>", count: 64) + "<string>a</string>"
      + String(repeating: "</array>", count: 64) + "</plist>"
    var expected = PropertyList.string("a")
    for _ in 0..<64 { expected = .array([expected]) }
    #expect(try PropertyList(Array(text.utf8)) == expected)
  }

  @Test func `Empty elements beside each other are not nested`() throws {
    let text = "<plist><array>" + String(repeating: "<dict/>", count: 100) + "</array></plist>"
    let empty = PropertyList.dictionary([:])
    #expect(try PropertyList(Array(text.utf8)) == .array(Array(repeating: empty, count: 100)))
  }

  @Test func `A document type with declarations is refused`() {
    let text = "<!DOCTYPE plist [<!ELEMENT a '<!--'>]><plist><array></array></plist>"
    let error = #expect(throws: PropertyListError.self) { try PropertyList(Array(text.utf8)) }
    #expect(error?.message.contains("document type") == true)
  }

  @Test func `Every text is read as UTF-8, whatever encoding it declares`() throws {
    let text = "<?xml version='1.0' encoding='UTF-7'?><plist><string>+ADw-</string></plist>"
    #expect(try PropertyList(Array(text.utf8)) == .string("+ADw-"))
  }

  @Test func `Other bytes are neither format`() {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(Array("{ a = b; }".utf8))
    }
    #expect(error?.code == .notAPropertyList)
    #expect(error?.message.contains("bplist00") == true)
  }
}
