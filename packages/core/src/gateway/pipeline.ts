import { authenticate } from '../auth/authenticate.ts'
import { authorizePlaces } from '../auth/authorize.ts'
import type { CachedResponse } from '../caching/cached-response.ts'
import { lookUpReplay, type RunningIdempotency } from '../caching/idempotency.ts'
import { lookUpCache, type ResponseCache } from '../caching/response-cache.ts'
import { withTimeout } from '../clock/with-timeout.ts'
import type { GuardedCacheStore } from '../contracts/answer-store.ts'
import type { Draft } from '../contracts/draft.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { PartialCompletion } from '../contracts/provider.ts'
import { keepAliveComment } from '../dialects/chat/chunk-writer.ts'
import { respondCompletion, respondKept, respondStream } from '../dialects/chat/respond.ts'
import { validate } from '../dialects/chat/validate.ts'
import { KeepAliveStream } from '../http/keep-alive-stream.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { ServiceLoad } from '../http/running-requests.ts'
import { normalizeCompletion } from '../normalization/completion.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { principalKey } from '../primitives/principal-key.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { jsonMember } from '../protocol/json-members.ts'
import { limit } from '../rate-limiting/limit.ts'
import { shedLoad } from '../rate-limiting/load-shedding.ts'
import { route } from '../routing/route.ts'
import type { ChunkSource } from '../upstream/attempts/peeked-stream.ts'
import { call } from '../upstream/call.ts'
import type { AttemptObserver, UpstreamResult } from '../upstream/call-context.ts'
import { completionUsage } from '../usage/usage.ts'
import { type BoundedOutput, boundOutput, boundTargets } from '../validation/bounded-output.ts'
import { isBodyBuffered, read, receive } from '../validation/read.ts'
import { type AnsweredRequest, CompletionStream } from './completion-stream.ts'
import { LimitRequest } from './limit-request.ts'
import { ReplayedStream } from './replayed-stream.ts'
import { RequestAttempts } from './request-attempts.ts'
import type { RequestRecord } from './request-record.ts'
import type { ResolvedOptions } from './resolve.ts'
import { routeContext } from './route-context.ts'

/**
 * The story of a chat completion. Every line may throw its refusal; from `limit` on, whoever calls this
 * settles the record, so that the room taken is given back.
 */
export async function completeChat<Host>(
  request: Request,
  context: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  lifetime: Lifetime,
  record: RequestRecord,
  load: ServiceLoad,
): Promise<GatewayResponse> {
  const identifying = authenticate(request, context.host, options.authenticate, failure =>
    record.reportAuthFailure(failure),
  )
  const principal = isPromise(identifying) ? await identifying : identifying
  record.principal = principal
  context.onPrincipal?.(principal)
  if (isBodyBuffered(context.body)) await undefined
  const draft =
    read(request, context.body, options.requestLimits) ??
    (await received(request, context, principal, options, lifetime, load))
  record.stream = jsonMember(draft.body, 'stream') === true
  const { routing } = record
  routing.begun = true
  const routingContext = routeContext(principal, draft.model, routing, options)
  const routed = route(draft, routingContext, options.route, options.unknownModel)
  const places = isPromise(routed) ? await routed : routed
  routing.give(places)
  record.model = draft.model
  const allowing = authorizePlaces(principal, draft.model, places, options.authorize, routing)
  const candidates = isPromise(allowing) ? await allowing : allowing
  record.begin(principal, draft.model, options.observe)
  const repeat = options.idempotency && (await repeated(request, draft, options.idempotency, record))
  if (repeat !== undefined) return replay(repeat, record, lifetime)
  const admitting = limit(
    principal,
    draft,
    new LimitRequest(record.requestId, draft, candidates, lifetime, routing, options),
    options.limiter,
  )
  const lease = isPromise(admitting) ? await admitting : admitting
  record.hold(lease)
  const { input, targets: fit } = validate(draft, principal, candidates, options.rules, routing)
  if (fit !== candidates) routing.ask(fit)
  const bounded = boundOutput(input, lease.maxOutputTokens)
  const targets = bounded.adjustments.length === 0 ? fit : boundTargets(fit, lease.maxOutputTokens!)
  const entering = record.enter(bounded.input, targets[0]!)
  if (entering !== undefined) await entering
  const hit = options.cache && (await cached(request, bounded.input, options.cache, record))
  if (hit !== undefined) return replay(hit, record, lifetime)
  const { asked, attempts } = asking(bounded, options, lifetime, record)
  // Not by a function of its own: to hand on a promise takes three turns.
  const calling = call(bounded.input, targets, lifetime, attempts, options.call)
  if (input.stream === true) {
    return await stream(calling as Promise<UpstreamResult<ChunkSource>>, asked, attempts, options)
  }
  return whole((await calling) as UpstreamResult<PartialCompletion>, asked)
}

/** Waits for a body. The request is in flight from then on, for which there has to be room once more. */
async function received<Host>(
  request: Request,
  { body }: FetchContext<Host>,
  principal: Principal,
  options: ResolvedOptions<Host>,
  lifetime: Lifetime,
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
  // In the same turn: of two that arrive together, the second one finds the first in flight.
  if (options.loadShedder !== undefined)
    shedLoad(options.loadShedder, { inFlight: load.inFlight }, options.random)
  return draft
}

/** The answer of an earlier request with the same idempotency key. Where there is none, this one's will be kept. */
async function repeated(
  request: Request,
  draft: Draft,
  idempotency: RunningIdempotency,
  record: RequestRecord,
): Promise<CachedResponse | undefined> {
  const found = await lookUpReplay(request, draft, record.principal!, record.requestId, idempotency)
  if (found?.keeper !== undefined) record.keep(found.keeper)
  record.replayed = found?.answer !== undefined
  return found?.answer
}

/** The answer that is in the cache. Where there is none, this one will be kept. */
async function cached(
  request: Request,
  input: ChatRequest,
  cache: ResponseCache<GuardedCacheStore>,
  record: RequestRecord,
): Promise<CachedResponse | undefined> {
  const found = await lookUpCache(request, input, record.principal!, cache)
  if (found === undefined) return undefined
  if (found.keeper !== undefined) record.keep(found.keeper)
  record.cache = found.answer === undefined ? 'miss' : 'hit'
  return found.answer
}

/** An answer that was given before. */
function replay(answer: CachedResponse, record: RequestRecord, lifetime: Lifetime): GatewayResponse {
  record.adjust(answer.adjustments)
  record.capture?.add(answer.text)
  if (answer.stream) {
    const body = new ReplayedStream(answer.text, record, lifetime)
    return respondStream(body, record.requestId, record.answerHeaders)
  }
  record.markFirstByte()
  record.settle('completed', 200)
  return respondKept(answer.text, record.requestId, record.answerHeaders)
}

/** A valid request on its way to the places that answer it. */
function asking<Host>(
  { input, adjustments: bound }: BoundedOutput,
  options: ResolvedOptions<Host>,
  lifetime: Lifetime,
  record: RequestRecord,
): { readonly asked: AnsweredRequest; readonly attempts: AttemptObserver } {
  const created = Math.floor(options.clock.now() / 1000)
  const identity = { id: completionId(options.generateId), created, model: input.model }
  const { traced } = record.attempts
  if (traced !== undefined) traced.answerId = identity.id
  return {
    asked: { input, identity, record, lifetime, newId: options.generateId },
    attempts: new RequestAttempts(record, bound, options),
  }
}

function whole(
  answering: UpstreamResult<PartialCompletion>,
  { input, identity, record, newId }: AnsweredRequest,
): GatewayResponse {
  const { answer } = answering
  answering.end(true)
  record.attempts.counted?.setResponseModel(answer.model)
  const counted = completionUsage(answer, input)
  const { usage } = counted
  const completion = normalizeCompletion(answer, usage, identity, newId, input.logprobs === true)
  const { traced } = record.attempts
  if (traced !== undefined) {
    traced.finishReasons = completion.choices.map(({ finish_reason }) => finish_reason)
  }
  record.count(counted)
  record.markFirstByte()
  const told = respondCompletion(completion, record.requestId, record.answerHeaders)
  record.capture?.add(told.body as string)
  record.settle('completed', 200)
  return told
}

async function stream<Host>(
  calling: Promise<UpstreamResult<ChunkSource>>,
  asked: AnsweredRequest,
  attempts: AttemptObserver,
  options: ResolvedOptions<Host>,
): Promise<GatewayResponse> {
  const { record } = asked
  const { keepAliveMs } = options.stream
  const { clock } = options
  const answeringWithin = (ms: number) => withTimeout(clock, ms, calling, () => undefined)
  let answering = await answeringWithin(keepAliveMs)
  while (answering === undefined) {
    const left = attempts.headAt - clock.monotonic()
    if (left <= 0) break
    answering = await answeringWithin(Math.min(left, keepAliveMs))
  }
  // A caller who waits so long gets the head of the answer and comments; no other target is asked then.
  attempts.committed = true
  const source = new CompletionStream(asked, answering ?? calling)
  const body = new KeepAliveStream(source, keepAliveComment, keepAliveMs, clock)
  return respondStream(body, record.requestId, record.answerHeaders)
}

function completionId(id: () => string): string {
  return `chatcmpl-${id().slice(0, 29)}`
}
