import { UpstreamError } from '../errors/upstream-error.ts'

/** What vendors write about reasoning that they cannot read. */
const patterns: readonly RegExp[] = [
  /invalid_encrypted_content/i,
  /encrypted content .{0,80}(?:verified|decrypted|parsed)/i,
  /(?:invalid|verify).{0,40}`?signature`? in `?(?:redacted_)?thinking/i,
  /(?:redacted_)?thinking`? blocks? .{0,80}(?:cannot be modified|must remain as they were|could not be verified)/i,
  // With a budget, an answer that goes on after a tool has to begin with a thought.
  /expected `?thinking`? or `?redacted_thinking`?, but found/i,
  /(?:invalid|corrupted).{0,20}`?data`? in `?redacted_thinking/i,
  /thought.?signature.{0,40}(?:not valid|invalid|corrupted)/i,
  /(?:not valid|invalid|corrupted).{0,40}thought.?signature/i,
  /reasoning.?(?:content|text)?.{0,40}signature.{0,40}(?:invalid|not valid|could not)/i,
]

/** Longer texts are not looked at, in UTF-16 code units. */
const maxLength = 4_096

/** Whether a vendor refused a request for the signatures or the encrypted reasoning of its earlier answers. */
export function refusesReasoning(failure: unknown): boolean {
  if (!UpstreamError.is(failure) || failure.kind !== 'refused') return false
  if (failure.status !== 400 && failure.status !== 422) return false
  const text = `${failure.code ?? ''} ${failure.vendorMessage ?? failure.native?.body ?? ''}`.slice(
    0,
    maxLength,
  )
  return patterns.some(pattern => pattern.test(text))
}
