/**
 * A called function's name. gpt-oss sometimes leaves a mark of its own format behind it:
 * `json<|channel|>commentary`; no function's name holds such.
 */
export function functionName(name: unknown): string {
  if (typeof name !== 'string') return ''
  const mark = name.indexOf('<|')
  return mark === -1 ? name : name.slice(0, mark)
}
