import { GatewayError, type Hook } from '@sluice/core'
import type { ConfiguredHook } from './api.ts'
import type { ApiCall } from './api-call.ts'

const functions = ['onRequest', 'onChunk', 'onResponse', 'onEnd'] as const

/** Returns the configured hooks in their order. Throws 404 if the console was given none. */
export function hookRows({ state: { hooks } }: ApiCall): ConfiguredHook[] {
  if (hooks === undefined) {
    throw new GatewayError('unknown_url', {
      message: 'The hooks are not known here: createConsole() was given no hooks.',
    })
  }
  return (typeof hooks === 'function' ? hooks() : hooks).map(configuredHook)
}

/** A hook by its settings: its functions stay where they are. The defaults are those of `Hook`. */
function configuredHook(hook: Hook): ConfiguredHook {
  const { name, onFailure = 'closed', timeoutMs = 1_000, models, operations } = hook
  return {
    name,
    functions: functions.filter(each => hook[each] !== undefined),
    onFailure,
    timeoutMs,
    ...(models !== undefined && { models }),
    ...(operations !== undefined && { operations }),
    choosesPrincipals: hook.appliesTo !== undefined,
  }
}
