import HTTPServer

/// Connections: no order of bytes, responses, timers and endings traps the machine, or makes it
/// send more responses than it received requests.
///
/// The input is a list of events: a byte that selects one and, for bytes from the client, a length
/// and that many bytes.
enum HTTPConnectionTarget: FuzzTarget {
  static let name = "http-connection"

  static func seeds() throws -> [[UInt8]] {
    func receive(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + text.utf8 }
    let get = receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let put = receive(
      "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    let chunked = receive(
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
    return [
      get + [1] + get + [2, 4, 4, 5, 10],
      put + [6] + receive("abc") + [7, 3, 4, 5], chunked + receive("0\r\n\r\n") + [1],
      get + get + get + [1, 1, 1, 8, 10], chunked + [9, 1, 10, 8], get + [11, 1, 10], put + [12],
    ]
  }

  static func run(_ bytes: [UInt8]) {
    var connection = Connection()
    var rest = bytes[...]
    while let event = rest.popFirst() {
      connection.take(event, &rest)
    }
    require(connection.answered <= connection.begun, "more is answered than was asked")
  }

  private struct Connection: ~Copyable {
    private var machine = HTTPConnectionMachine(settings: .init())
    private(set) var begun = 0
    private(set) var answered = 0
    private var queued = 0
    private var hasEnded = false

    init() { perform(machine.start()) }

    mutating func take(_ event: UInt8, _ rest: inout ArraySlice<UInt8>) {
      switch event % 13 {
      case 0:
        let count = Int(rest.popFirst() ?? 0)
        let bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        perform(machine.received(bytes.span))
      case 1: respond(.bytes([1, 2]))
      case 2: respond(.parts(length: nil))
      case 3: respond(.parts(length: 2))
      case 4: perform((try? machine.part([1])) ?? [])
      case 5: perform(machine.responseEnded())
      case 6: perform(machine.bodyDemanded())
      case 7:
        let count = queued
        queued = 0
        perform(machine.bodyConsumed(count))
      case 8: perform(machine.inputEnded())
      case 9: perform(machine.timerFired())
      case 10: perform(machine.flushed())
      case 11: perform(machine.drain())
      default: perform(machine.lost())
      }
    }

    private mutating func respond(_ body: HTTPConnectionMachine.OutgoingBody) {
      guard !machine.hasResponded else { return }
      answered += 1
      let stamp = ResponseStamp(dateLine: [], requestID: nil)
      perform((try? machine.respond(.ok, [:], body, stamp: stamp)) ?? [])
    }

    private mutating func perform(_ actions: [HTTPConnectionMachine.Action]) {
      for action in actions {
        require(!hasEnded, "the machine goes on after the end")
        switch action {
        case .begin:
          begun += 1
          queued = 0
        case .body(let bytes):
          require(!bytes.isEmpty, "an empty piece of a body")
          queued += bytes.count
        case .close, .abort: hasEnded = true
        default: break
        }
      }
    }
  }
}
