import type { ModerateDialect, RerankDialect } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import type { ModerateRequest } from '../contracts/moderation.ts'
import type { Principal } from '../contracts/principal.ts'
import type { ModerateReply, RerankReply } from '../contracts/provider.ts'
import type { RerankRequest } from '../contracts/rerank.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { isRestricted, permittedTargets } from '../routing/restricted-fields.ts'
import { call } from '../upstream/call.ts'
import type { UpstreamResult } from '../upstream/call-context.ts'
import { ModerateCallRequest, RerankCallRequest } from '../upstream/call-request.ts'
import { resultsOf } from '../upstream/single-replies.ts'
import { embedUsage } from '../usage/usage.ts'
import { selectSingleCallTargets } from '../validation/single-call-targets.ts'
import type { Decision } from './decide.ts'
import { openOrReplay } from './open-or-replay.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { respondComplete } from './respond-complete.ts'
import type { ValidationRules } from './validate-request.ts'

/** A dialect whose requests one call answers, without a stream. */
export type SingleCallDialect = RerankDialect | ModerateDialect

/** A valid request, the targets that can serve it, and how it is called and answered. */
interface ValidatedSingleCall<T extends RoutedTarget> {
  readonly request: RerankRequest | ModerateRequest
  /** At least one. */
  readonly targets: readonly T[]
  readonly callRequest: RerankCallRequest | ModerateCallRequest
  readonly write: (reply: RerankReply | ModerateReply, newId: () => string) => unknown
}

/** Answers a request to rank documents or to moderate texts, from its validation on. */
export async function answerBySingleCall<Host>(
  dialect: SingleCallDialect,
  request: Request,
  decision: Decision,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
): Promise<GatewayResponse> {
  const { draft, principal, targets } = decision
  const valid = validateSingleCall(dialect, draft, principal, targets, options.rules, context.routing)
  const replayed = await openOrReplay(dialect, request, decision, valid, options, context, accounting)
  if (replayed !== undefined) return replayed
  const calling = call(valid.callRequest, valid.targets, context, accounting, options.call)
  const { answer, end } = await resultOf(calling)
  end()
  accounting.attempts.counted?.setResponseModel(answer.model)
  const searchUnits = 'searchUnits' in answer ? answer.searchUnits : undefined
  // Before it is written: what the vendor did is charged even if the dialect fails.
  accounting.answered(embedUsage(answer.promptTokens, valid.request, searchUnits))
  return respondComplete(valid.write(answer, options.generateId), { dialect, context, accounting })
}

async function resultOf(calling: Promise<unknown>) {
  const result = (await calling) as UpstreamResult<RerankReply | ModerateReply>
  return { answer: result.answer, end: () => result.end(true) }
}

/**
 * Validates a request to rank documents or to moderate texts, and selects the targets that can serve it.
 *
 * @param log - records the targets that cannot.
 * @throws GatewayError 400, also if no target can serve the request.
 */
export function validateSingleCall<T extends RoutedTarget>(
  dialect: SingleCallDialect,
  draft: Draft,
  principal: Principal,
  targets: readonly T[],
  rules: ValidationRules,
  log: Pick<RouteContext, 'skip'>,
): ValidatedSingleCall<T> {
  const selected = (request: RerankRequest | ModerateRequest, unknownFields: readonly string[]) => {
    const permitted =
      unknownFields.length === 0 || !isRestricted(principal, rules.boundsAll)
        ? targets
        : permittedTargets(draft.body, unknownFields, [], targets, log)
    return { request, targets: selectSingleCallTargets(dialect.operation, request, permitted, log) }
  }
  if (dialect.operation === 'rerank') {
    const request = dialect.read(draft, rules)
    return {
      ...selected(request, Object.keys(request.extra ?? {})),
      callRequest: new RerankCallRequest(request),
      write: (reply, newId) => {
        const { results, promptTokens, searchUnits } = reply as RerankReply
        const best = [...results].sort((one, other) => other.score - one.score).slice(0, resultsOf(request))
        const { model } = request
        return dialect.write({ id: newId(), model, results: best, promptTokens, searchUnits }, request)
      },
    }
  }
  const request = dialect.read(draft, rules)
  const known = ['model', 'input']
  return {
    ...selected(
      request,
      Object.keys(draft.body).filter(name => !known.includes(name)),
    ),
    callRequest: new ModerateCallRequest(request),
    write: reply => dialect.write({ model: request.model, native: (reply as ModerateReply).native }, request),
  }
}
