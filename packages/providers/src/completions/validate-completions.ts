import { configurationError } from '@sluice/core/adapter'

const names = ['path', 'streamOptions', 'choices']

/** Throws `ConfigurationError` for an invalid option `completions`. */
export function validateCompletions(given: unknown, owner: string): void {
  const wrong = (path: readonly string[], value: unknown, expected: string) =>
    configurationError(`${owner}()`, ['completions', ...path], value, expected)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong([], given, 'an object, or false')
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) throw wrong([name], value, `one of ${names.join(', ')}`)
  }
  const { path, streamOptions, choices } = given as Readonly<Record<string, unknown>>
  if (path !== undefined && !(typeof path === 'string' && /^(?:\/[\w~-][\w.~-]*)+$/.test(path)))
    throw wrong(['path'], path, 'a path, such as /completions')
  if (streamOptions !== undefined && typeof streamOptions !== 'boolean')
    throw wrong(['streamOptions'], streamOptions, 'a boolean')
  if (choices !== undefined && choices !== 'text' && choices !== 'message')
    throw wrong(['choices'], choices, "'text' or 'message'")
}
