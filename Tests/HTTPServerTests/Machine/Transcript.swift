import HTTPServer

/// A machine, and its transcript: one line for each event and each action.
struct Transcript: ~Copyable {
  private var machine: HTTPConnectionMachine
  private(set) var lines: [String] = []

  init(settings: HTTPConnectionMachine.Settings = .init()) {
    machine = HTTPConnectionMachine(settings: settings)
    add("start", machine.start())
  }

  var text: String { lines.joined(separator: "\n") }
  var hasResponded: Bool { machine.hasResponded }

  /// The actions of the last event.
  private(set) var last: [String] = []

  mutating func receive(_ text: String) {
    add("receive \(text.utf8.count)", machine.received(Array(text.utf8).span))
  }

  mutating func endInput() { add("input ended", machine.inputEnded()) }
  mutating func fireTimer(isMemoryShort: Bool = false) {
    add("timer", machine.timerFired(isMemoryShort: isMemoryShort))
  }
  mutating func flush() { add("flushed", machine.flushed()) }
  mutating func drain() { add("drain", machine.drain()) }
  mutating func lose() { add("lost", machine.lost()) }
  mutating func demandBody() { add("demand body", machine.bodyDemanded()) }
  mutating func consumeBody(_ count: Int) { add("consume \(count)", machine.bodyConsumed(count)) }
  mutating func endResponse() { add("response ended", machine.responseEnded()) }
  mutating func failResponse() { add("response failed", machine.responseFailed()) }

  mutating func part(_ text: String) throws {
    add("part \(text.utf8.count)", try machine.part(Array(text.utf8)))
  }

  mutating func respond(
    _ status: HTTPStatus = .ok, _ headers: HTTPHeaders = [:],
    _ body: HTTPConnectionMachine.OutgoingBody
  ) throws {
    let stamp = ResponseStamp(dateLine: [], requestID: nil)
    add("respond \(status.rawValue)", try machine.respond(status, headers, body, stamp: stamp))
  }

  mutating func respond(_ text: String) throws { try respond(.ok, [:], .bytes(Array(text.utf8))) }

  private mutating func add(_ event: String, _ actions: [HTTPConnectionMachine.Action]) {
    last = actions.map(Self.line)
    lines.append(event)
    lines += last.map { "  " + $0 }
  }

  private static func line(_ action: HTTPConnectionMachine.Action) -> String {
    switch action {
    case .begin(let head, .stream): "begin \(head.method) \(head.path)"
    case .begin(let head, .whole(let body)): "begin \(head.method) \(head.path) with \(text(body))"
    case .body(let bytes): "body \(text(bytes))"
    case .endBody: "end of body"
    case .failBody(let error): "body fails: \(error)"
    case .cancelHandler: "cancel handler"
    case .refuse(let error): "refuse \(error)"
    case .write(let bytes): "write \(text(bytes))"
    case .arm(let timer): timer.map { "arm \($0)" } ?? "disarm"
    case .read(let reads): reads ? "read" : "do not read"
    case .finishOutput: "finish output"
    case .close: "close"
    case .abort: "abort"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    guard bytes.count <= 400 else { return "\(bytes.count) bytes" }
    let text = String(decoding: bytes, as: UTF8.self)
    return "“\(text.replacing("\r\n", with: "|"))”"
  }
}

/// The first request of most transcripts.
let plainRequest = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
