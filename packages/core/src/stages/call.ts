import type { AttemptLog } from '../attempt-log.ts'
import { deadline } from '../deadline.ts'
import { GatewayError } from '../errors.ts'
import type { AttemptRecord } from '../events.ts'
import type { Lifetime } from '../lifetime.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import type {
  Adjustment,
  PartialChunk,
  PartialCompletion,
  Target,
  UnsupportedParameters,
} from '../provider.ts'
import { Attempt, type AttemptWorld, LifeEnded, movesOn } from '../upstream/attempt.ts'
import { UpstreamError } from '../upstream-error.ts'

/** What the stage needs from outside. */
export interface CallWorld extends AttemptWorld {
  readonly maxAttempts: number
  /** How long a stream's first event is awaited after its head. */
  readonly holdMs: number
  readonly unsupportedParameters: UnsupportedParameters
}

/** What is kept of the attempts of one request. */
export interface Attempts {
  readonly log: AttemptLog
  /** The caller has the head of the answer: no other target may be asked any more. */
  committed: boolean
  /** Told of each failure that is followed by another attempt. */
  failed(record: AttemptRecord): void
  /** Told of what was adjusted for the target that is being asked; of nothing, while it is not yet asked. */
  adjusted(adjustments: readonly Adjustment[]): void
}

/** An upstream that answers. */
export interface Answering<T> {
  readonly answer: T
  /**
   * Gives back what the call holds; has to be called. Cuts the answer off unless that was read to its own end.
   * `error` is what broke it.
   */
  end(completed: boolean, error?: unknown): void
  /** What to do when the call is cut off, by a deadline or the gateway's end: nobody may be reading the answer. */
  onCut(listener: (reason: Error) => void): void
}

/** The chunks of a streamed answer, one array an upstream read. */
export type ChunkSource = AsyncIterator<readonly PartialChunk[]>

/**
 * Asks the targets in order until one answers. What fails on the request's own fault is not asked again
 * elsewhere. A target that closed a kept connection as it was asked is asked once more. Throws what the last one
 * failed with.
 */
export async function call(
  input: ChatRequest,
  targets: readonly Target[],
  lifetime: Lifetime,
  attempts: Attempts,
  world: CallWorld,
): Promise<Answering<PartialCompletion | ChunkSource>> {
  const totalAt = world.clock() + world.timeouts.totalMs
  let repeated = false
  for (let index = 0; ; ) {
    const target = targets[index]!
    const entry = attempts.log.begin(target, world.clock())
    const attempt = new Attempt(lifetime, world, totalAt, entry)
    // What was adjusted for a target before says nothing of this one, which may refuse by itself.
    attempts.adjusted([])
    let failure: unknown
    try {
      const answer = await answerOf(attempt, target, input, attempts, world)
      entry.endedAt = world.clock()
      return {
        answer,
        end: (completed, error) => {
          entry.error = error
          attempt.end(completed)
        },
        onCut: listener => {
          attempt.onCut = listener
        },
      }
    } catch (error) {
      attempt.end(false)
      failure = error
    }
    const now = world.clock()
    entry.error = failure
    entry.endedAt = now
    repeated = !repeated && UpstreamError.is(failure) && failure.staleConnection
    if (!repeated) index++
    const last = index === targets.length || attempts.log.called >= world.maxAttempts
    const hopeless = !movesOn(failure) && !refusedByProvider(failure)
    if (failure instanceof LifeEnded || attempts.committed || last || hopeless) throw failure
    attempts.failed(entry.recordAt(now))
  }
}

async function answerOf(
  attempt: Attempt,
  target: Target,
  input: ChatRequest,
  { adjusted }: Attempts,
  { holdMs, unsupportedParameters }: CallWorld,
): Promise<PartialCompletion | ChunkSource> {
  const { provider, model, capabilities } = target
  const call = { input, model, unsupportedParameters, ...(capabilities && { capabilities }) }
  const answer = await attempt.run(provider, call, adjusted)
  const streamed = isIterator(answer)
  if (streamed !== (input.stream === true)) {
    const got = streamed ? 'a stream' : 'a whole answer'
    throw new UpstreamError(`The provider made ${got} of the answer, which was not asked for.`, {
      kind: 'garbled',
    })
  }
  if (streamed) return held(answer, holdMs)
  if (answer.choices.length === 0) throw withoutChoice()
  return answer
}

function isIterator(answer: PartialCompletion | ChunkSource): answer is ChunkSource {
  return 'next' in answer && typeof answer.next === 'function'
}

/** What the vendor cannot express, another one may. */
function refusedByProvider(error: unknown): boolean {
  return GatewayError.is(error) && error.status === 400
}

/**
 * Waits for a stream's first content, so that an error before it is a failed attempt and not a broken
 * answer; but not longer than `holdMs`, for a caller wants to see the head of the answer.
 */
async function held(source: ChunkSource, holdMs: number): Promise<ChunkSource> {
  const waiting: Promise<IteratorResult<readonly PartialChunk[]>>[] = []
  let takeBack = () => {}
  let begun = false
  const patience = new Promise<undefined>(resolve => {
    takeBack = deadline(holdMs, () => resolve(undefined))
  })
  try {
    while (true) {
      const read = source.next()
      waiting.push(read)
      const result = await Promise.race([read, patience])
      if (result === undefined) {
        // The read may fail before the answer's reader comes to it.
        read.catch(() => {})
        break
      }
      if (result.done === true && !begun) throw withoutChoice()
      if (result.done === true || result.value.some(hasContent)) break
      begun ||= result.value.some(({ choices }) => choices.length > 0)
    }
  } finally {
    takeBack()
  }
  return {
    next: () => waiting.shift() ?? source.next(),
    return: () => source.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  }
}

function withoutChoice(): UpstreamError {
  return new UpstreamError('The upstream ended its answer without a choice.', { kind: 'garbled' })
}

function hasContent(chunk: PartialChunk): boolean {
  return chunk.choices.some(({ delta, finish_reason }) => {
    if (finish_reason != null || delta.tool_calls !== undefined || delta.function_call !== undefined)
      return true
    if (delta.reasoning_content !== undefined || delta.audio !== undefined) return true
    return Boolean(delta.content) || Boolean(delta.refusal)
  })
}
