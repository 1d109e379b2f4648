import type { Hook, Principal } from '@sluice/core'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  hiddenIssue,
  unknownOption,
} from '@sluice/core/adapter'

/** Options that all hooks of this package have. */
export interface HookOptions {
  /** Names the hook in traces and metrics, such as `redact`. Needed for a second hook of the same kind. */
  readonly name?: string | undefined
  /** Patterns of requested models that it applies to (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | undefined
  /** Whether it applies to the requests of a principal. Default: to all. */
  readonly appliesTo?: ((principal: Principal) => boolean) | undefined
  /** What a failure does: `closed` fails the request, `open` continues without the hook. Default `closed`. */
  readonly onFailure?: 'closed' | 'open' | undefined
  /** Milliseconds that one call may take. Default 1,000. */
  readonly timeoutMs?: number | undefined
}

/** Whether an option is valid, and what is expected instead. */
export interface OptionRule {
  readonly isValid: (value: unknown) => boolean
  readonly expected: string
  readonly isRequired?: true
  /** Whether the value may contain a secret, so that it is not shown. */
  readonly isHidden?: true
}

export const rules = {
  flag: { isValid: value => typeof value === 'boolean', expected: 'true or false' },
  callback: { isValid: value => typeof value === 'function', expected: 'a function' },
  milliseconds: {
    isValid: value => typeof value === 'number' && value > 0 && value <= 600_000,
    expected: 'milliseconds above 0, at most 600000',
  },
} as const satisfies Readonly<Record<string, OptionRule>>

export function oneOf(...values: readonly string[]): OptionRule {
  return {
    isValid: value => values.includes(value as string),
    expected: values.map(value => `'${value}'`).join(' or '),
  }
}

const common: Readonly<Record<keyof HookOptions, OptionRule>> = {
  name: {
    isValid: value => typeof value === 'string' && /^[a-z][a-z0-9_-]{0,63}$/.test(value),
    expected: 'lowercase letters, digits, - and _',
  },
  models: {
    isValid: value => Array.isArray(value) && value.every(each => typeof each === 'string'),
    expected: "names or patterns of models, such as ['gpt-*']",
  },
  appliesTo: rules.callback,
  onFailure: oneOf('closed', 'open'),
  timeoutMs: rules.milliseconds,
}

/** Throws `ConfigurationError` for unknown and invalid options. `more` are further issues. */
export function checkOptions<T extends HookOptions>(
  source: string,
  options: T,
  own: Readonly<Record<Exclude<keyof T, keyof HookOptions>, OptionRule>>,
  more: readonly ConfigurationIssue[] = [],
): void {
  const given: unknown = options
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError(source, [configurationIssue([], given, 'an object with its options')])
  }
  const all: Readonly<Record<string, OptionRule>> = { ...common, ...own }
  const issues = Object.entries(given)
    .filter(([name]) => !Object.hasOwn(all, name))
    .map(([name, value]) => unknownOption([name], value, Object.keys(all)))
  for (const [name, { isValid, expected, isRequired, isHidden }] of Object.entries(all)) {
    const value: unknown = Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined
    if (value === undefined ? !isRequired : isValid(value)) continue
    issues.push(isHidden ? hiddenIssue([name], value, expected) : configurationIssue([name], value, expected))
  }
  if (issues.length + more.length > 0) throw new ConfigurationError(source, [...issues, ...more])
}

/** Returns the members of a hook that its options set. */
export function commonMembers(
  name: string,
  { models, appliesTo, onFailure, timeoutMs, name: own = name }: HookOptions,
): Pick<Hook, 'name' | 'models' | 'appliesTo' | 'onFailure' | 'timeoutMs'> {
  return {
    name: own,
    ...(models !== undefined && { models }),
    ...(appliesTo !== undefined && { appliesTo }),
    ...(onFailure !== undefined && { onFailure }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}
