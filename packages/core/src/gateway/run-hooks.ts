import { changedPrincipal } from '../auth/changed-principal.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { RequestDecision } from '../contracts/hook.ts'
import { changedDraft } from '../hooks/changed-draft.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { type Decision, decideTargets } from './decide.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'

/**
 * Runs the hooks of a request, and returns what they made of the decision. A model that a hook has chosen is routed and authorized.
 *
 * Rejects with `GatewayError`: what a hook refuses with, and 403 or 404 for a model that it has chosen; with the error of a hook that
 * fails and is `closed`.
 */
export async function runRequestHooks<Host>(
  hooks: Hooks,
  dialect: Dialect,
  decided: Decision,
  options: ResolvedOptions<Host>,
  context: RequestContext,
): Promise<Decision> {
  const { requestId, user, lifetime } = context
  let { draft, principal } = decided
  const active = hooks.of(draft, principal, { requestId, user, signal: () => lifetime.signal })
  // Before it runs: a request that is refused has the records of its hooks.
  context.hooks = active
  await active.onRequest(({ edits = [], model, tags }: RequestDecision) => {
    if (edits.length > 0 || model !== undefined) draft = changedDraft(draft, edits, model, dialect)
    if (tags !== undefined) {
      principal = changedPrincipal(principal, { tags: { ...principal.tags, ...tags } })
    }
    return { draft, principal }
  })
  if (!active.hasApplied) {
    context.hooks = undefined
    return decided
  }
  context.principal = principal
  const { readers } = active
  if (readers.length > 0) draft = Object.freeze({ ...draft, responseHooks: readers })
  if (draft.model !== decided.draft.model) {
    return { principal, draft, targets: await decideTargets(draft, principal, options, context) }
  }
  context.draft = draft
  return { principal, draft, targets: decided.targets }
}
