import type { Hook, HookChunk, HookContext } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue } from '@sluice/core/adapter'
import { checkOptions, commonMembers, type HookOptions, oneOf, rules } from './hook-options.ts'
import { patternFinder } from './redaction/find-pattern.ts'
import type { Finder } from './redaction/finder.ts'
import { findersOf, type RedactedKind, redactedKinds } from './redaction/kinds.ts'
import { type PlaceholderForm, Placeholders } from './redaction/placeholders.ts'
import { redactRequest } from './redaction/redact-request.ts'
import { ResponseRedactor, type ResponseRules } from './redaction/response-redactor.ts'

/** Values of your own that `redact` finds. */
export interface RedactedPattern {
  /** Lowercase letters, digits, `-` and `_`, at most 32. The placeholders of `order-number` are `[ORDER_NUMBER_1]`. */
  readonly name: string
  /** It must take linear time: callers choose what it is matched with. */
  readonly pattern: RegExp
  /** The length of the longest match, of which responses hold back as much. Default 256. */
  readonly maxLength?: number | undefined
}

export interface RedactOptions extends HookOptions {
  /** What is found. Default: all kinds. */
  readonly kinds?: readonly RedactedKind[] | undefined
  /** Further values. */
  readonly patterns?: readonly RedactedPattern[] | undefined
  /**
   * `request` (default): values in requests become placeholders such as `[EMAIL_1]`. `response`: values that models write become
   * `[EMAIL]`, which cannot be put back. `both`: both.
   */
  readonly direction?: 'request' | 'response' | 'both' | undefined
  /** Whether the placeholders of a request are replaced by their values in the response. Default: yes. */
  readonly restore?: boolean | undefined
  /** What placeholders begin and end with. Default `[` and `]`. */
  readonly placeholder?: Partial<PlaceholderForm> | undefined
}

/**
 * Returns a hook that replaces personal data and secrets in requests by placeholders, and puts them back in the response to the same
 * request. Takes time that is linear in the length of the texts. Throws `ConfigurationError` for invalid options.
 *
 * ```ts
 * createGateway({ ..., hooks: [redact({ kinds: ['email', 'card'] })] })
 * ```
 */
export function redact(options: RedactOptions = {}): Hook {
  checkOptions(
    'redact()',
    options,
    {
      kinds: {
        isValid: value =>
          Array.isArray(value) && value.every(kind => redactedKinds.includes(kind as RedactedKind)),
        expected: `a list of ${redactedKinds.join(', ')}`,
      },
      patterns: { isValid: Array.isArray, expected: 'a list of { name, pattern }' },
      direction: oneOf('request', 'response', 'both'),
      restore: rules.flag,
      placeholder: {
        isValid: isForm,
        expected: '{ open, close } of 1 to 8 characters, without letters and digits',
      },
    },
    patternIssues(options),
  )
  const { kinds = redactedKinds, patterns = [], direction = 'request', restore = true } = options
  const names = new Map<Finder, string>()
  for (const kind of redactedKinds) {
    if (kinds.includes(kind)) for (const finder of findersOf[kind]) names.set(finder, kind.toUpperCase())
  }
  for (const { name, pattern, maxLength = 256 } of patterns) {
    names.set(patternFinder(pattern, maxLength), placeholderName(name))
  }
  const finders = [...names.keys()]
  const placeholders = new Placeholders({ open: '[', close: ']', ...options.placeholder }, names)
  const redactsResponses = direction !== 'request'
  const restores = restore && direction !== 'response'
  const holdBack = Math.max(
    ...(redactsResponses ? finders.map(({ maxLength }) => maxLength) : []),
    restores ? placeholders.maxLength : 0,
  )
  const rulesOf = (values: ReadonlyMap<string, string>): ResponseRules => {
    const restored = restores && values.size > 0 ? placeholders.finderOf(values) : undefined
    return {
      finders: [...(restored === undefined ? [] : [restored]), ...(redactsResponses ? finders : [])],
      holdBack,
      isFolded: redactsResponses,
      replacementOf: (finder, written) =>
        finder === restored ? values.get(written)! : placeholders.of(finder),
    }
  }
  return {
    ...commonMembers('redact', options),
    ...(direction !== 'response' && {
      onRequest(request, { state }) {
        const values = new Map<string, string>()
        state.values = values
        return redactRequest(request, finders, placeholders, values)
      },
    }),
    ...((restores || redactsResponses) && {
      holdBack,
      onChunk: (chunk, context) => redactorOf(chunk, context, rulesOf)?.read(chunk),
    }),
  }
}

/** What `redact` knows of a request. */
interface RedactState {
  /** The value of each placeholder. */
  values?: ReadonlyMap<string, string>
  rules?: ResponseRules
  texts?: Map<string, ResponseRedactor>
}

/** Returns what reads a text of a response; `undefined` if there is nothing to look for. */
function redactorOf(
  { kind, choice, call, isLast }: HookChunk,
  { state: given }: HookContext,
  rulesOf: (values: ReadonlyMap<string, string>) => ResponseRules,
): ResponseRedactor | undefined {
  const state: RedactState = given
  state.rules ??= rulesOf(state.values ?? new Map())
  if (state.rules.finders.length === 0) return undefined
  state.texts ??= new Map()
  const key = `${kind} ${choice} ${call ?? ''}`
  const redactor = state.texts.get(key) ?? new ResponseRedactor(state.rules, kind)
  if (isLast) state.texts.delete(key)
  else state.texts.set(key, redactor)
  return redactor
}

function isForm(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isPart = (part: unknown) => typeof part === 'string' && /^[^\p{L}\p{N}\s_"\\]{1,8}$/u.test(part)
  return Object.entries(value).every(([name, part]) => (name === 'open' || name === 'close') && isPart(part))
}

function patternIssues({ patterns }: RedactOptions): readonly ConfigurationIssue[] {
  if (!Array.isArray(patterns)) return []
  const names = new Set<string>(redactedKinds.map(kind => kind.toUpperCase()))
  return (patterns as readonly unknown[]).flatMap((each, index) => {
    const { name, pattern, maxLength = 1 } = (each ?? {}) as Partial<Record<keyof RedactedPattern, unknown>>
    const at = (member: string) => ['patterns', index, member]
    const isName =
      typeof name === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(name) && !names.has(placeholderName(name))
    if (typeof name === 'string') names.add(placeholderName(name))
    return [
      ...(isName
        ? []
        : [configurationIssue(at('name'), name, 'a name of its own: lowercase letters, digits, - and _')]),
      ...(pattern instanceof RegExp
        ? []
        : [configurationIssue(at('pattern'), pattern, 'a regular expression')]),
      ...(Number.isInteger(maxLength) && (maxLength as number) > 0 && (maxLength as number) <= 4_096
        ? []
        : [configurationIssue(at('maxLength'), maxLength, 'a whole number from 1 to 4096')]),
    ]
  })
}

function placeholderName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_')
}
