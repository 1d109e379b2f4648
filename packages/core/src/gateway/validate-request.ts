import type {
  CountDialect,
  FoundExtension,
  GenerateDialect,
  ReadRequest,
  ReadRules,
} from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Principal } from '../contracts/principal.ts'
import type { UnsupportedParameters } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { isRestricted, permits, permittedTargets } from '../routing/restricted-fields.ts'
import { AcceptingTargets } from '../validation/accepting-targets.ts'
import { lowerMaxOutput } from '../validation/bounded-output.ts'
import { selectCapableTargets } from '../validation/capable-targets.ts'
import { selectCompletionTargets } from '../validation/completion-targets.ts'
import { allowsStored } from './response-state.ts'

/** How requests are validated. */
export interface ValidationRules extends ReadRules {
  /** Whether extensions that a provider does not accept are dropped or mapped, where that is possible. Default `refuse`. */
  readonly unsupportedParameters?: UnsupportedParameters
  /** Whether the gateway limits the usage of every principal, so that none may send restricted fields. */
  readonly boundsAll: boolean
  /** Returns the estimated tokens of prompt and answer. It affects the order of targets, and rejects none. */
  readonly estimateTokens: (draft: Draft) => number
}

/** A valid request and the targets that support it. */
export interface ValidatedRequest<T extends RoutedTarget> {
  readonly request: GenerateRequest
  /** At least one. */
  readonly targets: readonly T[]
}

/**
 * Validates a request, and selects the targets that support it.
 *
 * @param log - records the targets that do not support the request.
 * @param isTranslated - whether no target gets the request as it came, because a hook reads its response. Default `false`.
 * @throws GatewayError 400, also if no target supports the request.
 */
export function validateRequest<T extends RoutedTarget>(
  dialect: GenerateDialect | CountDialect,
  draft: Draft,
  principal: Principal,
  targets: readonly T[],
  rules: ValidationRules,
  log: Pick<RouteContext, 'skip'>,
  isTranslated = false,
): ValidatedRequest<T> {
  const spoken = (dialect.operation === 'countTokens' ? dialect.counts : undefined) ?? dialect.name
  const passed = isTranslated ? undefined : spoken
  const extensions = new AcceptingTargets(targets, passed, rules.unsupportedParameters === 'drop', log)
  const stores = allowsStored(principal)
  const read = dialect.read(draft, stores ? rules : { ...rules, runsInBackground: false }, extensions)
  const { request: asked, targets: permittedFor } = isRestricted(principal, rules.boundsAll)
    ? permitted(read, draft, extensions, log)
    : { request: read.request, targets: extensions.targets }
  const request = isTranslated ? (asked.asTranslated?.() ?? asked) : asked
  const allowed = dialect.operation === 'complete' ? selectCompletionTargets(permittedFor, log) : permittedFor
  const { lowersMaxOutput, finish } = read
  const lowered = lowersMaxOutput === true ? lowerMaxOutput(allowed, request) : allowed
  const capable = lowered.every(({ capabilities }) => capabilities === undefined)
    ? lowered
    : selectCapableTargets(request, lowered, {
        operation: dialect.operation,
        live: rules.profile === 'live',
        bytes: draft.bytes,
        estimateTokens: () => rules.estimateTokens(draft),
        skip: (target, why) => log.skip(target, why),
      })
  finish?.()
  return { request, targets: capable }
}

/**
 * Returns the targets that a restricted principal may call, and the request for them: without the tools that vendors run where none
 * of them allows these. Throws `GatewayError` 400.
 */
function permitted<T extends RoutedTarget>(
  { request, unknownFields = [], serverTool }: ReadRequest,
  { body }: Draft,
  { found, targets }: AcceptingTargets<T>,
  log: Pick<RouteContext, 'skip'>,
): ValidatedRequest<T> {
  const isRefused = serverTool !== undefined && !targets.some(target => permits(target, serverTools))
  const without = isRefused ? request.withoutServerTools?.() : undefined
  const extensions: readonly FoundExtension[] =
    serverTool === undefined || without !== undefined
      ? found
      : [...found, { name: serverTools, path: serverTool }]
  const permittedFor =
    unknownFields.length === 0 && extensions.length === 0
      ? targets
      : permittedTargets(body, unknownFields, extensions, targets, log)
  return { request: without ?? request, targets: permittedFor }
}

const serverTools = 'server_tools'
