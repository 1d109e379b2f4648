import { type CountReply, UpstreamError, type UpstreamResponse } from '@sluice/core/provider'
import { checkResponseHead } from './garbled-response.ts'
import { countOf, isFields } from './json-value.ts'
import { parseJson } from './parse-json.ts'
import { wallClock } from './wall-clock.ts'

/** Parses an error response of a vendor. */
type ParseError = (response: UpstreamResponse, now: () => number) => Promise<UpstreamError>

/**
 * Decodes a response with a number of tokens. `name` is that of the number. Throws `UpstreamError`: `refused` for an error,
 * `garbled` for a response without the number.
 */
export async function decodeCount(
  response: UpstreamResponse,
  name: string,
  parseError: ParseError,
): Promise<CountReply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseError(response, wallClock)
  checkResponseHead(response)
  const promptTokens = countIn(parsed(await response.text()), name)
  if (promptTokens !== undefined) return { promptTokens }
  throw new UpstreamError('The upstream answered without a number of tokens.', { kind: 'garbled' })
}

function countIn(value: unknown, name: string): number | undefined {
  return isFields(value) ? countOf(value[name]) : undefined
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
