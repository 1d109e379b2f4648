import type { Hook } from '../contracts/hook.ts'

/** The maximum of `holdBack`, in UTF-16 code units. */
export const maxHoldBack = 65_536

const functions = ['onRequest', 'onResponse', 'onChunk', 'onEnd', 'appliesTo'] as const

/** Returns what was expected instead of a list of hooks, or `undefined` if it is valid. */
export function hooksCheck(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'an array of hooks'
  for (const [index, hook] of value.entries()) {
    const expected = hookCheck(hook as unknown)
    if (expected !== undefined) return `hooks; [${index}] is no ${expected}`
  }
  const names = value.map((hook: Hook) => hook.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined
    ? undefined
    : `hooks with a name of their own each, but '${twice}' is there twice`
}

function hookCheck(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'hook, such as { name, onRequest }'
  const hook = value as Readonly<Record<keyof Hook, unknown>>
  const { name, timeoutMs = 1, onFailure = 'closed', models = [], operations = [], holdBack = 0 } = hook
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_-]{0,63}$/.test(name)) {
    return "hook with a name such as 'deny-list' (lowercase letters, digits, - and _)"
  }
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= 600_000)) {
    return 'hook with timeoutMs above 0, at most 600000'
  }
  if (onFailure !== 'closed' && onFailure !== 'open') return "hook with onFailure 'closed' or 'open'"
  const areTexts = (list: unknown) => Array.isArray(list) && list.every(item => typeof item === 'string')
  if (!areTexts(models) || !areTexts(operations))
    return 'hook with models and operations as arrays of strings'
  if (!(Number.isInteger(holdBack) && (holdBack as number) >= 0 && (holdBack as number) <= maxHoldBack)) {
    return `hook with holdBack from 0 to ${maxHoldBack}`
  }
  const wrong = functions.find(each => hook[each] !== undefined && typeof hook[each] !== 'function')
  if (wrong !== undefined) return `hook whose ${wrong} is a function`
  return functions.slice(0, 4).some(each => hook[each] !== undefined)
    ? undefined
    : 'hook with onRequest, onResponse, onChunk or onEnd'
}
