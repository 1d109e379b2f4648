/** Returns the value at a path such as `messages[0].content[1]`; `undefined` if there is none. */
export function valueAt(body: unknown, path: string): unknown {
  let value = body
  for (const step of path.split(/[.[]/)) {
    const name = step.endsWith(']') ? step.slice(0, -1) : step
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
