import { withTimeout } from '../clock/with-timeout.ts'
import type { AnswerIdentity, CompleteAnswer, Dialect, GenerateDialect } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { FetchContext, GatewayResponse } from '../contracts/host.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import { followUp } from '../conversation/follow-up.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { refusedByPolicy } from '../hooks/decisions.ts'
import type { RequestHooks } from '../hooks/hooks.ts'
import { KeepAliveStream, keepAliveComment } from '../http/keep-alive-stream.ts'
import { respondStream } from '../http/respond.ts'
import type { ServiceLoad } from '../http/running-requests.ts'
import { choiceFinishReason } from '../normalization/finish-reason.ts'
import { normalizeChunks, streamParameters } from '../normalization/stream.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { limit } from '../rate-limiting/limit.ts'
import { call } from '../upstream/call.ts'
import type { CallDependencies, ChunkSource, UpstreamResult } from '../upstream/call-context.ts'
import type { CompleteReply } from '../upstream/complete-reply.ts'
import { estimatePromptTokens } from '../usage/prompt-estimate.ts'
import { addUsage, type CountedUsage, completionUsage } from '../usage/usage.ts'
import { boundOutput, boundTargets } from '../validation/bounded-output.ts'
import { realmOf } from '../validation/realm.ts'
import { type AnsweredRequest, AnswerStream } from './answer-stream.ts'
import { runInBackground } from './background-run.ts'
import { BodyCapture } from './body-capture.ts'
import { countTokens } from './count-tokens.ts'
import { decide } from './decide.ts'
import { embed } from './embed.ts'
import { type FilteredResponse, filterResponse } from './filter-response.ts'
import { LimitRequest } from './limit-request.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { respondComplete } from './respond-complete.ts'
import { allowsStored } from './response-state.ts'
import { runRequestHooks } from './run-hooks.ts'
import { answerBySingleCall } from './single-call.ts'
import { cachedResponse, replay, replayOf } from './stored-response.ts'
import { validateRequest } from './validate-request.ts'

/**
 * Answers a request, stage by stage, in any dialect. Each stage may throw its error. The caller settles the accounting then,
 * which releases what the request holds.
 */
export async function answer<Host>(
  dialect: Dialect,
  request: Request,
  fetchContext: FetchContext<Host>,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
  load: ServiceLoad,
): Promise<GatewayResponse> {
  const { routing } = context
  const first = await decide(dialect, request, fetchContext, options, context, load)
  const { hooks } = options
  const decided = hooks === undefined ? first : await runRequestHooks(hooks, dialect, first, options, context)
  const { principal, draft, targets: permitted } = decided
  accounting.attempts.listed = options.listed
  const { bodies } = options
  if (bodies?.wants({ principal, model: draft.model, operation: draft.operation }) === true) {
    accounting.captureBodies(new BodyCapture(bodies, draft, principal, options.basePath + dialect.path))
  }
  if (!accounting.isSettled) options.observe(context.beginEvent(principal, draft.model))
  if (dialect.operation === 'countTokens')
    return countTokens(dialect, decided, options, context, accounting, load)
  const replayed =
    options.idempotency && (await replayOf(request, draft, options.idempotency, context, accounting))
  if (replayed !== undefined) return replay(replayed, dialect, context, accounting)
  const admitting = limit(
    principal,
    draft,
    new LimitRequest(context, draft, permitted, options),
    options.limiter,
  )
  const lease = isPromise(admitting) ? await admitting : admitting
  accounting.admitted(lease)
  if (dialect.operation === 'embed') {
    return embed(dialect, request, decided, options, context, accounting)
  }
  if (dialect.operation === 'rerank' || dialect.operation === 'moderate') {
    return answerBySingleCall(dialect, request, decided, options, context, accounting)
  }
  const isTranslated = context.hooks?.readsResponses === true
  const valid = validateRequest(dialect, draft, principal, permitted, options.rules, routing, isTranslated)
  // The outline was a first look: the response, and what is stored of it, have the form that the request has.
  context.stream = valid.request.stream
  if (valid.targets !== permitted) routing.setOrder(valid.targets)
  const bounded = boundOutput(valid.request, lease.maxOutputTokens)
  const targets =
    bounded.adjustments.length === 0 ? valid.targets : boundTargets(valid.targets, lease.maxOutputTokens!)
  const opening = accounting.opened(bounded, targets[0]!)
  if (opening !== undefined) await opening
  const storing = storeOf(dialect, draft, principal, options, accounting)
  const cached =
    storing === undefined &&
    options.cache &&
    (await cachedResponse(request, draft, bounded.request, options.cache, context, accounting))
  if (cached !== undefined && cached !== false) return replay(cached, dialect, context, accounting)
  const answered = answeredRequest(
    dialect,
    bounded.request,
    options,
    context,
    accounting,
    storing,
    createCallAgain(targets, context, accounting, options.call),
  )
  if (dialect.state?.background?.wants(draft.body) === true) {
    const calling = (calls: CallDependencies) => call(bounded.request, targets, context, accounting, calls)
    return runInBackground(answered, calling, complete, options)
  }
  const source = bounded.request.stream ? new AnswerStream(answered) : undefined
  // Called here, as a further async function costs three turns of the microtask queue.
  const calling = call(bounded.request, targets, context, accounting, options.call)
  if (source !== undefined) {
    return await stream(calling as Promise<UpstreamResult<ChunkSource>>, source, answered, options)
  }
  return complete((await calling) as UpstreamResult<CompleteReply>, answered)
}

/** Returns what calls the targets once more. Not within `answer`: it would keep all that is in scope there. */
function createCallAgain(
  targets: readonly RoutedTarget[],
  context: RequestContext,
  accounting: RequestAccounting,
  calls: CallDependencies,
): AnsweredRequest['callAgain'] {
  return request =>
    call(request, targets, context, accounting, calls) as ReturnType<AnsweredRequest['callAgain']>
}

function answeredRequest<Host>(
  dialect: GenerateDialect,
  request: GenerateRequest,
  { generateId, clock }: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
  store: AnsweredRequest['store'],
  callAgain: AnsweredRequest['callAgain'],
): AnsweredRequest {
  const created = Math.floor(clock.now() / 1000)
  const identity: AnswerIdentity = {
    id: dialect.answerId(generateId()),
    created,
    model: request.model,
    requestId: context.requestId,
    promptTokens: () => estimatePromptTokens(context.draft!),
    adjusted: adjustment => accounting.answerAdjusted(adjustment),
    realm: () => {
      const target = accounting.attempts.counted?.target
      return target && realmOf(target)
    },
    now: () => Math.floor(clock.now() / 1000),
  }
  const priced = accounting.exposesCost ? { ...identity, cost: () => accounting.exposedCost() } : identity
  const { traced } = accounting.attempts
  if (traced !== undefined) traced.answerId = identity.id
  return { dialect, request, identity: priced, context, accounting, newId: generateId, store, callAgain }
}

/** Returns what stores the response of a request; `undefined` if it is not to be stored. */
function storeOf<Host>(
  { state }: GenerateDialect,
  draft: Draft,
  principal: Principal,
  { responses, generateId }: ResolvedOptions<Host>,
  { attempts }: RequestAccounting,
): AnsweredRequest['store'] {
  if (state === undefined || responses === undefined || !allowsStored(principal)) return undefined
  if (!state.allowsStoring(draft.body)) return undefined
  return finished =>
    responses.save(finished, state.inputOf(draft, generateId), principal, attempts.counted?.target)
}

/** Responds with a complete answer: normalize, response hooks, write, settle. */
function complete(
  result: UpstreamResult<CompleteReply>,
  answered: AnsweredRequest,
): GatewayResponse | Promise<GatewayResponse> {
  const { dialect, request, context, accounting, newId } = answered
  const { answer: reply } = result
  const { completion } = reply
  const { attempts } = accounting
  result.end(true)
  attempts.counted?.setResponseModel(completion.model)
  const counted = completionUsage(completion, request)
  const deltas = () => normalizeChunks(reply.chunks, newId, streamParameters(request))
  // Before it is written: what the vendor generated is charged even if the dialect or a hook fails.
  accounting.answered(counted)
  const { traced } = attempts
  if (traced !== undefined) traced.finishReasons = completion.choices.map(choiceFinishReason)
  if (context.hooks?.readsResponses === true) {
    return completeHooked(context.hooks, { completion, deltas: deltas() }, counted, answered)
  }
  const native = dialect.pass === undefined ? undefined : reply.native
  return writeComplete({ usage: counted.usage, completion: () => completion, deltas }, native, answered)
}

/** Responds with what the hooks make of a complete answer. */
async function completeHooked(
  hooks: RequestHooks,
  read: Pick<FilteredResponse, 'completion' | 'deltas'>,
  counted: CountedUsage,
  answered: AnsweredRequest,
): Promise<GatewayResponse> {
  const { request, accounting, callAgain, earlierUsage } = answered
  const { completion, deltas, retry } = await filterResponse(hooks, read, earlierUsage !== undefined)
  if (retry !== undefined) {
    // Its results are the caller's, so that no message of the gateway can follow.
    const isPassed = request.operation === 'complete'
    if (isPassed || callsTool(completion)) throw refusedByPolicy({ message: retry })
    accounting.calledAgain(counted)
    // What the model wrote: hooks may have put in what it must not read.
    const again = followUp(request, textOf(read.completion), retry)
    return complete(await callAgain(again), { ...answered, request: again, earlierUsage: counted.usage })
  }
  const usage = earlierUsage === undefined ? counted.usage : addUsage(earlierUsage, counted.usage)
  return writeComplete({ usage, completion: () => completion, deltas: () => deltas }, undefined, answered)
}

function callsTool({ choices }: CompleteReply['completion']): boolean {
  return choices.some(({ message }) => message.tool_calls?.length || message.function_call !== undefined)
}

/** Returns the text of the first choice. */
function textOf({ choices }: CompleteReply['completion']): string {
  return choices[0]?.message.content ?? ''
}

/** Responds with a complete answer as its dialect writes it. `native`: the text of a vendor that speaks the dialect. */
function writeComplete(
  answer: CompleteAnswer,
  native: string | undefined,
  answered: AnsweredRequest,
): GatewayResponse | Promise<GatewayResponse> {
  const { dialect, request, identity, newId, store } = answered
  if (store !== undefined && dialect.state !== undefined) {
    const finished =
      native === undefined
        ? dialect.state.finish(answer, identity, request, newId)
        : dialect.state.finishNative(native, identity, request)
    const respond = (stored: boolean) =>
      respondComplete(finished.text?.(stored) ?? JSON.stringify(finished.response(stored)), answered)
    const storing = store(finished)
    return isPromise(storing) ? storing.then(respond) : respond(storing)
  }
  const text =
    native === undefined
      ? dialect.write(answer, identity, request, newId)
      : dialect.pass!(native, identity, request)
  return respondComplete(text, answered)
}

/** Responds with a stream, once its first content has arrived or the client should not wait any longer for a head. */
async function stream<Host>(
  calling: Promise<UpstreamResult<ChunkSource>>,
  source: AnswerStream,
  { context, accounting }: AnsweredRequest,
  options: ResolvedOptions<Host>,
): Promise<GatewayResponse> {
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
  source.start(result ?? calling)
  const body = new KeepAliveStream(source, keepAliveComment, keepAliveMs, clock)
  return respondStream(body, context.requestId, accounting.responseHeaders)
}
