import type { Principal } from '../contracts/principal.ts'
import type { RestrictedFieldKind, RestrictedFields, Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import {
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
} from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'
import { isKnownField } from '../protocol/chat-fields.ts'
import { hasLimits } from '../rate-limiting/limit.ts'

/** The longest name that is compared: no declared one is near it. */
const maxNameLength = 64

const effects: Readonly<Record<RestrictedFieldKind, string>> = {
  model: 'selects the model',
  routing: 'selects how the request is routed',
  paid: 'turns on features that cost extra',
  output: 'changes how many tokens may be generated',
  prompt: 'adds to the prompt',
  scheduling: 'changes the order in which requests are served',
}

/** A field of a request that a target's upstream would obey. */
interface FoundField {
  /** As the caller wrote it. */
  readonly path: string
  readonly kind: RestrictedFieldKind
}

/**
 * Whether what a principal may use is bounded: by a list of models, by limits of its own, or by the options of the gateway.
 *
 * @param boundsAll - whether the gateway has a `limit` or an `authorize` of its own.
 */
export function isRestricted(principal: Principal, boundsAll: boolean): boolean {
  return boundsAll || (memberOf(principal, 'models') ?? undefined) !== undefined || hasLimits(principal)
}

/**
 * Returns the targets that a restricted principal may send these fields to, in their order. Drops shadows likewise.
 *
 * @param extra - names of the fields that the protocol does not have.
 * @param log - records each target and shadow that is left out.
 * @throws GatewayError 400, for the first target's field, when no target is left.
 */
export function permittedTargets<T extends RoutedTarget>(
  input: Readonly<Record<string, unknown>>,
  extra: readonly string[],
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  const permitted: T[] = []
  let first: FoundField | undefined
  let changed = false
  const isPermitted = (target: Target): boolean => {
    const found = restrictedField(input, extra, target)
    if (found === undefined) return true
    first ??= found
    changed = true
    log.skip(target, { why: 'restricted_field', detail: found.path })
    return false
  }
  for (const target of targets) {
    if (!isPermitted(target)) continue
    const { shadows } = target
    const kept = shadows?.filter(isPermitted)
    permitted.push(kept?.length === shadows?.length ? target : { ...target, shadows: kept })
  }
  if (permitted.length === 0 && first !== undefined) throw notPermitted(first)
  return changed ? permitted : targets
}

/** The issue of a target's `allowFields` that cannot be used, below the path of the target; `undefined` where there is none. */
export function allowFieldsIssue(
  { provider, allowFields }: Target,
  path: OptionPath,
): ConfigurationIssue | undefined {
  if (allowFields === undefined) return undefined
  const at = [...path, 'allowFields']
  if (!Array.isArray(allowFields)) {
    return configurationIssue(at, allowFields, "an array of field names, such as ['models']")
  }
  const declared = Object.keys(provider.restrictedFields ?? {}).filter(name => !isKnownField(name))
  const index = allowFields.findIndex(name => !declared.includes(name))
  if (index < 0) return undefined
  const expected =
    declared.length === 0 ? 'none: the provider restricts no fields' : `some of ${declared.join(', ')}`
  return configurationIssue([...at, index], allowFields[index], expected)
}

function restrictedField(
  input: Readonly<Record<string, unknown>>,
  extra: readonly string[],
  { provider, allowFields }: Target,
): FoundField | undefined {
  const { restrictedFields } = provider
  if (restrictedFields === undefined) return undefined
  const { kinds, objects } = foldedFields(restrictedFields)
  const find = (folded: string, path: string): FoundField | undefined => {
    const kind = kinds.get(folded)
    if (kind === undefined || allowFields?.some(name => foldPath(name) === folded)) return undefined
    return { path, kind }
  }
  for (const name of extra) {
    if (name.length > maxNameLength) continue
    const folded = fold(name)
    const found = find(folded, name)
    if (found !== undefined) return found
    const value = objects.has(folded) ? input[name] : undefined
    if (typeof value !== 'object' || value === null) continue
    for (const member of Object.keys(value)) {
      if (member.length > maxNameLength) continue
      const within = find(`${folded}.${fold(member)}`, `${name}.${member}`)
      if (within !== undefined) return within
    }
  }
  return undefined
}

interface FoldedFields {
  /** By folded path. */
  readonly kinds: ReadonlyMap<string, RestrictedFieldKind>
  /** Folded names of the objects that have restricted members. */
  readonly objects: ReadonlySet<string>
}

const folding = new WeakMap<RestrictedFields, FoldedFields>()

function foldedFields(fields: RestrictedFields): FoldedFields {
  const known = folding.get(fields)
  if (known !== undefined) return known
  const kinds = new Map(Object.entries(fields).map(([name, kind]) => [foldPath(name), kind]))
  const paths = [...kinds.keys()].filter(path => path.includes('.'))
  const made = { kinds, objects: new Set(paths.map(path => path.slice(0, path.indexOf('.')))) }
  folding.set(fields, made)
  return made
}

function foldPath(path: string): string {
  return path.split('.').map(fold).join('.')
}

/**
 * A name as lenient servers compare it. JSON decoders of Go and .NET ignore case, and Go's takes U+017F for `s` and U+212A
 * for `k`; others have aliases in camel case.
 */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase().replaceAll(/[-_]/g, '')
}

function notPermitted({ path, kind }: FoundField): GatewayError {
  return new GatewayError('unsupported_parameter', {
    message: `Unsupported parameter: '${path}' ${effects[kind]}, which is not allowed with this API key. Remove it, or ask the operator of this service to allow it (allowFields).`,
    param: path,
  })
}
