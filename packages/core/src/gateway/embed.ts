import type { EmbedAnswer, EmbedDialect } from '../contracts/dialect.ts'
import type { EmbeddingInput, EmbedRequest } from '../contracts/embedding.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import type { EmbedReply } from '../contracts/provider.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { mapConcurrently } from '../primitives/map-concurrently.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import { call } from '../upstream/call.ts'
import type { CallContext, CallDependencies, UpstreamResult } from '../upstream/call-context.ts'
import { EmbedPart } from '../upstream/call-request.ts'
import { embedUsage } from '../usage/usage.ts'
import { maxInputsOf, maxInputTokensOf, withFittingShadows } from '../validation/embed-targets.ts'
import type { Decision } from './decide.ts'
import { openOrReplay } from './open-or-replay.ts'
import { errorInRequest } from './part-error.ts'
import { distinctAdjustments, PartObserver } from './part-observer.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { respondComplete } from './respond-complete.ts'
import { validateEmbedRequest } from './validate-embed-request.ts'

/** Maximum number of parts of one request that are embedded concurrently. */
const maxConcurrentParts = 4

/** Answers a request for embeddings, from its validation on. */
export async function embed<Host>(
  dialect: EmbedDialect,
  request: Request,
  decision: Decision,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
): Promise<GatewayResponse> {
  const { draft, principal, targets } = decision
  const valid = validateEmbedRequest(dialect, draft, principal, targets, options.rules, context.routing)
  const replayed = await openOrReplay(dialect, request, decision, valid, options, context, accounting)
  if (replayed !== undefined) return replayed
  const parts = partsOf(valid.request, maxInputsOf(valid.targets), maxInputTokensOf(valid.targets))
  const shadowed = withFittingShadows(valid.targets, parts[0]!.part.inputs.length, context.routing)
  const answers = await callParts(parts, shadowed, context, accounting, options.call)
  const vectors = answers.flatMap(answer => answer.vectors)
  const promptTokens = answers.reduce((tokens, answer) => tokens + answer.promptTokens, 0)
  const cost = accounting.exposedCost()
  const text = dialect.write({ model: valid.request.model, vectors, promptTokens, cost }, valid.request)
  return respondComplete(text, { dialect, context, accounting })
}

/** A part of a request, and the index of its first input. */
interface PlacedPart {
  readonly part: EmbedPart
  readonly from: number
}

/** Splits the inputs of a request into parts of at most `size` inputs and about `maxTokens` tokens, in order. */
function partsOf(request: EmbedRequest, size: number, maxTokens: number): readonly PlacedPart[] {
  const { inputs } = request
  if (inputs.length <= size && maxTokens === Number.POSITIVE_INFINITY)
    return [{ part: new EmbedPart(request, inputs), from: 0 }]
  const parts: PlacedPart[] = []
  let from = 0
  let tokens = 0
  for (const [index, input] of inputs.entries()) {
    const more = maxTokens === Number.POSITIVE_INFINITY ? 0 : tokensOf(input)
    const isFull = index - from === size || tokens + more > maxTokens
    if (isFull && index > from) {
      parts.push({ part: new EmbedPart(request, inputs.slice(from, index)), from })
      from = index
      tokens = 0
    }
    tokens += more
  }
  parts.push({ part: new EmbedPart(request, inputs.slice(from)), from })
  return parts
}

/** Estimates the tokens of an input, rather too many than too few: few tokens have less than three bytes. */
function tokensOf(input: EmbeddingInput): number {
  return typeof input === 'string' ? Math.ceil(utf8Length(input) / 3) : input.length
}

/** The vectors of a part, in order. */
type PartAnswer = Pick<EmbedAnswer, 'vectors' | 'promptTokens'>

/**
 * Embeds all parts, each with attempts of its own, and returns the answers in order. The first failure cancels the other parts.
 * A part that was answered is charged all the same.
 */
async function callParts(
  parts: readonly PlacedPart[],
  targets: readonly RoutedTarget[],
  context: RequestContext,
  accounting: RequestAccounting,
  dependencies: CallDependencies,
): Promise<readonly PartAnswer[]> {
  const { clock } = dependencies
  const lifetime = context.lifetime.part()
  const shared = partContext(context, lifetime)
  // The deadline is that of all parts together.
  const within = { ...dependencies, startedAt: clock.monotonic() }
  const observers: PartObserver[] = []
  try {
    const answers = await mapConcurrently(parts, maxConcurrentParts, async ({ part, from }) => {
      const observer = new PartObserver(accounting)
      observers.push(observer)
      try {
        return await callPart(part, targets, shared, observer, within)
      } catch (error) {
        throw errorInRequest(error, from)
      }
    })
    accounting.adjusted(distinctAdjustments(observers))
    return answers
  } catch (error) {
    accounting.attempts.exhausted = observers.some(({ attempts }) => attempts.exhausted)
    lifetime.end('part_failed')
    throw error
  } finally {
    lifetime.release()
  }
}

async function callPart(
  part: EmbedPart,
  targets: readonly RoutedTarget[],
  context: CallContext,
  observer: PartObserver,
  dependencies: CallDependencies,
): Promise<PartAnswer> {
  const result = (await call(part, targets, context, observer, dependencies)) as UpstreamResult<EmbedReply>
  const { answer } = result
  result.end(true)
  const attempt = observer.attempts.counted!
  attempt.setResponseModel(answer.model)
  const counted = embedUsage(answer.promptTokens, part)
  observer.answered(attempt, counted)
  return { vectors: answer.vectors, promptTokens: counted.usage.prompt_tokens }
}

function partContext(context: RequestContext, lifetime: Lifetime): CallContext {
  const { caller } = context
  return { lifetime, caller, committed: false, headAt: context.headAt, random: () => context.random() }
}
