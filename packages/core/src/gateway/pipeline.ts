import { authenticate } from '../auth/authenticate.ts'
import { authorizeTargets } from '../auth/authorize.ts'
import type { CachedResponse } from '../caching/cached-response.ts'
import { lookUpReplay, type RunningIdempotency } from '../caching/idempotency.ts'
import { lookUpCache, type ResponseCache } from '../caching/response-cache.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { GuardedCacheStore } from '../contracts/cache-store.ts'
import type { Draft } from '../contracts/draft.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { PartialCompletion } from '../contracts/provider.ts'
import { keepAliveComment } from '../dialects/chat/chunk-writer.ts'
import { respondCached, respondCompletion, respondStream } from '../dialects/chat/respond.ts'
import { validate } from '../dialects/chat/validate.ts'
import { KeepAliveStream } from '../http/keep-alive-stream.ts'
import type { ServiceLoad } from '../http/running-requests.ts'
import { normalizeCompletion } from '../normalization/completion.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { principalKey } from '../primitives/principal-key.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { jsonMember } from '../protocol/json-members.ts'
import { limit } from '../rate-limiting/limit.ts'
import { shedLoad } from '../rate-limiting/load-shedding.ts'
import { route } from '../routing/route.ts'
import { call } from '../upstream/call.ts'
import type { ChunkSource, UpstreamResult } from '../upstream/call-context.ts'
import { completionUsage } from '../usage/usage.ts'
import { boundOutput, boundTargets } from '../validation/bounded-output.ts'
import { isBodyBuffered, read, receive } from '../validation/read.ts'
import { type AnsweredRequest, CompletionStream } from './completion-stream.ts'
import { LimitRequest } from './limit-request.ts'
import { ReplayedStream } from './replayed-stream.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { routeContext } from './route-context.ts'

/**
 * Answers a chat completion, stage by stage. Each stage may throw its error. The caller settles the accounting then, which
 * releases what the request holds.
 */
export async function completeChat<Host>(
  request: Request,
  fetchContext: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
  load: ServiceLoad,
): Promise<GatewayResponse> {
  const { routing } = context
  const identifying = authenticate(request, fetchContext.host, options.authenticate, failure =>
    context.reportAuthFailure(failure),
  )
  const principal = isPromise(identifying) ? await identifying : identifying
  context.principal = principal
  fetchContext.onPrincipal?.(principal)
  if (isBodyBuffered(fetchContext.body)) await undefined
  const draft =
    read(request, fetchContext.body, options.requestLimits) ??
    (await receiveDraft(request, fetchContext, principal, options, context, load))
  context.stream = jsonMember(draft.body, 'stream') === true
  routing.begun = true
  const routingContext = routeContext(principal, context.operation, draft.model, routing, options)
  const routed = route(draft, routingContext, options.route, options.unknownModel)
  const onRoute = isPromise(routed) ? await routed : routed
  routing.setTargets(onRoute)
  context.model = draft.model
  const authorizing = authorizeTargets(principal, draft.model, onRoute, options.authorize, routing)
  const candidates = isPromise(authorizing) ? await authorizing : authorizing
  if (!accounting.isSettled) options.observe(context.beginEvent(principal, draft.model))
  const replayed =
    options.idempotency && (await replayOf(request, draft, options.idempotency, context, accounting))
  if (replayed !== undefined) return replay(replayed, context, accounting)
  const admitting = limit(
    principal,
    draft,
    new LimitRequest(context, draft, candidates, options),
    options.limiter,
  )
  const lease = isPromise(admitting) ? await admitting : admitting
  accounting.admitted(lease)
  const { input, targets: fit } = validate(draft, principal, candidates, options.rules, routing)
  if (fit !== candidates) routing.setOrder(fit)
  const bounded = boundOutput(input, lease.maxOutputTokens)
  const targets = bounded.adjustments.length === 0 ? fit : boundTargets(fit, lease.maxOutputTokens!)
  const opening = accounting.opened(bounded, targets[0]!)
  if (opening !== undefined) await opening
  const cached =
    options.cache && (await cachedResponse(request, bounded.input, options.cache, context, accounting))
  if (cached !== undefined) return replay(cached, context, accounting)
  const answered = answeredRequest(bounded.input, options, context, accounting)
  // Called here, as a further async function costs three turns of the microtask queue.
  const calling = call(bounded.input, targets, context, accounting, options.call)
  if (input.stream === true) {
    return await stream(calling as Promise<UpstreamResult<ChunkSource>>, answered, options)
  }
  return complete((await calling) as UpstreamResult<PartialCompletion>, answered)
}

/** Receives a body. The request is in flight from then on, so that load is shed once more. */
async function receiveDraft<Host>(
  request: Request,
  { body }: FetchContext<Host>,
  principal: Principal,
  options: ResolvedOptions<Host>,
  { lifetime }: RequestContext,
  load: ServiceLoad,
): Promise<Draft> {
  const { random, clock } = options
  const sender = { key: principalKey(principal), uploads: load.uploads, lifetime, random, clock }
  let draft: Draft
  load.receiving++
  try {
    draft = await receive(request, body, options.requestLimits, sender)
  } finally {
    load.receiving--
  }
  // In the same turn: the second of two that arrive together counts the first as in flight.
  if (options.loadShedder !== undefined)
    shedLoad(options.loadShedder, { inFlight: load.inFlight }, options.random)
  return draft
}

/** Returns the response of an earlier request with the same idempotency key. Where there is none, stores this one's. */
async function replayOf(
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
async function cachedResponse(
  request: Request,
  input: ChatRequest,
  cache: ResponseCache<GuardedCacheStore>,
  { principal }: RequestContext,
  accounting: RequestAccounting,
): Promise<CachedResponse | undefined> {
  const found = await lookUpCache(request, input, principal!, cache)
  if (found === undefined) return undefined
  accounting.cacheLookedUp(found)
  return found.answer
}

/** Responds with a stored response. */
function replay(
  stored: CachedResponse,
  context: RequestContext,
  accounting: RequestAccounting,
): GatewayResponse {
  const { requestId } = context
  accounting.replayed(stored)
  if (stored.stream) {
    const body = new ReplayedStream(stored.text, context, accounting)
    body.start()
    return respondStream(body, requestId, accounting.responseHeaders)
  }
  accounting.firstByte()
  accounting.settled('completed', 200)
  return respondCached(stored.text, requestId, accounting.responseHeaders)
}

function answeredRequest<Host>(
  input: ChatRequest,
  { generateId, clock }: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
): AnsweredRequest {
  const created = Math.floor(clock.now() / 1000)
  const identity = { id: completionId(generateId), created, model: input.model }
  const { traced } = accounting.attempts
  if (traced !== undefined) traced.answerId = identity.id
  return { input, identity, context, accounting, newId: generateId }
}

function complete(
  result: UpstreamResult<PartialCompletion>,
  { input, identity, context, accounting, newId }: AnsweredRequest,
): GatewayResponse {
  const { answer } = result
  const { attempts } = accounting
  result.end(true)
  attempts.counted?.setResponseModel(answer.model)
  const counted = completionUsage(answer, input)
  const { usage } = counted
  const completion = normalizeCompletion(answer, usage, identity, newId, input.logprobs === true)
  const { traced } = attempts
  if (traced !== undefined) {
    traced.finishReasons = completion.choices.map(({ finish_reason }) => finish_reason)
  }
  accounting.answered(counted)
  accounting.firstByte()
  const response = respondCompletion(completion, context.requestId, accounting.responseHeaders)
  accounting.sent(response.body as string)
  accounting.settled('completed', 200)
  return response
}

async function stream<Host>(
  calling: Promise<UpstreamResult<ChunkSource>>,
  answered: AnsweredRequest,
  options: ResolvedOptions<Host>,
): Promise<GatewayResponse> {
  const { context, accounting } = answered
  const { keepAliveMs } = options.stream
  const { clock } = options
  const resultWithin = (ms: number) => withTimeout(clock, ms, calling, () => undefined)
  let result = await resultWithin(keepAliveMs)
  while (result === undefined) {
    const left = context.headAt - clock.monotonic()
    if (left <= 0) break
    result = await resultWithin(Math.min(left, keepAliveMs))
  }
  // A client that waits so long gets the head of the response and comments. No other target is called then.
  context.committed = true
  const source = new CompletionStream(answered, result ?? calling)
  source.start()
  const body = new KeepAliveStream(source, keepAliveComment, keepAliveMs, clock)
  return respondStream(body, context.requestId, accounting.responseHeaders)
}

function completionId(id: () => string): string {
  return `chatcmpl-${id().slice(0, 29)}`
}
