package import CloudRecords
package import JSONCoding

/// The body of a request, as a client sends it.
package protocol WireRequest: Sendable {
  init(from reader: inout JSONReader) throws(JSONError)
}

/// The body of a response, as the server sends it.
package protocol WireResponse: Sendable {
  func write(to writer: inout JSONWriter)
}

extension WireRequest {
  /// Reads a whole body.
  ///
  /// An empty body counts as an empty object, since clients send both.
  package init(body: [UInt8]) throws(CloudError) {
    let document = body.isEmpty ? Array("{}".utf8) : body
    do throws(JSONError) {
      self = try JSONReader.read(document, Self.init(from:))
    } catch {
      throw CloudError(.badRequest, "The request's body cannot be read: \(error).")
    }
  }
}

/// A response that says nothing but that all went well.
package struct EmptyResponse: WireResponse, Hashable {
  package init() {}

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.endObject()
  }
}
