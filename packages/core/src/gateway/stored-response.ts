import type { CachedResponse } from '../caching/cached-response.ts'
import { lookUpReplay, type RunningIdempotency } from '../caching/idempotency.ts'
import { type CacheableRequest, lookUpCache, type ResponseCache } from '../caching/response-cache.ts'
import type { GuardedCacheStore } from '../contracts/cache-store.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import { respondStream, respondText } from '../http/respond.ts'
import { withAnswerCost } from './answer-cost.ts'
import { ReplayedStream } from './replayed-stream.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'

/** Returns the response of an earlier request with the same idempotency key. Where there is none, stores this one's. */
export async function replayOf(
  request: Request,
  draft: Draft,
  idempotency: RunningIdempotency,
  { principal, requestId }: RequestContext,
  accounting: RequestAccounting,
): Promise<CachedResponse | undefined> {
  const found = await lookUpReplay(request, draft, principal!, requestId, idempotency)
  if (found === undefined) return undefined
  accounting.replayLookedUp(found)
  return found.answer
}

/** Returns the response that is in the cache. Where there is none, stores this one. */
export async function cachedResponse(
  request: Request,
  draft: Draft,
  asked: CacheableRequest,
  cache: ResponseCache<GuardedCacheStore>,
  { principal }: RequestContext,
  accounting: RequestAccounting,
): Promise<CachedResponse | undefined> {
  const found = await lookUpCache(request, draft, asked, principal!, cache)
  if (found === undefined) return undefined
  accounting.cacheLookedUp(found)
  return found.answer
}

/** Responds with a stored response. */
export function replay(
  stored: CachedResponse,
  dialect: Dialect,
  context: RequestContext,
  accounting: RequestAccounting,
): GatewayResponse {
  const { requestId } = context
  accounting.replayed(stored)
  const text = accounting.exposesCost ? withAnswerCost(stored.text, stored.stream, 0) : stored.text
  context.stream = stored.stream
  if (stored.stream && 'streamError' in dialect) {
    const body = new ReplayedStream(text, dialect, context, accounting)
    body.start()
    return respondStream(body, requestId, accounting.responseHeaders)
  }
  accounting.firstByte()
  accounting.bodySent(text)
  accounting.settled('completed', 200)
  return respondText(200, text, requestId, accounting.answerHeaders)
}
