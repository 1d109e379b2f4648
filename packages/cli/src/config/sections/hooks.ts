import type { Hook, Principal } from '@sluice/core'
import { type HookOptions, redact, requireJson, systemPrompt, webhook } from '@sluice/hooks'
import type { HookConfig, RedactHookConfig, TypedConfig } from '../config.ts'
import { fits } from '../routes/route-scope.ts'
import { collectOptionIssues } from '../shape/collect-issues.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { checkModelNames } from './check-rules.ts'
import { isOwnHook } from './hooks-shape.ts'

/** Returns the hooks of a configuration, in their order. Adds an issue for each that is invalid. */
export function hooksOf(config: TypedConfig, root: ConfigLocation): readonly Hook[] {
  const location = root.at('hooks')
  const names = new Set<string>()
  return (config.hooks ?? []).flatMap((given, index) => {
    const own = location.at(index)
    if (root.issues.has(own.path)) return []
    const hook = isOwnHook(given) ? (given as Hook) : configuredHook(given as HookConfig, config, own)
    if (hook === undefined) return []
    if (names.has(hook.name)) {
      own.at('name').add({ got: `'${hook.name}', as another hook has`, expected: 'a name of its own' })
    }
    names.add(hook.name)
    return [hook]
  })
}

function configuredHook(given: HookConfig, config: TypedConfig, location: ConfigLocation): Hook | undefined {
  checkModelNames(given.models, config, location.at('models'))
  const { principals, tags, type: _, ...options } = given
  const applies =
    principals === undefined && tags === undefined
      ? {}
      : { appliesTo: (principal: Principal) => appliesTo(principal, principals, tags) }
  return collectOptionIssues(location, () => {
    switch (given.type) {
      case 'redact':
        return redact({ ...(options as HookOptions), ...applies, ...patternsOf(given, location) })
      case 'systemPrompt': {
        const { text, ...others } = options as { text: string }
        return systemPrompt(text, { ...others, ...applies })
      }
      case 'requireJson':
        return requireJson({ ...(options as HookOptions), ...applies })
      case 'webhook':
        return webhook({ ...(options as Parameters<typeof webhook>[0]), ...applies })
    }
  })
}

function appliesTo(
  principal: Principal,
  principals: readonly string[] | undefined,
  tags: Readonly<Record<string, string>> = {},
): boolean {
  const isNamed = principals?.some(name => name === principal.id || fits(name, principal.id)) ?? true
  return isNamed && Object.entries(tags).every(([name, value]) => principal.tags?.[name] === value)
}

/** Returns the patterns as regular expressions. An invalid one is an issue, and is left out. */
function patternsOf({ patterns }: RedactHookConfig, location: ConfigLocation) {
  if (patterns === undefined) return {}
  const compiled = patterns.flatMap(({ pattern, flags = '', ...others }, index) => {
    try {
      return [{ ...others, pattern: new RegExp(pattern, flags) }]
    } catch {
      location.at('patterns').at(index).at('pattern').reject(pattern, 'a valid regular expression')
      return []
    }
  })
  return { patterns: compiled }
}
