import type { PartialCompletion } from '../contracts/provider.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { AttemptRunner } from './attempts/attempt-runner.ts'
import { nextAttempt } from './attempts/next-attempt.ts'
import type { ChunkSource } from './attempts/peeked-stream.ts'
import type { AttemptObserver, CallDependencies, UpstreamResult } from './call-context.ts'

/**
 * Asks the candidates in order until one answers, those left out that are better left alone. When none is left that was
 * not asked, those whose failure may pass are asked again after a wait. What fails on the request's own fault is asked
 * nowhere else. Where every one is to be left alone, those that failed too often may be tried sooner. Throws what the last one failed
 * with; where none may be asked, a refusal that tells why.
 */
export async function call(
  input: ChatRequest,
  candidates: readonly RoutedTarget[],
  lifetime: Lifetime,
  attempts: AttemptObserver,
  world: CallDependencies,
): Promise<UpstreamResult<PartialCompletion | ChunkSource>> {
  let now = world.clock.monotonic()
  const asking = new AttemptRunner(input, candidates, lifetime, attempts, world, now)
  try {
    for (; ; now = world.clock.monotonic()) {
      const next = nextAttempt(asking, now)
      if (next.do === 'give_up') {
        if (!asking.resort()) throw asking.giveUp()
      } else if (next.do === 'repeat') await asking.wait(next.index, next.at)
      else if (next.do === 'ask') asking.begin(next.index, next.why, now)
      else {
        const ended = await asking.next(now)
        if (ended?.failed === true) asking.lost(ended)
        else if (ended !== undefined) {
          asking.won(ended)
          return ended
        }
      }
    }
  } catch (error) {
    asking.abandon()
    throw error
  }
}
