/// Documents and whether they are JSON, in the style of JSONTestSuite.
///
/// The cases are our own.
enum SyntaxCases {
  /// Documents that every reader must accept.
  static let accepted: [String] = [
    // Scalars alone
    "null", "true", "false", "0", "-0", "1", "-1", "10", "1234567890", "9223372036854775807",
    "-9223372036854775808",
    "0.0", "-0.0", "0.5", "-0.5", "1.5", "1e1", "1E1", "1e+1", "1e-1", "1.5e10", "1.5E-10", "0e0",
    "0e1", "0E+1",
    "-0e-1",
    "1e00", "1e01", "1e-007", "123.456e78", "0.00000000000000000000000001",
    "100000000000000000000.0",
    "\"\"", "\"a\"", "\" \"", "\"text\"", "\"12345678\"", "\"123456789\"",
    // White space
    " null", "null ", "\tnull\t", "\nnull\n", "\rnull\r", " \t\r\n[ \t\r\n] \t\r\n", "{ }", "[ ]",
    "[ 1 , 2 ]",
    "{ \"a\" : 1 , \"b\" : 2 }", "\n{\n\"a\"\n:\n1\n}\n",
    // Containers
    "[]", "{}", "[[]]", "[{}]", "{\"a\":{}}", "{\"a\":[]}", "[1]", "[1,2,3]",
    "[null,true,false,0,\"\",[],{}]",
    "{\"a\":1}", "{\"a\":1,\"b\":2}", "{\"\":0}", "{\"a\":{\"a\":{\"a\":{}}}}", "[[[[[[[[]]]]]]]]",
    "[[],[]]",
    "[{},{}]",
    "{\"a\":null,\"b\":[1,{\"c\":\"d\"}]}",
    // Escapes
    #""\"""#, #""\\""#, #""\/""#, #""\b\f\n\r\t""#, #""\u0000""#, #""\u001f""#, #""\u0041""#,
    #""\u00e9""#,
    #""\u00E9""#,
    #""\u20ac""#, #""\uFFFF""#, #""\ufffe""#, #""\ud83d\ude00""#, #""\uD83D\uDE00""#,
    #""\udbff\udfff""#,
    #""\ud800\udc00""#, #""a\u0062c""#, #""\\u0041""#, #""\\\"""#, #""\u005C""#, #""\u0022""#,
    #"{"\u0061":1}"#,
    #"{"a\nb":1}"#, #""\uD83D\uDE00\uD83D\uDE00""#, #""12345678\n12345678""#, #"["\"","\\"]"#,
    // Text
    "\"é\"", "\"€\"", "\"😀\"", "\"\u{7F}\"", "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"", "\"\u{FFFF}\"",
    "\"\u{10FFFF}\"",
    "\"/\"", "\"'\"", "{\"é\":\"ü\"}", "\"a\u{301}\"", "\"\u{80}\u{7FF}\u{800}\"",
    "[\"日本語\",\"한국어\"]",
    "\"// no comment\"", "\"[{,:}]\"",
  ]

  /// Documents that every reader must refuse.
  static let refused: [String] = [
    // Empty or truncated
    "", " ", "\n", "[", "{", "\"", "\"a", "[1", "[1,", "[1,2", "{\"a\"", "{\"a\":", "{\"a\":1",
    "{\"a\":1,", "{\"a",
    "[[]",
    "[\"a", "[{}", "-", "t", "tru", "fals", "nul", "[\"\\", "\"\\u00", "\"\\",
    // Trailing bytes
    "null null", "1 2", "[] []", "[]]", "{}}", "{} 1", "[1]x", "\"a\"\"b\"", "1,", "[],",
    "{\"a\":1}}", "nullx",
    "truefalse",
    "null\u{0}", "null\u{A0}", "[]//", "[]/**/", "[]#",
    // Commas and colons
    ",", ":", "[,]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1:2]", "{,}", "{\"a\":1,}", "{,\"a\":1}",
    "{\"a\":1,,\"b\":2}",
    "{\"a\" 1}", "{\"a\",1}", "{\"a\"::1}", "{\"a\":}", "{:1}", "{\"a\"}", "{\"a\":1 \"b\":2}",
    "{\"a\":1:2}", "[[],]",
    "[{},]",
    "{\"a\":[],}", "[1;2]", "{\"a\";1}", "{\"a\"=1}", "[\"a\",\n4\n,1,",
    // Keys
    "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{[]:1}", "{{}:1}", "{\"a\":1,b:2}", "{true:1}",
    "{\"a\":1,2}",
    "{\"a\":b}",
    // Brackets
    "]", "}", "[}", "{]", "[1}", "{\"a\":1]", "[[}]", "{\"a\":[}}", "[(1)]", "<null>", "(1)",
    // Words
    "Null", "NULL", "True", "TRUE", "FALSE", "nil", "undefined", "yes", "NaN", "nan", "Infinity",
    "-Infinity", "inf",
    "-inf",
    "nul1", "trux", "falze", "[nulll]", "[tru]", "[nul,1]", "a", "abc", "*", "&", "\\", "\\u0031",
    "None", "[-foo]",
    "'a'",
    "`a`",
    // Numbers
    "+1", "++1", "--1", "-+1", "+-1", "01", "00", "-01", "-00", "007", "0123.4", "1.", "-1.",
    "1.e1", ".5", "-.5", ".",
    "-.",
    "1e", "1E", "1e+", "1e-", "1.5e", "1.5e+", "0e", "0e+", "1.2.3", "1e1.5", "1e1e1", "1ee1",
    "1e++1", "1eE1", "0x10",
    "0X1",
    "0b1", "0o7", "1_000", "1,000", "1 000", "1a", "1e1a", "1f", "1L", "- 1", "1 .5", "1. 5",
    "1e 5", "$1", "1%", "１",
    "1٠", "∞",
    "[1.]", "[.5]", "[01]", "[1e]", "[-]", "[+1]", "[- 1]", "{\"a\":01}", "[1.,2]", "[-2.]",
    "[0.e1]", "[2.e3]",
    "[9.e+]",
    "[1+2]", "[0x1]", "[1.8011670033376514H-308]", "[-1x]", "[0e+-1]",
    // Strings
    "\"\u{0}\"", "\"\u{1}\"", "\"\u{1F}\"", "\"\t\"", "\"\n\"", "\"\r\"", "\"1234567\n\"",
    "\"12345678\n\"", "'",
    "\"a\nb\"",
    "{\"a\tb\":1}", "[\"\u{8}\"]",
    // Escapes
    #""\a""#, #""\v""#, #""\0""#, #""\x41""#, #""\U0041""#, #""\'""#, #""\ ""#, "\"\\\n\"",
    "\"\\\u{0}\"", "\"\\é\"",
    #""\u""#,
    #""\u1""#, #""\u12""#, #""\u123""#, #""\u12g4""#, #""\uG000""#, #""\u+123""#, #""\u-123""#,
    #""\u 123""#,
    #""\u{41}""#,
    #""\u00\u0041""#, #""\u00""#, #""\u004""#, "\"\\u０041\"", #""\"#, #""\\\""#, #"{"\a":1}"#,
    #"{"\u12":1}"#, #"[\n]"#,
    #"[\u000A""]"#, #"["\u00A"]"#, #"["\u"]"#,
    // Lone surrogates
    #""\ud800""#, #""\uD83D""#, #""\ude00""#, #""\udc00\ud800""#, #""\ud83dx""#, #""\ud83d\n""#,
    #""\ud83d\u0041""#,
    #""\ud83d\ud83d""#, #""\ud83d\u""#, #""\ud83d\ude""#, #""\ud83d\\ude00""#, #"{"\ud800":1}"#,
    #"["\uDFFF"]"#,
    #""\ud83d\ud83d\ude00""#, #""\ud83d \ude00""#, #""\ud83d\u{de00}""#,
    // Byte order marks, comments, other white space
    "\u{FEFF}", "\u{FEFF}null", "\u{FEFF}{}", "// c\nnull", "/**/null", "[/**/]", "[1,/*c*/2]",
    "# c\nnull",
    "\u{B}null",
    "\u{C}null", "\u{85}null", "\u{A0}null", "\u{2028}null", "\u{2060}null", "\u{3000}null",
    "[\u{C}]", "\u{0}",
  ]

  /// Documents that the standard leaves to the reader, with our decision and its reason.
  static let decided: [(document: String, isAccepted: Bool, reason: String)] = [
    ("9223372036854775808", false, "an integer that does not fit is not rounded"),
    ("-9223372036854775809", false, "an integer that does not fit is not rounded"),
    ("123456789012345678901234567890", false, "an integer that does not fit is not rounded"),
    ("123456789012345678901234567890.0", true, "a fraction makes it a double"),
    ("1e308", true, "fits"),
    ("1.7976931348623157e308", true, "the largest double"),
    ("1.7976931348623158e308", true, "rounds to the largest double"),
    ("1.7976931348623159e308", false, "rounds to infinity"),
    ("1e309", false, "overflows a double"),
    ("-1e309", false, "overflows a double"),
    ("1e400", false, "overflows a double"),
    ("1e99999999999999999999", false, "overflows a double"),
    ("5e-324", true, "the smallest double"),
    ("1e-400", true, "zero is the nearest double"),
    ("-1e-400", true, "zero is the nearest double"),
    ("1e-99999999999999999999", true, "zero is the nearest double"),
    ("0e99999999999999999999", true, "zero"),
    ("{\"a\":1,\"a\":2}", false, "a duplicate key"),
    ("{\"a\":1,\"a\":1}", false, "a duplicate key"),
    ("{\"a\":1,\"\\u0061\":2}", false, "the same key, with an escape"),
    ("{\"é\":1,\"e\u{301}\":2}", true, "keys that only look alike"),
    ("{\"a\":{\"a\":1},\"b\":{\"a\":1}}", true, "keys of other objects"),
    (String(repeating: "[", count: 64) + String(repeating: "]", count: 64), true, "64 levels"),
    (
      String(repeating: "[", count: 65) + String(repeating: "]", count: 65), false,
      "more than 64 levels"
    ),
    (String(repeating: "[", count: 100_000), false, "more than 64 levels"),
    (
      String(repeating: "{\"a\":", count: 65) + "1" + String(repeating: "}", count: 65), false,
      "more than 64 levels"
    ),
    ("0." + String(repeating: "0", count: 1022), true, "1,024 bytes"),
    ("0." + String(repeating: "0", count: 1023), false, "more than 1,024 bytes"),
    (String(repeating: "9", count: 100_000), false, "more than 1,024 bytes"),
    ("0." + String(repeating: "3", count: 100_000), false, "more than 1,024 bytes"),
    ("1e" + String(repeating: "0", count: 100_000), false, "more than 1,024 bytes"),
    (String(repeating: "9", count: 309) + ".0", false, "overflows a double"),
    (String(repeating: "9", count: 308) + ".0", true, "fits"),
  ]

  /// Bytes that are not UTF-8, with the offset of the first invalid one.
  static let wrongBytes: [(bytes: [UInt8], place: Int)] = [
    ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3], 0), ([0xC3, 0x28], 0),
    ([0xE2, 0x82], 0),
    ([0xE2, 0x28, 0xA1], 0), ([0xE0, 0x80, 0x80], 0), ([0xE0, 0x9F, 0xBF], 0),
    ([0xED, 0xA0, 0x80], 0),
    ([0xED, 0xBF, 0xBF], 0),
    ([0xF0, 0x9F, 0x98], 0), ([0xF0, 0x80, 0x80, 0x80], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0),
    ([0xF4, 0x90, 0x80, 0x80], 0),
    ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF8, 0x88, 0x80, 0x80, 0x80], 0), ([0xFE], 0), ([0xFF], 0),
    ([0x61, 0xFF], 1),
    ([0xC3, 0xA9, 0x80], 2), ([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], 0),
  ]
}
