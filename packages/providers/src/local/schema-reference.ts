import type { JsonObject, JsonValue } from '@sluice/core'
import { isObject, own } from './json.ts'
import { Unsatisfiable } from './unsatisfiable.ts'

/** What a `$ref` within the schema itself points to: `#`, `#/$defs/name`. Throws `Unsatisfiable` for any other. */
export function resolveReference(reference: JsonValue, root: JsonValue, path: string): JsonValue {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) {
    // Without the reference: a URL would be taken out on its way to the caller.
    throw new Unsatisfiable(path, "$ref is not one into the schema itself, such as '#/$defs/name'")
  }
  let value: JsonValue | undefined = root
  for (const step of reference.split('/').slice(1)) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    value = Array.isArray(value)
      ? value[Number(key)]
      : isObject(value)
        ? own(value as JsonObject, key)
        : undefined
  }
  if (value === undefined)
    throw new Unsatisfiable(path, `the reference ${shown(reference)} points to nothing`)
  return value
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function shown(reference: JsonValue): string {
  return `'${String(reference).slice(0, 100)}'`
}
