internal import CSPP
internal import SecretMemory

// This folder is for a login at an issuer (OpenID Connect): Authorization Code with PKCE, and a
// redirect to this computer. It knows no guard.

/// The fields of a JSON object that an issuer wrote; most of them are not known here.
struct IssuerFields {
  private let text: [UInt8]
  private let object: JSONObject

  /// Parses a text; nil where it is no JSON object.
  init?(_ text: [UInt8]) {
    self.text = text
    do throws(CSPPError) {
      object = try unsafe JSONObject(parsing: text.span.bytes, duplicates: .refusedOnLookup)
    } catch {
      return nil
    }
  }

  private func value(_ name: StaticString) -> JSONValue? {
    do throws(CSPPError) {
      return try unsafe object.value(name, in: text.span.bytes)
    } catch {
      return nil
    }
  }

  /// A text; nil where the field is absent, twice there, or of another kind.
  func text(_ name: StaticString) -> String? {
    guard let value = value(name), value.kind == .string else { return nil }
    return unsafe value.string(in: text.span.bytes)
  }

  /// Whether the field is true.
  func isTrue(_ name: StaticString) -> Bool { value(name)?.kind == .boolTrue }

  /// Whether the field is absent, or a list with this text.
  func allows(_ text: StaticString, in name: StaticString) -> Bool {
    guard let list = value(name) else { return true }
    do throws(CSPPError) {
      var elements = try JSONElements(list, field: name)
      while let element = try unsafe elements.next(in: self.text.span.bytes) {
        if unsafe element.equals(text, in: self.text.span.bytes) { return true }
      }
    } catch {}
    return false
  }
}
