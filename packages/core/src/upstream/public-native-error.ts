import type { BodyEdit } from '../conversation/body-edit.ts'
import type { NativeError } from '../errors/native-error.ts'
import { spliceJson } from '../protocol/splice-json.ts'
import { redact } from './redact.ts'

/** Statuses that are about the request. All others are about the gateway's account, or the vendor. */
const statuses: ReadonlySet<number> = new Set([400, 404, 409, 413, 422])

/** Longer bodies are not error messages. */
const maxLength = 65_536
/** No error nests so deep. */
const maxDepth = 16

/**
 * Returns a vendor's error without keys, hosts and internals in its texts. All else is as it came. `undefined` if it is not
 * about the request, is no JSON object, or would lose a text completely.
 */
export function publicNativeError(native: NativeError): NativeError | undefined {
  if (!statuses.has(native.status) || native.body.length > maxLength) return undefined
  let value: unknown
  try {
    value = JSON.parse(native.body)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const edits = redactions(value)
  if (edits === undefined) return undefined
  return edits.length === 0 ? native : { ...native, body: spliceJson(native.body, edits) }
}

/** Returns the edits of all texts that show something internal, or `undefined` if nothing would be left of one. */
function redactions(value: object): readonly BodyEdit[] | undefined {
  const edits: BodyEdit[] = []
  const open: { readonly path: BodyEdit['path']; readonly container: object }[] = [
    { path: [], container: value },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, container } = next
    for (const [name, member] of Object.entries(container) as [string, unknown][]) {
      const at = [...path, Array.isArray(container) ? Number(name) : name]
      if (typeof member === 'object' && member !== null) {
        if (at.length > maxDepth) return undefined
        open.push({ path: at, container: member })
      } else if (typeof member === 'string' && member !== '') {
        const clean = redact(member)
        if (clean === '') return undefined
        if (clean !== member) edits.push({ path: at, value: clean })
      }
    }
  }
  return edits
}
