import type { ModerateRequest } from '../contracts/moderation.ts'
import type { ModerateReply, RerankReply } from '../contracts/provider.ts'
import type { RerankRequest } from '../contracts/rerank.ts'
import { UpstreamError } from '../errors/upstream-error.ts'

/** Returns how many results a request asks for. */
export function resultsOf({ topN, documents }: RerankRequest): number {
  return Math.min(topN ?? documents.length, documents.length)
}

/**
 * Throws `UpstreamError` of kind `garbled` unless a reply has a score for as many documents as the request asks for, each for another
 * document of the request: a result that points elsewhere would be read as another document.
 */
export function checkRerankReply({ results }: Partial<RerankReply>, request: RerankRequest): void {
  const asked = resultsOf(request)
  if (!Array.isArray(results) || results.length < asked)
    throw garbled(`The upstream returned ${results?.length ?? 0} results, expected ${asked}.`)
  const found = new Set<number>()
  for (const { index, score } of results as RerankReply['results']) {
    const isDocument = Number.isInteger(index) && index >= 0 && index < request.documents.length
    if (!isDocument || found.has(index)) throw garbled('The upstream returned a result for no document.')
    if (!Number.isFinite(score)) throw garbled('The upstream returned a result without a score.')
    found.add(index)
  }
}

/** Throws `UpstreamError` of kind `garbled` unless a reply has the results that the request asks for: a missing one could be read as harmless. */
export function checkModeration({ native }: Partial<ModerateReply>, request: ModerateRequest): void {
  const results = typeof native === 'string' ? countResults(native) : undefined
  if (results === undefined || results === 0)
    throw garbled('The upstream returned no result of a moderation.')
  const { results: asked } = request
  if (asked === undefined || results === asked) return
  throw garbled(`The upstream returned ${results} results of a moderation for ${asked} inputs.`)
}

function countResults(text: string): number | undefined {
  try {
    const value = JSON.parse(text) as { readonly results?: unknown } | null
    const results = value?.results
    if (!Array.isArray(results)) return undefined
    return results.every(each => typeof each === 'object' && each !== null) ? results.length : undefined
  } catch {
    return undefined
  }
}

function garbled(message: string): UpstreamError {
  return new UpstreamError(message, { kind: 'garbled' })
}
