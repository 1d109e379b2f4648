import type { EmbedCall } from '@sluice/core/provider'
import { routingOptions } from '../chat-completions/request-body.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/** What a vendor takes beside model and inputs. */
export interface EmbeddingFields {
  /** Its name of `dimensions`. Absent: the length of the model's vectors is fixed. */
  readonly dimensions?: string | undefined
  /** Whether it takes `user`. */
  readonly user?: boolean
  /** Its names of further fields, by the caller's names. `any`: it gets all of them. */
  readonly others: Readonly<Record<string, string>> | 'any'
}

/**
 * Returns the fields of a request for embeddings beside model, inputs and encoding, by the vendor's names. Those that the vendor
 * does not take are dropped and reported, but for `dimensions`.
 *
 * Throws `GatewayError` (400, `unsupported_parameter`) for `dimensions`, unless unsupported parameters are dropped.
 */
export function embeddingFields(
  { request }: EmbedCall,
  fields: EmbeddingFields,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  const { dimensions, user, extra = {} } = request
  // Without a prototype, `__proto__` is a name as any other.
  const body: Record<string, unknown> = Object.create(null)
  if (dimensions !== undefined) {
    if (fields.dimensions === undefined) adjuster.unsupported('dimensions')
    else body[fields.dimensions] = dimensions
  }
  if (user !== undefined) {
    if (fields.user === true) body.user = user
    else adjuster.drop('user')
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === null) continue
    const theirs = nameOf(name, fields.others)
    if (theirs === undefined) adjuster.drop(name, reasonOf(name))
    else body[theirs] = value
  }
  return body
}

/** Returns the inputs as texts. Throws `GatewayError` (400, `unsupported_value`) for token ids. */
export function textInputs({ inputs }: EmbedCall): readonly string[] {
  return inputs.map(input => {
    if (typeof input === 'string') return input
    throw cannotSend('input', "Invalid 'input': this model takes texts, not token ids. Send the texts.")
  })
}

function nameOf(name: string, others: EmbeddingFields['others']): string | undefined {
  if (others === 'any') return isOwnField(name) ? undefined : name
  return Object.hasOwn(others, name) ? others[name] : undefined
}

/** Fields that would make base64 something else than float32 values. */
const encodings: ReadonlySet<string> = new Set([
  'dtype',
  'embeddtype',
  'embeddingtype',
  'embeddingtypes',
  'encodingtype',
  'endianness',
  'outputdtype',
])

/** Other spellings of what the gateway writes itself: a server that reads names in any case would take them for it. */
const written: ReadonlySet<string> = new Set(['dimensions', 'encodingformat', 'input', 'model', 'user'])

function isOwnField(name: string): boolean {
  const plain = name.toLowerCase().replace(/[_-]/g, '')
  return routingOptions.includes(name) || encodings.has(plain) || written.has(plain)
}

function reasonOf(name: string): string {
  return routingOptions.includes(name)
    ? 'where a request goes is set by the service'
    : 'not known to this vendor'
}
