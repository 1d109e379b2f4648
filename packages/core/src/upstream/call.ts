import type { RoutedTarget } from '../contracts/route.ts'
import { AttemptRunner } from './attempts/attempt-runner.ts'
import { nextAttempt } from './attempts/next-attempt.ts'
import type {
  AttemptObserver,
  CallContext,
  CallDependencies,
  UpstreamReply,
  UpstreamResult,
} from './call-context.ts'
import type { CallRequest } from './call-request.ts'

/**
 * Calls the targets in order until one answers. Targets that are unavailable are skipped, and all of them are tried as the
 * last resort. When each was called, those with a retryable failure are called again after a wait. A failure that is the
 * request's own fault is final. Throws the failure of the last target, or `GatewayError` where no target may be called.
 */
export async function call(
  request: CallRequest,
  targets: readonly RoutedTarget[],
  context: CallContext,
  observer: AttemptObserver,
  dependencies: CallDependencies,
): Promise<UpstreamResult<UpstreamReply>> {
  const { clock } = dependencies
  let now = clock.monotonic()
  const runner = new AttemptRunner(request, targets, context, observer, dependencies, now)
  try {
    for (; ; now = clock.monotonic()) {
      const next = nextAttempt(runner, now)
      if (next.do === 'give_up') {
        if (!runner.resort()) throw runner.giveUp()
      } else if (next.do === 'retry') await runner.wait(next.index, next.at)
      else if (next.do === 'call' && !runner.isLimited(next.index)) runner.begin(next.index, next.why, now)
      else if (next.do === 'call') {
        const lease = await runner.admit(next.index)
        if (lease !== undefined) runner.begin(next.index, next.why, clock.monotonic(), lease)
      } else {
        const ended = await runner.next(now)
        if (ended?.failed === true) runner.lost(ended)
        else if (ended !== undefined) {
          runner.won(ended)
          return ended
        }
      }
    }
  } catch (error) {
    runner.abandon()
    throw error
  }
}
