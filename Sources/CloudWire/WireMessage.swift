package import CloudRecords
package import JSONCoding

/// The body of a request, as a client sends it.
package protocol WireRequest: Sendable {
  init(from reader: inout JSONReader) throws(JSONError)
}

/// The body of a response, as the server sends it.
package protocol WireResponse: Sendable {
  func write(to writer: inout JSONWriter)

  /// The whole body; a response that was written before gives what was written.
  var bytes: [UInt8] { get }
}

extension WireResponse {
  /// The whole body.
  package var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    write(to: &writer)
    return writer.array()
  }
}

/// A response that a client reads, too.
///
/// Clients are lenient: they pass over what they do not know, and read the answers of other
/// servers. An item that cannot be read is an item that failed; those beside it are as they came.
package protocol ClientResponse: WireResponse {
  init(from reader: inout JSONReader) throws(JSONError)
}

/// A request that a client writes, too, and what it is answered with.
package protocol ClientRequest: WireRequest {
  associatedtype Response: ClientResponse

  func write(to writer: inout JSONWriter)
}

/// A question to a database.
package protocol DatabaseRequest: ClientRequest {
  /// Where the question goes.
  static var endpoint: Endpoint { get }
  /// Whether it says anything: what does not is documented to be asked with GET.
  static var hasBody: Bool { get }
}

extension DatabaseRequest {
  package static var hasBody: Bool { true }
}

extension WireRequest {
  /// Reads a whole body.
  ///
  /// An empty body counts as an empty object, since clients send both.
  package init(body: [UInt8]) throws(CloudError) {
    do throws(JSONError) {
      self = try JSONReader.read(wholeBody(body), Self.init(from:))
    } catch {
      throw CloudError(.badRequest, "The request's body cannot be read: \(error).")
    }
  }
}

extension ClientRequest {
  /// The whole body.
  package var body: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.array()
  }
}

extension ClientResponse {
  /// Reads the whole body of an answer whose status says that all went well.
  ///
  /// - Throws: What the body tells instead of an answer, or why it cannot be read.
  package init(answer body: [UInt8]) throws(CloudError) {
    do throws(JSONError) {
      self = try JSONReader.read(wholeBody(body), Self.init(from:))
    } catch {
      throw CloudError(body, unreadable: error)
    }
  }
}

/// An empty body counts as an empty object.
private func wholeBody(_ body: [UInt8]) -> [UInt8] { body.isEmpty ? Array("{}".utf8) : body }

/// A response that says nothing but that all went well.
package struct EmptyResponse: ClientResponse, Hashable {
  package init() {}

  /// Reads an answer of which nothing is needed.
  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }

  package func write(to writer: inout JSONWriter) { writer.emptyObject() }
}

extension JSONWriter {
  /// A body that says nothing.
  mutating func emptyObject() {
    beginObject()
    endObject()
  }
}
