import type { FoundExtension } from '../contracts/dialect.ts'
import type { Principal } from '../contracts/principal.ts'
import type {
  RequestExtension,
  RestrictedFieldKind,
  RestrictedFields,
  Target,
} from '../contracts/provider.ts'
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
import { selectTargets } from '../validation/accepting-targets.ts'

/** Longer names are not compared: all declared ones are much shorter. */
const maxNameLength = 64

const effects: Readonly<Record<RestrictedFieldKind, string>> = {
  model: 'selects the model',
  routing: 'selects how the request is routed',
  paid: 'turns on features that cost extra',
  output: 'changes how many tokens may be generated',
  prompt: 'adds to the prompt',
  scheduling: 'changes the order in which requests are served',
}

/** A restricted field in a request. */
interface FoundField {
  /** As written in the request. */
  readonly path: string
  readonly kind: RestrictedFieldKind
}

/**
 * Returns whether a principal is restricted: by a list of models, by its own limits, or by the options of the gateway.
 *
 * @param boundsAll - whether the gateway has `limits` or `authorize`.
 */
export function isRestricted(principal: Principal, boundsAll: boolean): boolean {
  return boundsAll || (memberOf(principal, 'models') ?? undefined) !== undefined || hasLimits(principal)
}

/**
 * Returns the targets that a restricted principal may send these fields and extensions to, in order. Removes shadows in the same way.
 *
 * @param extra - names of fields that the protocol does not define.
 * @param extensions - the extensions that the request uses.
 * @param log - records each target and shadow that is removed.
 * @throws GatewayError 400, for the field of the first target, if no target is left.
 */
export function permittedTargets<T extends RoutedTarget>(
  input: Readonly<Record<string, unknown>>,
  extra: readonly string[],
  extensions: readonly FoundExtension[],
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  let first: FoundField | undefined
  const permitted = selectTargets(targets, target => {
    const found = restrictedField(input, extra, target) ?? restrictedExtension(extensions, target)
    if (found === undefined) return target
    first ??= found
    log.skip(target, { why: 'restricted_field', detail: found.path })
    return undefined
  })
  if (permitted.length === 0 && first !== undefined) throw notPermitted(first)
  return permitted
}

/** Returns whether restricted principals may use an extension at a target. */
export function permits(target: Target, extension: RequestExtension): boolean {
  return restrictedExtension([{ name: extension, path: '' }], target) === undefined
}

/** Returns the issue of invalid `allowFields`, or `undefined`. `path` is that of the target. */
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
    return kind === undefined || isAllowed(folded, allowFields) ? undefined : { path, kind }
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

function restrictedExtension(
  extensions: readonly FoundExtension[],
  { provider: { restrictedFields }, allowFields }: Target,
): FoundField | undefined {
  if (restrictedFields === undefined) return undefined
  const { kinds } = foldedFields(restrictedFields)
  for (const { name, path } of extensions) {
    const folded = fold(name)
    const kind = kinds.get(folded)
    if (kind !== undefined && !isAllowed(folded, allowFields)) return { path, kind }
  }
  return undefined
}

function isAllowed(folded: string, allowFields: Target['allowFields']): boolean {
  return allowFields?.some(name => foldPath(name) === folded) === true
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
 * Folds a name as lenient servers do. The JSON decoders of Go and .NET ignore case, and Go's also folds U+017F to `s` and
 * U+212A to `k`. Others accept aliases in camel case.
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
