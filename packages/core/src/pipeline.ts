import { PacedText } from './answer/paced-text.ts'
import { type AnsweredRequest, StreamedAnswer } from './answer/streamed-answer.ts'
import { type BoundedOutput, boundedOutput } from './bounded-output.ts'
import { within } from './deadline.ts'
import type { Answer, FetchContext } from './host.ts'
import type { Lifetime } from './lifetime.ts'
import type { ResolvedOptions } from './options/resolve.ts'
import { pricedModel } from './prices.ts'
import { keepAliveComment } from './protocol/chunk-writer.ts'
import { memberOf } from './protocol/own-members.ts'
import type { PartialCompletion, Target } from './provider.ts'
import { authenticate } from './stages/authenticate.ts'
import { authorize } from './stages/authorize.ts'
import { type Answering, type Attempts, type ChunkSource, call } from './stages/call.ts'
import { type LimitContext, limit } from './stages/limit.ts'
import { normalizeCompletion } from './stages/normalize/completion.ts'
import { read } from './stages/read.ts'
import { respondCompletion, respondStream } from './stages/respond.ts'
import { route } from './stages/route.ts'
import type { RequestRecord } from './stages/settle.ts'
import { validate } from './stages/validate.ts'
import { completionUsage } from './usage.ts'

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
): Promise<Answer> {
  const principal = await authenticate(request, context.host, options.authenticate)
  record.principal = principal
  context.identified?.(principal)
  const draft = await read(request, context.body, options.intake)
  record.stream = memberOf(draft.body, 'stream') === true
  const candidates = await route(draft, { principal, random: options.random }, options.route)
  record.model = draft.model
  await authorize(principal, draft.model, options.authorize)
  const lease = await limit(principal, draft, room(lifetime, candidates, options, record), options.limit)
  record.hold(lease)
  const { input, targets } = validate(draft, candidates, options.rules)
  const bounded = boundedOutput(input, lease.maxOutputTokens)
  await record.enter(bounded.input, targets[0]!)
  return ask(bounded, targets, options, lifetime, record)
}

function room<Host>(
  lifetime: Lifetime,
  targets: readonly Target[],
  { prices, now }: ResolvedOptions<Host>,
  { requestId, model }: RequestRecord,
): LimitContext {
  const at = now()
  return {
    requestId,
    targets,
    get signal() {
      return lifetime.ending
    },
    price: (usage, target) => prices(usage, pricedModel(model!, target, at)),
  }
}

async function ask<Host>(
  { input, adjustments: bound }: BoundedOutput,
  targets: readonly Target[],
  options: ResolvedOptions<Host>,
  lifetime: Lifetime,
  record: RequestRecord,
): Promise<Answer> {
  const attempts: Attempts = {
    log: record.attempts,
    committed: false,
    failed: attempt => options.observe({ type: 'attempt_failed', requestId: record.requestId, attempt }),
    adjusted: adjustments => record.adjust(adjustments.length === 0 ? bound : [...bound, ...adjustments]),
  }
  const created = Math.floor(options.now() / 1000)
  const identity = { id: completionId(options.id), created, model: input.model }
  const asked: AnsweredRequest = { input, identity, record, lifetime, newId: options.id }
  const calling = call(input, targets, lifetime, attempts, options.call)
  return input.stream === true
    ? stream(calling as Promise<Answering<ChunkSource>>, asked, attempts, options)
    : whole((await calling) as Answering<PartialCompletion>, asked)
}

function whole(
  { answer, end }: Answering<PartialCompletion>,
  { input, identity, record, newId }: AnsweredRequest,
): Answer {
  end(true)
  const { usage, estimated } = completionUsage(answer, input)
  const completion = normalizeCompletion(answer, usage, identity, newId, input.logprobs === true)
  record.usage = usage
  record.usageEstimated = estimated
  record.markFirstByte()
  record.settle('completed', 200)
  return respondCompletion(completion, record.requestId, record.answerHeaders)
}

async function stream<Host>(
  calling: Promise<Answering<ChunkSource>>,
  asked: AnsweredRequest,
  attempts: Attempts,
  options: ResolvedOptions<Host>,
): Promise<Answer> {
  const { record } = asked
  const { keepAliveMs } = options.stream
  const answering = await within(calling, keepAliveMs)
  // A caller who waits so long gets the head of the answer and comments; no other target is asked then.
  attempts.committed = true
  const source = new StreamedAnswer(asked, answering ?? calling)
  const body = new PacedText(source, keepAliveComment, keepAliveMs, options.call.clock)
  return respondStream(body, record.requestId, record.answerHeaders)
}

function completionId(id: () => string): string {
  return `chatcmpl-${id().slice(0, 29)}`
}
